"""A thousand hostile publishers (hostile_publishers.py), while one publishes, a crowd watches and people chat.

They are half open, slow, or send garbage, and come back as soon as they are sent away, from 250 addresses. The peer is the
same server without them, measured in the same run.
"""

import concurrent.futures
import contextlib
import json
import pathlib
import subprocess
import sys
import time
import urllib.parse

import chat_load
import crowd
import memory
import programs
import rtmp
import servers
import sources
from rows import row

STRANGERS, ADDRESSES = 1_000, 250
# As many as watch where nobody disturbs them.
VIEWERS = crowd.VIEWERS
# Latency level and the length of its parts.
LEVEL, PART_MS = 2, 500
WATCH_SECONDS = 20
LONG_SECONDS = 60
ALONE_SECONDS = 15
# Sockets, lines per second of all together.
CHAT = (50, 5)
# Publishers that come in while the others stand in the way, and how long each of them tries.
COMING, COMING_SECONDS = 5, 20
CPU_LIMIT_PERCENT = 5
MEMORY_LIMIT_MB = 32
# What a viewer costs with them, of what it costs without: the same, as far as twenty seconds can tell.
CPU_RATIO_LIMIT = 1.1
WITHOUT = "without"
PROGRAM = pathlib.Path(__file__).resolve().parent / "hostile_publishers.py"


def measure(run):
    viewers, chatters = programs.build(crowd.FOLDER), programs.build(chat_load.FOLDER)
    if viewers is None or chatters is None:
        return []
    programs.raise_file_limit(VIEWERS * 2 + STRANGERS * 2 + 1000)
    seconds = LONG_SECONDS if run.is_long else WATCH_SECONDS
    options = ["--set", f"latency_level={LEVEL}"]
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(servers.rillcast(run.binary, options=options))
        server.wait_for_200("/api/status")
        room = stack.enter_context(chat_load.people(server, chatters, CHAT[0]))
        publisher = stack.enter_context(rtmp.Publisher(server.rtmp, sources.source("b")))
        sources.wait_until_live(server, segments=3)
        # What the first viewers and the first lines need is not needed again.
        observe(server, room, viewers / "viewers", 3)
        quiet = phase(server, room, viewers / "viewers", seconds)
        with strangers(server) as hostile:
            loud = phase(server, room, viewers / "viewers", seconds)
            loud["coming"] = [come_in(server) for _ in range(COMING)]
        loud["strangers"] = hostile
        loud["left_mb"] = memory_left(server, quiet["alone_mb"])
        if publisher.problem is not None:
            raise publisher.problem
    print(f"  {json.dumps(loud)}", flush=True)
    return table(loud, quiet)


def phase(server, room, program, seconds):
    """What the server needs when nobody watches, and then what everybody sees."""
    before, began = server.own_cpu_seconds(), time.perf_counter()
    alone_mb = memory.peak_while(server.own_resident_megabytes, lambda: time.sleep(ALONE_SECONDS))
    cores = (server.own_cpu_seconds() - before) / (time.perf_counter() - began)
    return {"cores": cores, "alone_mb": alone_mb, **observe(server, room, program, seconds)}


def observe(server, room, program, seconds):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        talking = pool.submit(room.talk, *CHAT, seconds)
        seen = crowd.watch(program, server, VIEWERS, seconds)
        return {"seen": seen, "chat": talking.result()}


@contextlib.contextmanager
def strangers(server):
    """The crowd, once all have tried to come in; its report is there when it has gone."""
    port = urllib.parse.urlsplit(server.rtmp).port
    command = [sys.executable, str(PROGRAM), str(port), str(STRANGERS), str(ADDRESSES)]
    report = {}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        yield report
        process.stdin.close()
        report |= json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def come_in(server):
    """Seconds until a publisher hears an answer to its key, whatever it is; as software does, it tries again each second.

    There is a publisher already, so the answer is a refusal with the reason; getting it is what counts.
    """
    began = time.perf_counter()
    while time.perf_counter() - began < COMING_SECONDS:
        asking = rtmp.Publisher(server.rtmp, sources.source("b"))
        with contextlib.suppress(OSError):
            asking.publish_once()
            return time.perf_counter() - began
        time.sleep(1)
    return None


def memory_left(server, before):
    """Megabytes that are still taken when they have gone, after the server's patience with the last ones is over."""
    deadline = time.perf_counter() + 15
    left = server.own_resident_megabytes() - before
    while left > 0 and time.perf_counter() < deadline:
        time.sleep(0.5)
        left = min(left, server.own_resident_megabytes() - before)
    return max(left, 0)


def table(loud, quiet):
    title = f"{STRANGERS} hostile publishers"
    added = (loud["cores"] - quiet["cores"]) * 100
    grown = loud["alone_mb"] - quiet["alone_mb"]
    seen, before = loud["seen"], quiet["seen"]
    watching = f"{title}, {VIEWERS} viewers"
    talking = f"{title}, chat of {CHAT[0]}"
    answered = [one for one in loud["coming"] if one is not None]
    return [
        row(f"{title}: CPU they take, % of a core", added, limit=CPU_LIMIT_PERCENT, seen=loud, peer_seen=quiet),
        row(f"{title}: memory they take, MB", grown, limit=MEMORY_LIMIT_MB),
        row(f"{title}: memory left when they have gone, MB", loud["left_mb"], limit=MEMORY_LIMIT_MB),
        row(f"{watching}: part lag p99, ms", seen["lag_ms"]["p99"], before["lag_ms"]["p99"], WITHOUT, limit=PART_MS),
        row(f"{watching}: errors", seen["errors"], before["errors"], WITHOUT, limit=0),
        row(
            f"{watching}: share of parts fetched",
            seen["share_fetched"],
            before["share_fetched"],
            WITHOUT,
            limit=crowd.SHARE_LIMIT,
            more_is_better=True,
        ),
        row(
            f"{watching}: server CPU ms per viewer-minute",
            crowd.cpu_per_viewer_minute(seen),
            crowd.cpu_per_viewer_minute(before),
            WITHOUT,
            ratio_limit=CPU_RATIO_LIMIT,
        ),
        row(f"{talking}: p99, ms", loud["chat"]["lag_ms"]["p99"], quiet["chat"]["lag_ms"]["p99"], WITHOUT),
        row(f"{talking}: lines lost", loud["chat"]["lost"], quiet["chat"]["lost"], WITHOUT, limit=0),
        row(f"{title}: of {COMING} who come in, those who get an answer", len(answered), more_is_better=True),
        row(f"{title}: slowest answer to them, s", max(answered) if answered else None),
    ]
