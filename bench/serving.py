"""Requests per second, and how long the slowest take, for a playlist and for a part of about 400 kB, against nginx serving the same bytes as files.

The publisher is killed before the measurement: the playlist then stands still in the grace time, and neither server has
to share the cores with a publisher.
"""

import re
import subprocess

import hls
import peers
import servers
import sources
from rows import row

SECONDS = 6
# Those of the first are a goal, the others are told.
CONNECTIONS = [64, 512]
# How long the stream is kept for a publisher that is gone: longer than all rounds together.
GRACE = ["--set", "grace_seconds=300"]
# As wrk calls them.
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000}
RATIO_LIMITS = {"playlist": 1.0, "part": 0.9}


def measure(run):
    with servers.rillcast(run.binary, options=GRACE) as server:
        server.wait_for_200("/api/status")
        with sources.pushing("a", server.rtmp) as (push,):
            sources.wait_until_live(server, segments=4)
            push.kill()
        files = served_files(server)
        ours = rates(server, files, TOOLS)
    rows = []
    for tool, rate in TOOLS.items():
        bodies = dict(files.values())
        with peers.nginx(bodies, http2=tool == "HTTP/2") as server:
            theirs = {}
            if server is not None:
                path = files["playlist"][0]
                server.wait_for_200(path) if tool != "HTTP/2" else servers.wait_for_listener(server.port)
                theirs = rates(server, files, {tool: rate})
        for (name, its_tool, connections), mine in ours.items():
            if its_tool == tool and mine is not None:
                size = len(files[name][1]) / 1000
                title = f"GET {name} of {size:.1f} kB, {tool}, {connections} connections"
                limit = RATIO_LIMITS[name] if connections == CONNECTIONS[0] else None
                other = theirs.get((name, tool, connections))
                rows += compared(title, mine, other, limit)
    return rows


def compared(title, mine, other, limit):
    """What a tool has seen of us and of the peer: a rate, and a slowness where it tells one."""
    rate, slow = mine
    other_rate, other_slow = other or (None, None)
    rows = [row(f"{title}, requests/s", rate, other_rate, "nginx", ratio_limit=limit, more_is_better=True)]
    if slow is not None:
        rows.append(row(f"{title}, p99, ms", slow, other_slow, "nginx"))
    return rows


def rates(server, files, tools):
    """Requests a second and the p99 in ms by what is fetched, how, and over how many connections."""
    return {
        (name, tool, connections): rate(server, path, connections)
        for name, (path, _) in files.items()
        for tool, rate in tools.items()
        for connections in CONNECTIONS
    }


def served_files(server):
    """The video playlist and its newest whole part, by name: (path, bytes)."""
    status, playlist = server.get(server.playlist)
    if status != 200:
        raise RuntimeError(f"the playlist was answered with {status} after its publisher was gone")
    listed, _ = hls.parts(playlist.decode())
    path = hls.resolve(server.playlist, listed[-2][2])
    status, part = server.get(path)
    if status != 200:
        raise RuntimeError(f"the part was answered with {status}")
    return {"playlist": (server.playlist, playlist), "part": (path, part)}


def by_wrk(server, path, connections):
    wrk = peers.program("wrk")
    if wrk is None:
        print("wrk is missing: no rates over HTTP/1.1")
        return None
    command = [wrk, "-t1", "--latency", f"-c{connections}", f"-d{SECONDS}s", server.url(path)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS + 30).stdout
    if "Non-2xx" in output:
        raise RuntimeError(f"{path} was refused under load: {output}")
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1)), float(value) * MILLISECONDS[unit]


def by_h2load(server, path, connections):
    h2load = peers.program("h2load")
    if h2load is None:
        print("h2load is missing: no rates over HTTP/2")
        return None
    command = [h2load, "-c", str(connections), "-m", "1", "-D", str(SECONDS), server.url(path)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS + 30).stdout
    failed = re.search(r"(\d+) failed, (\d+) errored", output)
    if failed is None or failed.groups() != ("0", "0"):
        raise RuntimeError(f"{path} was refused under load: {output}")
    return float(re.search(r"finished in [^,]+, ([\d.]+) req/s", output).group(1)), None


TOOLS = {"HTTP/1.1": by_wrk, "HTTP/2": by_h2load}
