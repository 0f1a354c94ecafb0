from __future__ import annotations

import json
from typing import TYPE_CHECKING

from service_plugin import CommandContext, plugin, service

from tally import Poll

if TYPE_CHECKING:
    from service_plugin.types import Request

HINT = "Try !poll Which game next? | Chess | Go (two to six answers)"


def current() -> Poll | None:
    """The poll that is running or was the last, or None."""
    kept = service.kv.get_json("poll")
    return Poll(kept) if kept else None


def keep(poll: Poll) -> None:
    service.kv.set_json("poll", poll.kept)
    # Overlays that are open draw it anew.
    service.sse.send("results", "poll", poll.shown())


def ask(ctx: CommandContext) -> None:
    poll = Poll.read(ctx.arg_string)
    if poll is None:
        ctx.reply_privately(HINT)
        return
    keep(poll)
    ways = ", ".join("!vote %d for %s" % (number, answer) for number, answer in enumerate(poll.answers, 1))
    ctx.reply("%s Write %s." % (poll.question, ways))


def vote(ctx: CommandContext) -> None:
    poll = current()
    if poll is None or not poll.is_open:
        ctx.reply_privately("There is no poll at the moment.")
    elif ctx.user is None or not poll.vote(ctx.user.id, ctx.arg_string):
        ctx.reply_privately("Write !vote and a number from 1 to %d." % len(poll.answers))
    else:
        keep(poll)
        ctx.reply_privately("Your vote: %s" % poll.answer_of(ctx.user.id))


def results(ctx: CommandContext) -> None:
    poll = current()
    if poll is not None:
        ctx.reply("%s %s" % (poll.question, poll.summary()))


def end(ctx: CommandContext) -> None:
    poll = current()
    if poll is not None and poll.is_open:
        poll.close()
        keep(poll)
        ctx.reply("The poll is over. %s" % poll.verdict())


plugin.commands(
    {
        "poll": {
            "description": "Ask the chat",
            "usage": "!poll question | answer | answer",
            "mod_only": True,
            "run": ask,
        },
        "vote": {"description": "Answer the poll", "usage": "!vote 1", "cooldown_ms": 1000, "run": vote},
        "results": {"description": "How the poll stands", "cooldown_ms": 10000, "run": results},
        "endpoll": {"description": "End the poll", "mod_only": True, "run": end},
    }
)


@plugin.get("/api/poll")
def state(req: Request) -> dict[str, object]:
    poll = current()
    return {"headers": {"Content-Type": "application/json"}, "body": json.dumps(poll.shown() if poll else None)}
