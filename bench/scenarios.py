"""The tests of a plugin: a hundred scenarios, from the start of the command to its last line.

Every scenario has an instance of its own, so this is how long an author waits for what a hundred fresh plugins say. The
engine was unpacked and played once before. The peer is what starting a bare CPython process costs for each of them, as many
at once: `python3 -c pass`, which knows nothing of a plugin yet.
"""

import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import plugin_setup
from rows import row

COUNT = 100
RUNS, LONG_RUNS = 5, 20
PEER = "bare CPython starts"
# The number to reach.
LIMIT_SECONDS = 2
MANIFEST = {"api": "1", "name": "Tried", "slug": "tried", "version": "1", "permissions": ["chat.send", "storage.kv"]}
SOURCE = '''from service_plugin import plugin, service


@plugin.on_chat_message
def greet(msg):
    count = int(service.kv.get("count") or 0) + 1
    service.kv.set("count", count)
    service.chat.send("Hello, %s! You are number %d." % (msg.user.display_name, count))
'''


def measure(run):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write(folder)
        play(run.binary, folder, [])
        runs = LONG_RUNS if run.is_long else RUNS
        seen = {"all": [], "one": [], "starts": [], "starts_one": []}
        # In turns, so that whatever else the machine does hits all of them.
        for _ in range(runs):
            seen["all"].append(play(run.binary, folder, []))
            seen["starts"].append(start_many(os.cpu_count() or 1))
            seen["one"].append(play(run.binary, folder, ["--jobs", "1"]))
            seen["starts_one"].append(start_many(1))
    middle = {name: statistics.median(times) for name, times in seen.items()}
    raw = {"raw": seen["all"], "peer_raw": seen["starts"]}
    alone = {"raw": seen["one"], "peer_raw": seen["starts_one"]}
    name = f"{COUNT} scenarios of one plugin"
    return [
        row(f"{name}: seconds (median)", middle["all"], middle["starts"], PEER, limit=LIMIT_SECONDS, **raw),
        row(f"{name}, one after the other: seconds (median)", middle["one"], middle["starts_one"], PEER, **alone),
    ]


def write(folder):
    """A project as its author has it."""
    for name in ("src", "__tests__"):
        (folder / name).mkdir()
    (folder / "plugin.manifest.json").write_text(json.dumps(MANIFEST))
    (folder / "src" / "plugin.py").write_text(SOURCE)
    (folder / "__tests__" / "many.test.json").write_text(json.dumps([scenario(number) for number in range(COUNT)]))


def scenario(number):
    user = {"id": f"u-{number}", "displayName": f"viewer {number}"}
    message = {"id": "m-1", "user": user, "clientId": 4, "body": "hi", "timestamp": "2026-03-02T19:04:05Z"}
    return {
        "name": f"viewer {number} is greeted",
        "given": {"kv": {"count": str(number)}},
        "events": [{"event": "chat.message.received", "payload": message}],
        "expect": {
            "chatSends": [f"Hello, viewer {number}! You are number {number + 1}."],
            "kv": {"count": str(number + 1)},
        },
    }


def play(binary, folder, flags):
    """Seconds of the whole command; all scenarios must pass."""
    environment = {**os.environ, "RILLCAST_PLUGIN_ENGINE_CACHE": str(plugin_setup.engine_cache())}
    command = [str(binary), "plugin", "test", *flags, str(folder)]
    begin = time.perf_counter()
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    seconds = time.perf_counter() - begin
    last = told.stdout.splitlines()[-1:]
    if told.returncode != 0 or last != [f"{COUNT}/{COUNT} passed"]:
        raise RuntimeError(f"the scenarios did not pass: {told.stdout[-2000:]}")
    return seconds


def start_many(at_once):
    """Seconds until as many processes as there are scenarios have started and ended."""
    command = [sys.executable, "-c", "pass"]
    begin = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for one in [pool.submit(subprocess.run, command, check=True) for _ in range(COUNT)]:
            one.result()
    return time.perf_counter() - begin
