import random
import re

from service_plugin import CommandContext, plugin

MAX_DICE = 20
MAX_SIDES = 1000


def roll(ctx: CommandContext) -> None:
    asked = re.fullmatch(r"(\d{0,4})d(\d{1,5})", ctx.arg_string.lower() or "1d6")
    dice = int(asked.group(1) or 1) if asked else 0
    sides = int(asked.group(2)) if asked else 0
    if not 1 <= dice <= MAX_DICE or not 1 <= sides <= MAX_SIDES:
        hint = "Try !roll, !roll d20 or !roll 3d6: up to %d dice with up to %d sides."
        ctx.reply_privately(hint % (MAX_DICE, MAX_SIDES))
        return
    name = ctx.user.display_name if ctx.user else "Somebody"
    rolled = [random.randint(1, sides) for _ in range(dice)]
    result = str(rolled[0]) if dice == 1 else "%s = %d" % (" + ".join(map(str, rolled)), sum(rolled))
    ctx.reply("%s rolls %dd%d: %s" % (name, dice, sides, result))


plugin.commands(
    {
        "roll": {
            "description": "Roll dice",
            "usage": "!roll 3d6",
            "aliases": ["dice"],
            "cooldown_ms": 2000,
            "run": roll,
        }
    }
)
