from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING

from service_plugin import plugin, service

if TYPE_CHECKING:
    from service_plugin.types import StreamChange

# After a failure: so many milliseconds later, then later still, then never.
AGAIN_AFTER_MS = (5000, 30000, 120000)


@plugin.on_stream_started
def announce(stream: StreamChange) -> None:
    url = service.config.get("url", "").strip()
    if not url:
        service.log.info("the stream is live, and no address to tell is set")
        return
    started = when(stream.started_at)
    last = service.kv.get("last")
    quiet = datetime.timedelta(minutes=service.config.get("quietMinutes", 0))
    if last and started - when(last) < quiet:
        service.log.info("the stream is live again so soon that nobody is told")
        return
    # Before it is sent: a notice that is late is better than two.
    service.kv.set("last", started.isoformat())
    headers, body = letter(stream)
    send(url, headers, body, 0)


def when(text: str | None) -> datetime.datetime:
    """A time of the server's. Parts of a second do not matter here."""
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return datetime.datetime.fromisoformat((text or now)[:19])


def letter(stream: StreamChange) -> tuple[dict[str, str], str]:
    """What is sent. The members "text" and "content" are what the webhooks of most chat services look for."""
    server = service.server.info()
    facts = {
        "name": (server and server.name) or "The stream",
        "title": stream.title or "",
        "summary": stream.summary or "",
        "url": (server and server.url) or "",
    }
    text = service.config.get("text", "")
    for name, value in facts.items():
        text = text.replace("{%s}" % name, value)
    text = " ".join(text.split())
    headers = {"Content-Type": "application/json"}
    body = json.dumps(dict(facts, text=text, content=text, startedAt=stream.started_at))
    if service.config.get("plainText", False):
        headers, body = {"Content-Type": "text/plain; charset=utf-8"}, text
    token = service.config.get("token", "").strip()
    if token:
        headers["Authorization"] = "Bearer " + token
    return headers, body


def send(url: str, headers: dict[str, str], body: str, failures: int) -> None:
    try:
        status = service.http.fetch(url, {"method": "POST", "headers": headers, "body": body}).status
        problem = "" if 200 <= status < 300 else "it answered %d" % status
        # Whoever says that the request is wrong will say so again.
        is_final = 400 <= status < 500 and status != 429
    except RuntimeError as error:
        problem, is_final = str(error), False
    if not problem:
        return
    if is_final or failures == len(AGAIN_AFTER_MS):
        service.log.error("the notice was not delivered: %s" % problem)
        return
    service.log.warning("the notice was not delivered and is tried again: %s" % problem)
    service.timer.set_timeout(lambda: send(url, headers, body, failures + 1), AGAIN_AFTER_MS[failures])
