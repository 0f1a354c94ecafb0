from __future__ import annotations

import functools
import hashlib
import hmac
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import page
from service_plugin import auth_check, plugin, service

if TYPE_CHECKING:
    from service_plugin.types import AuthRequest, AuthVerdict, Request

# Guessing: so many tries per address are free, then one has to wait.
FREE_TRIES = 5
WAIT_SECONDS = 60
MAX_ADDRESSES = 1000
MAX_NAME = 30

# No session lasts longer on the server, so whoever came before that is forgotten.
KEPT_SECONDS = 31 * 24 * 60 * 60

service.sql.exec(
    "CREATE TABLE IF NOT EXISTS viewers (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT, mark TEXT, at INTEGER)"
)

failures: dict[str, tuple[int, float]] = {}


@plugin.get("/")
def form(req: Request) -> dict[str, object]:
    return page.form(200, where_to(req.query.get("return_to")), service.config.get("hint", ""))


@plugin.post("/")
def enter(req: Request) -> dict[str, object]:
    sent = {name: values[0] for name, values in parse_qs(req.body).items()}
    target = where_to(sent.get("return_to"))
    hint = service.config.get("hint", "")
    password = service.config.get("password", "")
    if not password:
        return page.form(503, target, hint, "The operator has not set a password yet.")
    address = (req.remote_addr or "").rpartition(":")[0]
    if must_wait(address):
        return page.form(429, target, hint, "Too many tries. Please wait a minute.")
    if not hmac.compare_digest(sent.get("password", "").encode(), password.encode()):
        count_failure(address)
        return page.form(403, target, hint, "That is not the password.")
    failures.pop(address, None)
    try:
        let_in(" ".join(sent.get("name", "").split())[:MAX_NAME], mark(password))
    except RuntimeError as error:
        service.log.warning("somebody who knows the password could not be let in: %s" % error)
        return page.form(503, target, hint, "Nobody can be let in at the moment. Please try again in a minute.")
    return {"status": 303, "headers": {"Location": target}}


@plugin.post("/leave")
def leave(req: Request) -> dict[str, object]:
    service.auth.end_session()
    return {"status": 303, "headers": {"Location": "/"}}


@plugin.on_auth_check
def still_welcome(check: AuthRequest) -> AuthVerdict:
    """Whoever came in with a password that is not the password any more has to sign in again."""
    row = service.sql.query_row("SELECT mark FROM viewers WHERE user_id = ?", [check.user.id])
    if row is None or row["mark"] != mark(service.config.get("password", "")):
        return auth_check.deny("The password has changed.")
    return auth_check.ok()


def let_in(name: str, mark: str) -> None:
    service.sql.exec("DELETE FROM viewers WHERE mark <> ? OR at < ?", [mark, int(time.time()) - KEPT_SECONDS])
    added = service.sql.exec("INSERT INTO viewers (mark, at) VALUES (?, ?)", [mark, int(time.time())])
    number = added["lastInsertId"]
    user = service.users.register("viewer-%d" % number, display_name=name or None)
    service.sql.exec("UPDATE viewers SET user_id = ? WHERE id = ?", [user.user_id, number])
    service.auth.grant_session(user.user_id, int(service.config.get("hours", 24) * 3600))


@functools.lru_cache(maxsize=1)
def mark(password: str) -> str:
    """Tells one password from the next without keeping either. Slow on purpose, and remembered."""
    digest = b"password-gate"
    for _ in range(5000):
        digest = hashlib.sha256(digest + password.encode()).digest()
    return digest.hex()


def where_to(asked: str | None) -> str:
    """Back to where the viewer wanted to go, if that is a page of this server."""
    if not asked or not asked.isprintable():
        return "/"
    is_own = asked.startswith("/") and not asked.startswith(("//", "/\\"))
    return asked if is_own else "/"


def must_wait(address: str) -> bool:
    count, last = failures.get(address, (0, 0))
    return count >= FREE_TRIES and time.monotonic() - last < WAIT_SECONDS


def count_failure(address: str) -> None:
    if len(failures) >= MAX_ADDRESSES:
        failures.clear()
    failures[address] = (failures.get(address, (0, 0))[0] + 1, time.monotonic())
