"""From the start of the process to the first answer, and the memory an idle server takes."""

import statistics
import tempfile
import time

import peers
import servers
from rows import row

ROUNDS = 15
SETTLE_SECONDS = 3
# Numbers to reach, in milliseconds and megabytes.
START_LIMIT = 150
MEMORY_LIMIT = 60


def measure(run):
    binary = run.binary
    first = [first_start(binary) for _ in range(ROUNDS)]
    again, memory = later_starts(binary)
    peer_start, peer_memory = peer()
    return [
        middle("first start → 200 on /api/status, ms (median)", first, peer_start, START_LIMIT),
        middle("later start → 200 on /api/status, ms (median)", again, peer_start, START_LIMIT),
        row("idle memory (RSS), MB", memory, peer_memory, "nginx", limit=MEMORY_LIMIT),
    ]


def middle(name, ours, peer_times, limit):
    peer_value = statistics.median(peer_times) if peer_times else None
    raw = {"raw": ours, "peer_raw": peer_times}
    return row(name, statistics.median(ours), peer_value, "nginx", limit=limit, **raw)


def first_start(binary):
    with servers.rillcast(binary) as server:
        return server.wait_for_200("/api/status") * 1000


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
