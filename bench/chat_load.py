"""Many people in the chat (bench/chatters): memory of a socket, how late lines are, how fast people come in.

The peer is the least that can be called a chat (bench/chatters/src/bin/bare.rs): the same libraries, the same bytes, and
no store, names, filters or limits. It says what the machine and the libraries need by themselves.
"""

import base64
import contextlib
import dataclasses
import json
import pathlib
import subprocess
import tempfile
import urllib.request

import programs
import servers
import sources
from rows import row

FOLDER = pathlib.Path(__file__).resolve().parent / "chatters"
PEER = "bare broadcast"
PASSWORD = "bench-password-0123456789"
SOCKETS = 10_000
# The first ones need what is not needed again.
WARM_SOCKETS = 100
IDLE_SECONDS = 5
MEASURED_SECONDS = 20
LONG_SECONDS = 60
JOINS, JOIN_SECONDS = 5_000, 10
# Sockets, lines per second of all together.
CALM = (10_000, 10)
BUSY = (2_000, 100)
# With a tenth that does not read; lines enough to fill what the system keeps for them, so that they are sent away.
STUCK = (2_000, 50)
SOCKET_LIMIT_KB = 12
CALM_LIMIT_MS = 250
JOIN_LIMIT_MS = 2_000
STUCK_LIMIT = 1.2


@dataclasses.dataclass(frozen=True)
class Room:
    """A server with a chat, and the tokens of those who come."""

    server: servers.Server
    built: pathlib.Path
    tokens: pathlib.Path | None

    def address(self):
        return f"127.0.0.1:{self.server.port}"

    def crowd(self, task, sockets, seconds, *more, meanwhile=lambda: None):
        """What the crowd reports, with the processor time the server took; `meanwhile` is called while it is measured."""
        command = [str(self.built / "chatters"), task, "--server", self.address()]
        command += ["--sockets", str(sockets), "--seconds", str(seconds), *more]
        command += ["--tokens", str(self.tokens)] if self.tokens else []
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                report = ""
                if process.stdout.readline():
                    before = self.server.cpu_seconds()
                    meanwhile()
                    report = process.stdout.readline()
                    cpu = self.server.cpu_seconds() - before
                problem = process.stderr.read()
            finally:
                process.kill()
        if problem or not report:
            raise RuntimeError(problem.strip() or "the crowd said nothing")
        return {**json.loads(report), "server_cpu_seconds": cpu}

    def sent_away(self):
        """How many did not read fast enough so far, by the server's own count; None where it does not count."""
        if self.tokens is None:
            return None
        credentials = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        request = urllib.request.Request(self.server.url("/api/admin/prometheus"))
        request.add_header("Authorization", f"Basic {credentials}")
        with urllib.request.urlopen(request, timeout=20) as answer:
            lines = answer.read().decode().splitlines()
        counted = [line for line in lines if line.startswith("rillcast_chat_dismissed_total") and "too slow" in line]
        return sum(int(float(line.split()[-1])) for line in counted)

    def talk(self, sockets, rate, seconds, *more):
        return self.crowd("talk", sockets, seconds, "--rate", str(rate), *more)


def measure(run):
    built = programs.build(FOLDER)
    if built is None:
        return []
    programs.raise_file_limit(SOCKETS * 2)
    seconds = LONG_SECONDS if run.is_long else MEASURED_SECONDS
    with our_room(run.binary, built) as room:
        ours = all_of(room, seconds)
        # When a stream is on, everybody who comes is told of, and written down.
        with sources.pushing("b", room.server.rtmp):
            sources.wait_until_live(room.server)
            ours["live_join"] = room.crowd("join", JOINS, JOIN_SECONDS)
    with bare_room(built) as room:
        theirs = all_of(room, seconds)
    return [*memory_rows(ours, theirs), *line_rows(ours, theirs), *join_rows(ours, theirs), *stuck_rows(ours, theirs)]


