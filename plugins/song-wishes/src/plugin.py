from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

from service_plugin import CommandContext, plugin, service

if TYPE_CHECKING:
    from service_plugin.types import Request

MAX_WISHES = 50
MAX_LENGTH = 100

HTML = {"Content-Type": "text/html; charset=utf-8"}
JSON = {"Content-Type": "application/json"}


def wishes() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = service.kv.get_json("wishes", [])
    return listed


def wish(ctx: CommandContext) -> None:
    song = " ".join(ctx.args)[:MAX_LENGTH]
    listed = wishes()
    if not song:
        ctx.reply_privately("Which song? Try !wish Here Comes the Sun")
    elif len(listed) >= MAX_WISHES:
        ctx.reply_privately("The list is full, please wait for some songs to be played.")
    else:
        number = service.kv.get_json("last", 0) + 1
        name = ctx.user.display_name if ctx.user else "somebody"
        service.kv.set_json("wishes", listed + [{"id": number, "song": song, "from": name}])
        service.kv.set_json("last", number)
        ctx.reply("%s wishes for %s (number %d on the list)" % (name, song, len(listed) + 1))


def played(ctx: CommandContext) -> None:
    listed = wishes()
    if listed:
        service.kv.set_json("wishes", listed[1:])
        ctx.reply("Played: %s" % listed[0]["song"])


plugin.commands(
    {
        "wish": {"description": "Wish for a song", "usage": "!wish <song>", "cooldown_ms": 10000, "run": wish},
        "played": {"description": "Take the oldest wish off the list", "mod_only": True, "run": played},
    }
)


def page(title: str, button: str = "") -> str:
    entries = "".join(
        "<li>%s <small>from %s</small>%s</li>"
        % (html.escape(entry["song"]), html.escape(entry["from"]), button.replace("NUMBER", str(entry["id"])))
        for entry in wishes()
    )
    body = "<ol>%s</ol>" % entries if entries else "<p>Nobody has wished for a song yet.</p>"
    return "<!doctype html><title>%s</title><h1>%s</h1>%s" % (title, title, body)


@plugin.get("/")
def public_page(req: Request) -> dict[str, object]:
    return {"headers": HTML, "body": page("Song wishes")}


@plugin.get("/api/wishes")
def listed(req: Request) -> dict[str, object]:
    return {"headers": JSON, "body": json.dumps(wishes())}


# The manifest makes /admin and all below it the operator's: nobody else gets here.
@plugin.get("/admin")
def admin_page(req: Request) -> dict[str, object]:
    button = '<form method="post" action="admin/done/NUMBER"><button>Done</button></form>'
    return {"headers": HTML, "body": page("Song wishes for you", button)}


@plugin.post("/admin/done/{id}")
def done(req: Request) -> dict[str, object]:
    rest = [entry for entry in wishes() if str(entry["id"]) != req.path_params["id"]]
    service.kv.set_json("wishes", rest)
    return {"status": 303, "headers": {"Location": "../../admin"}}
