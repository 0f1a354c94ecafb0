"""From the start of the process to the first answer, and the memory an idle server takes.

A first start has an empty folder: nothing of the engine of plugins is unpacked anywhere.
"""

import pathlib
import statistics
import tempfile
import time

import chat_load
import peers
import plugin_setup
import servers
from rows import row

ROUNDS = 15
SETTLE_SECONDS = 3
# Numbers to reach, in milliseconds and megabytes.
START_LIMIT = 150
PLUGIN_LIMIT = 1000
MEMORY_LIMIT = 60
PEAK_LIMIT = 80
# One that comes with the server.
PLUGIN = "dice"


def measure(run):
    binary = run.binary
    first = [first_start(binary) for _ in range(ROUNDS)]
    answers, plugins, peaks = zip(*first)
    again, memory = later_starts(binary)
    peer_start, peer_memory = peer()
    return [
        middle("first start → 200 on /api/status, ms (median)", answers, peer_start, START_LIMIT),
        middle("first start → an included plugin runs, ms (median)", plugins, peer_start, PLUGIN_LIMIT),
        row("first start, plugin included: peak memory, MB", max(peaks), peer_memory, "nginx", limit=PEAK_LIMIT, raw=peaks),
        middle("later start → 200 on /api/status, ms (median)", again, peer_start, START_LIMIT),
        row("idle memory (RSS), MB", memory, peer_memory, "nginx", limit=MEMORY_LIMIT),
    ]


def middle(name, ours, peer_times, limit):
    peer_value = statistics.median(peer_times) if peer_times else None
    raw = {"raw": ours, "peer_raw": peer_times}
    return row(name, statistics.median(ours), peer_value, "nginx", limit=limit, **raw)


def first_start(binary):
    """Milliseconds to the first answer and until a plugin runs that is enabled at once, and the most memory since."""
    with tempfile.TemporaryDirectory() as data:
        options = ["--admin-password", chat_load.PASSWORD, "--plugin-engine-cache", f"{data}/engine"]
        with servers.rillcast(binary, data, options) as server:
            plugin_server = plugin_setup.PluginServer(server)
            answered = server.wait_for_200("/api/status")
            plugin_server.ask(f"/{PLUGIN}/enable", b"")
            runs = plugin_server.until_running(1)
            return answered * 1000, runs * 1000, peak_megabytes(server)


def peak_megabytes(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


def later_starts(binary):
    with tempfile.TemporaryDirectory() as data:
        times = []
        for _ in range(ROUNDS):
            with servers.rillcast(binary, data) as server:
                times.append(server.wait_for_200("/api/status") * 1000)
        with servers.rillcast(binary, data) as server:
            server.wait_for_200("/api/status")
            # Idle is what is measured, so there is nothing to wait for but time.
            time.sleep(SETTLE_SECONDS)
            return times[1:], server.resident_megabytes()


def peer():
    times = []
    memory = None
    for _ in range(ROUNDS):
        with peers.nginx({"/api/status": b"{}"}) as server:
            if server is None:
                return None, None
            times.append(server.wait_for_200("/api/status") * 1000)
            memory = server.resident_megabytes()
    return times, memory