def all_of(room, seconds):
    """Everything that is measured, of one server."""
    tenth = str(STUCK[0] // 10)
    return {
        "socket_kb": kilobytes_per_socket(room),
        "calm": room.talk(*CALM, seconds),
        "busy": room.talk(*BUSY, seconds),
        "join": room.crowd("join", JOINS, JOIN_SECONDS),
        "reading": room.talk(*STUCK, seconds, "--aside", tenth),
        "stuck": {**room.talk(*STUCK, seconds, "--aside", tenth, "--stuck"), "sent_away": room.sent_away()},
    }


def kilobytes_per_socket(room):
    room.crowd("idle", WARM_SOCKETS, 1)
    before = room.server.resident_megabytes()
    seen = []
    room.crowd("idle", SOCKETS, IDLE_SECONDS, meanwhile=lambda: seen.append(room.server.resident_megabytes()))
    return (seen[0] - before) * 1024 / SOCKETS


def memory_rows(ours, theirs):
    name = f"chat, {SOCKETS} idle sockets: memory of one, KiB"
    return [row(name, ours["socket_kb"], theirs["socket_kb"], PEER, limit=SOCKET_LIMIT_KB)]


def line_rows(ours, theirs):
    rows = []
    for kind, (sockets, rate), limit in [("calm", CALM, CALM_LIMIT_MS), ("busy", BUSY, None)]:
        name = f"chat, {sockets} sockets, {rate} lines/s"
        us, them = ours[kind], theirs[kind]
        for percentile in ["p50", "p99", "p999"]:
            goal = limit if percentile == "p99" else None
            mine, other = us["lag_ms"][percentile], them["lag_ms"][percentile]
            rows.append(row(f"{name}: {percentile}, ms", mine, other, PEER, limit=goal, seen=us, peer_seen=them))
        rows += [
            row(f"{name}: lines lost", us["lost"], them["lost"], PEER, limit=0),
            row(f"{name}: lines doubled", us["doubled"], them["doubled"], PEER, limit=0),
            row(f"{name}: different orders", us["orders"], them["orders"], PEER, limit=1),
            row(f"{name}: connections lost", us["errors"], them["errors"], PEER, limit=0),
            row(f"{name}: CPU µs per line heard", cpu_each(us), cpu_each(them), PEER),
        ]
    return rows


def cpu_each(seen):
    return seen["server_cpu_seconds"] * 1e6 / max(seen["heard"], 1)


def join_rows(ours, theirs):
    """With history; the peer knows no stream, so its number is the same both times."""
    rows = []
    them = theirs["join"]
    for kind, where in [("join", ""), ("live_join", ", live")]:
        name = f"chat, {JOINS} come in within {JOIN_SECONDS} s{where}"
        us = ours[kind]
        rows += [
            row(f"{name}: p50, ms", us["lag_ms"]["p50"], them["lag_ms"]["p50"], PEER, seen=us, peer_seen=them),
            row(f"{name}: p99, ms", us["lag_ms"]["p99"], them["lag_ms"]["p99"], PEER, limit=JOIN_LIMIT_MS),
            row(f"{name}: errors", us["errors"], them["errors"], PEER, limit=0),
        ]
    return rows


def stuck_rows(ours, theirs):
    """About the nine tenths that read. In the first row the peer's number is the same quotient of its own two runs."""
    sockets, rate = STUCK
    name = f"chat, {sockets} sockets, {rate} lines/s, a tenth stuck"
    worse = [each["stuck"]["lag_ms"]["p99"] / each["reading"]["lag_ms"]["p99"] for each in (ours, theirs)]
    us, before = ours["stuck"], ours["reading"]
    return [
        row(f"{name}: p99 / without", *worse, PEER, limit=STUCK_LIMIT, seen=us, without=before),
        row(f"{name}: p99, ms", us["lag_ms"]["p99"], theirs["stuck"]["lag_ms"]["p99"], PEER),
        row(f"{name}: lines lost", us["lost"], theirs["stuck"]["lost"], PEER, limit=0),
    ]


@contextlib.contextmanager
def our_room(binary, built):
    with servers.rillcast(binary, options=["--admin-password", PASSWORD]) as server:
        server.wait_for_200("/api/status")
        with people(server, built, SOCKETS) as room:
            # As many lines as a page gets when it is opened.
            room.talk(WARM_SOCKETS, 20, 3)
            yield room


@contextlib.contextmanager
def people(server, built, count):
    """A room with that many people, who are made before anything is measured."""
    with tempfile.TemporaryDirectory() as folder:
        tokens = pathlib.Path(folder) / "tokens"
        command = [str(built / "chatters"), "register", "--server", f"127.0.0.1:{server.port}"]
        with tokens.open("w") as file:
            subprocess.run([*command, "--sockets", str(count)], stdout=file, check=True)
        yield Room(server, built, tokens)


@contextlib.contextmanager
def bare_room(built):
    with tempfile.TemporaryDirectory() as folder:
        port = servers.free_port()
        with servers.running([str(built / "bare"), str(port)], port, folder) as server:
            server.wait_for_200("/api/status")
            yield Room(server, built, None)

