"""Plugins: loading and calling one, the memory of one, a start with a hundred, and a chat in which twenty listen.

Loading and calling are measured inside a process (bench/plugin_calls): the server's own code, with a server in memory behind the
host calls. A load is one with what an earlier load has compiled, as every load is but the first, which has a row of its
own; the peer compiles each time, as processes do that are handed text. Everything else is measured on the release binary
from outside. The peer of a plugin is a CPython process with the same SDK and the same plugin behind a pipe
(`bare_plugin.py`), which has no sandbox; the peer of a server with plugins is the same server without.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import chat_load
import plugin_setup
import programs
from rows import row

FOLDER = pathlib.Path(__file__).resolve().parent / "plugin_calls"
PEER = "CPython process"
NONE = "no plugins"
MANY, SOME = 100, 20
# What the first of the many is called.
FIRST_NUMBER = "p000-"
FIRST = f"{FIRST_NUMBER}hears"
SECONDS = 24
LONG_SECONDS = 120
STARTS = 10
SETTLE_SECONDS = 3
# One person says a line in two seconds: well inside the pace that is allowed.
SOCKETS, LINES = 100, 50
TALK_SECONDS = 20
LONG_TALK_SECONDS = 60
TALKS = 3
# Numbers to reach.
LOAD_LIMIT_MS = 10
CALL_LIMIT_US = 60
MEMORY_LIMIT_MB = 10
START_LIMIT_MS = 150
ADDED_LIMIT_MS = 50


def measure(run):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        packages = plugin_setup.write_many(folder / "packages", MANY)
        plugin_setup.write_examples(folder / "examples")
        table = inside(run, folder)
        with plugin_setup.prepared_data(run.binary, packages) as data, plugin_setup.prepared_data(run.binary, []) as empty:
            table += start_rows(run, data, empty, packages)
            table += memory_rows(run, data, empty, packages)
            table.append(own_instance_row(run, empty, folder))
        return table + chat_rows(run, packages[:SOME])


def inside(run, folder):
    """Loading and calling, as bench/plugin_calls measures them."""
    built = programs.build(FOLDER)
    if built is None:
        return []
    engine = output([sys.executable, plugin_setup.ROOT / "scripts" / "engine.py", "build"]).strip()
    seconds = LONG_SECONDS if run.is_long else SECONDS
    command = [built / "plugin_calls", engine, str(seconds)]
    command += [folder / "packages", folder / "examples", "--", *plugin_setup.bare_command()]
    seen = json.loads(output(command))
    print(f"  {seen}", flush=True)
    return [*load_rows(seen), *call_rows(seen["call_us"])]


def output(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def load_rows(seen):
    table = []
    for slug, loads in seen["load_ms"].items():
        us, them = loads["ours"]["p50"], loads["peer"]["p50"]
        name = f"plugin {slug.removeprefix(FIRST_NUMBER)}: load, code kept, ms (median)"
        table.append(row(name, us, them, PEER, limit=LOAD_LIMIT_MS, seen=loads))
        # Once for each package, when it is uploaded: what it is compiled to is kept from then on.
        table.append(row(name.replace("load, code kept,", "first load, compiled,"), loads["first"]["p50"], them, PEER))
    among = seen["load_among_others_ms"]
    alone = seen["load_ms"][FIRST]
    for name in ("p50", "max"):
        # Each is loaded once, and compiled: the slowest one is an accident more often than not.
        goal = LOAD_LIMIT_MS if name == "p50" else None
        peer = alone["peer"][name]
        table.append(row(f"plugins, {MANY} loaded in a row: {name}, ms", among[name], peer, PEER, limit=goal, seen=among))
    return table


def call_rows(calls):
    names = {
        "event": "event: mailbox → handler done",
        "event_with_host_call": "event with a host call",
        "filter": "filter, asked from another thread",
    }
    table = []
    for kind, name in names.items():
        us, them = calls[kind]["ours"], calls[kind]["peer"]
        for percentile in ("p50", "p99"):
            goal = CALL_LIMIT_US if percentile == "p50" and kind != "filter" else None
            title = f"plugin, {name}: {percentile}, µs"
            table.append(row(title, us[percentile], them[percentile], PEER, limit=goal, seen=calls[kind]))
    return table


def start_rows(run, data, empty, packages):
    """In turns, so that whatever else the machine does hits all of them."""
    alone, answered, all_run = [], [], []
    for _ in range(STARTS):
        with plugin_setup.serving(run.binary, empty) as plugin_server:
            alone.append(plugin_server.server.wait_for_200("/api/status") * 1000)
        with plugin_setup.serving(run.binary, data) as plugin_server:
            answered.append(plugin_server.server.wait_for_200("/api/status") * 1000)
            all_run.append(plugin_server.until_running(len(packages)) * 1000)
    with plugin_setup.bare_plugins(packages) as (_, bare):
        pass
    raw = {"raw": answered, "peer_raw": alone}
    limits = {"limit": START_LIMIT_MS + LOAD_LIMIT_MS * len(packages), "raw": all_run}
    name = f"start with {len(packages)} plugins"
    first, last, without = (statistics.median(times) for times in (answered, all_run, alone))
    return [
        row(f"{name} → 200 on /api/status, ms (median)", first, without, NONE, limit=START_LIMIT_MS, **raw),
        row(f"{name} → all of them run, ms (median)", last, bare * 1000, f"{PEER}es", **limits),
    ]


def memory_rows(run, data, empty, packages):
    count = len(packages)
    with plugin_setup.serving(run.binary, empty) as plugin_server:
        plugin_server.until_running(0)
        # Idle is what is measured, so there is nothing to wait for but time.
        time.sleep(SETTLE_SECONDS)
        without = plugin_server.megabytes()
    with plugin_setup.serving(run.binary, data) as plugin_server:
        plugin_server.until_running(count)
        time.sleep(SETTLE_SECONDS)
        loaded = plugin_server.megabytes()
        heard = talk(plugin_server, TALK_SECONDS // 2)
        # The people and their lines take memory too, but nowhere near as much.
        called = plugin_server.megabytes()
        running = len(plugin_server.running())
    with plugin_setup.bare_plugins(packages[:SOME]) as (processes, _):
        theirs = [
            statistics.mean(plugin_setup.memory(process.pid, line) for process in processes) for line in ("Rss:", "Pss:")
        ]
    table = [row(f"plugins that run on one server, of {count}", running, limit=count, more_is_better=True, heard=heard)]
    for when, now in [("loaded", loaded), ("after lines of chat", called)]:
        for place, what in enumerate(("RSS", "PSS")):
            each = (now[place] - without[place]) / max(count, 1)
            more = {"limit": MEMORY_LIMIT_MB, "megabytes": now, "megabytes_without": without}
            name = f"{count} plugins, {when}: memory ({what}) of one, MB"
            table.append(row(name, each, theirs[place], PEER, **more))
    table.append(row(f"{count} plugins, {LINES} lines/s: calls that failed or were lost", lost(heard), limit=0))
    return table


def own_instance_row(run, empty, folder):
    """What a filter costs that does not wait for the rest of its plugin, beside the same filter that does."""

    def idle(data, count):
        with plugin_setup.serving(run.binary, data) as plugin_server:
            plugin_server.until_running(count)
            time.sleep(SETTLE_SECONDS)
            return plugin_server.megabytes()[1]

    without, each = idle(empty, 0), []
    for name, manifest in (("own", {"filterInstance": "own"}), ("shared", {})):
        with plugin_setup.prepared_data(run.binary, plugin_setup.write_filters(folder / name, SOME, **manifest)) as data:
            each.append((idle(data, SOME) - without) / SOME)
    own, shared = each
    return row("a filter with an instance of its own: memory (PSS), MB", own, shared, "one instance", limit=2 * MEMORY_LIMIT_MB)


def chat_rows(run, packages):
    """With plugins and without, in turns."""
    seconds = LONG_TALK_SECONDS if run.is_long else TALK_SECONDS
    with plugin_setup.prepared_data(run.binary, packages) as data, plugin_setup.prepared_data(run.binary, []) as empty:
        having, lacking = [], []
        for _ in range(TALKS):
            for folder, seen, count in ((empty, lacking, 0), (data, having, len(packages))):
                with plugin_setup.serving(run.binary, folder) as plugin_server:
                    plugin_server.until_running(count)
                    seen.append(talk(plugin_server, seconds))
    name = f"chat, {LINES} lines/s, {len(packages)} plugins"
    raw = {"seen": having, "peer_seen": lacking}

    def middles(key):
        return [statistics.median(one["lag_ms"][key] for one in seen) for seen in (having, lacking)]

    def sums(key):
        return [sum(one[key] for one in seen) for seen in (having, lacking)]

    cpu = [sum(one["server_cpu_seconds"] * 1000 / one["sent"] for one in seen) / TALKS for seen in (having, lacking)]
    us, them = middles("p99")
    due = sum(one["sent"] for one in having) * calls_of_a_line(packages)
    made = sum(one["calls"]["total"] for one in having)
    return [
        row(f"{name}: p50, ms", *middles("p50"), NONE, **raw),
        row(f"{name}: p99, ms", us, them, NONE),
        row(f"{name}: p99 they add, ms", us - them, limit=ADDED_LIMIT_MS),
        row(f"{name}: lines lost", *sums("lost"), NONE, limit=0),
        row(f"{name}: lines doubled", *sums("doubled"), NONE, limit=0),
        row(f"{name}: calls made / calls due", made / due, limit=1, more_is_better=True),
        row(f"{name}: calls that failed or were lost", sum(map(lost, having)), limit=0),
        row(f"{name}: CPU ms of a line", *cpu, NONE),
    ]


def calls_of_a_line(packages):
    """Everybody hears it, and some are asked before."""
    return len(packages) + sum("filters" in package.stem for package in packages)


def talk(plugin_server, seconds):
    """What the crowd and the plugins have to say about some seconds of chat."""
    built = programs.build(chat_load.FOLDER)
    if built is None:
        raise RuntimeError("without the crowd there is no chat")
    before = plugin_server.sums()
    with chat_load.people(plugin_server.server, built, SOCKETS) as room:
        seen = room.talk(SOCKETS, LINES, seconds)
    # The last line may still be on its way to the plugins.
    time.sleep(1)
    after = plugin_server.sums()
    return {**seen, "calls": {name: after[name] - before[name] for name in after}}


def lost(seen):
    return sum(seen["calls"][name] for name in ("failed", "dropped"))
