"""Bots that call the integrations API at a constant rate (bench/chatters), while people and programs listen.

Each bot has a token and a connection of its own and makes all kinds of calls in turn. A call's time runs from the moment
it was due, not from the moment it could be made, so that a server that stands still is seen.
The peer is nginx with our own answers as files, at the same rate: it looks up no token, stores no line and tells nobody.
It says what the machine, the connections and the generator need by themselves.
"""

import base64
import contextlib
import json
import pathlib
import tempfile
import time
import urllib.request

import chat_load
import peers
import programs
import servers
from rows import row

PEER = "nginx"
BOTS, CALLS_PER_BOT = 200, 5
CHAT_SOCKETS, EVENT_SOCKETS = 100, 20
MEASURED_SECONDS = 20
LONG_SECONDS = 60
LIMIT_MS = 100
SCOPES = ["CAN_SEND_MESSAGES", "CAN_SEND_SYSTEM_MESSAGES", "HAS_ADMIN_ACCESS"]
API = "/api/integrations"
READ = [f"{API}/status", f"{API}/clients", f"{API}/chat"]
WRITTEN = {
    f"{API}/chat/send": {"body": "a line for the peer"},
    f"{API}/chat/system": {"body": "a line for the peer"},
    f"{API}/chat/messagevisibility": {"idArray": ["AAAAAAAAAAAA"], "visible": True},
}
# Bots, sockets and what the server itself has open, with room to spare.
FILES = 4096


def measure(run):
    built = programs.build(chat_load.FOLDER)
    if built is None:
        return []
    programs.raise_file_limit(FILES)
    seconds = LONG_SECONDS if run.is_long else MEASURED_SECONDS
    with tempfile.TemporaryDirectory() as folder:
        secrets = pathlib.Path(folder) / "secrets"
        with our_room(run.binary, built, secrets) as (room, spare_secret):
            answers = {}

            def keep_answers():
                # In the middle of it, when the lists are as long as they get.
                time.sleep(seconds / 2)
                answers.update(answers_of(room.server, spare_secret))

            ours = calls(room, secrets, seconds, meanwhile=keep_answers)
        theirs = None
        files = {path: answers[path] for path in READ}
        fixed = {path: answers[path].decode() for path in WRITTEN}
        with peers.nginx(files, fixed=fixed) as server:
            if server is not None:
                server.wait_for_200(READ[0])
                theirs = calls(chat_load.Room(server, built, None), secrets, seconds, "--alone")
    tell("ours", ours)
    tell(PEER, theirs)
    return [*call_rows(ours, theirs), *line_rows(ours)]


def calls(room, secrets, seconds, *more, **options):
    rate = BOTS * CALLS_PER_BOT
    more += ("--rate", str(rate), "--bots", str(BOTS), "--events", str(EVENT_SOCKETS), "--secrets", str(secrets))
    return room.crowd("bots", CHAT_SOCKETS, seconds, *more, **options)


def tell(name, seen):
    if seen is not None:
        by_call = ", ".join(f"{call} {lags['p99']}" for call, lags in seen["by_call_ms"].items())
        print(f"{name}: statuses {seen['statuses']}; p99 in ms: {by_call}; {seen['complaints'] or 'no complaints'}")


def call_rows(ours, theirs):
    name = f"{BOTS} bots, {CALLS_PER_BOT} calls/s each"

    def of(path):
        """Our number and the peer's."""
        found = []
        for seen in (ours, theirs):
            for key in path.split("."):
                seen = seen and seen[key]
            found.append(seen)
        return found

    table = []
    for percentile in ["p50", "p99", "p999"]:
        limit = LIMIT_MS if percentile == "p99" else None
        both = of(f"lag_ms.{percentile}")
        table.append(row(f"{name}: {percentile}, ms", *both, PEER, limit=limit, seen=ours, peer_seen=theirs))
    cpu = [seen and seen["server_cpu_seconds"] * 1e6 / seen["calls"] for seen in (ours, theirs)]
    return [
        *table,
        row(f"{name}: errors", *of("errors"), PEER, limit=0),
        row(f"{name}: made late by the generator, p99, ms", *of("own_ms.p99"), PEER),
        row(f"{name}: CPU µs per call", *cpu, PEER),
    ]


def line_rows(ours):
    table = []
    for key, kind, sockets in [("chat", "chat", CHAT_SOCKETS), ("events", "event", EVENT_SOCKETS)]:
        name, seen = f"{BOTS} bots, {sockets} {kind} sockets", ours[key]
        table += [
            row(f"{name}: lines lost", seen["lost"], limit=0),
            row(f"{name}: lines doubled", seen["doubled"], limit=0),
            row(f"{name}: call due to line heard, p99, ms", seen["lag_ms"]["p99"]),
        ]
    return table


@contextlib.contextmanager
def our_room(binary, built, secrets):
    """A server with people and tokens made, and the secret of a token that no bot uses."""
    options = ["--admin-password", chat_load.PASSWORD]
    with servers.rillcast(binary, options=options) as server:
        server.wait_for_200("/api/status")
        with chat_load.people(server, built, CHAT_SOCKETS) as room:
            made = [new_secret(server, number) for number in range(BOTS + EVENT_SOCKETS + 1)]
            secrets.write_text("\n".join(made[:-1]) + "\n")
            yield room, made[-1]


def new_secret(server, number):
    credentials = base64.b64encode(f"admin:{chat_load.PASSWORD}".encode()).decode()
    wish = {"name": f"bot {number}", "scopes": SCOPES}
    answer = ask(server, "/api/admin/accesstokens/create", f"Basic {credentials}", wish)
    return json.loads(answer)["accessToken"]


def answers_of(server, secret):
    """What each call is answered with, by path."""
    bodies = {**dict.fromkeys(READ), **WRITTEN}
    return {path: ask(server, path, f"Bearer {secret}", body) for path, body in bodies.items()}


def ask(server, path, authorization, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server.url(path), data, {"Content-Type": "application/json"})
    request.add_header("Authorization", authorization)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()
