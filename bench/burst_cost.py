"""A stream that comes in as fast as the server takes it: seconds of media per second of processor time.

What a publisher sends after a hiccup of its network comes like this, and it shows the work without the waiting.
"""

import subprocess

import peers
import servers
import sources
from rows import row

# Turns of the source, which is 16 s long: enough that starting is not what is measured.
TURNS = 40
LIMIT = 1_000
DEADLINE = 180


def measure(run):
    with servers.rillcast(run.binary) as server:
        server.wait_for_200("/api/status")
        ours = rate(server)
    with peers.nginx_rtmp() as server:
        theirs = rate(server) if server is not None else None
    with peers.ffmpeg_hls() as server:
        by_ffmpeg = rate(server) if server is not None else None
    name = "media s taken in per CPU s, 1080p30 6 Mb/s sent at once"
    better = {"limit": LIMIT, "more_is_better": True}
    return [row(name, ours, theirs, "nginx-rtmp", **better), row(name, ours, by_ffmpeg, "ffmpeg", **better)]


def rate(server):
    """Children are not counted: pictures are drawn every so often, however much of the stream comes in."""
    # nginx's worker does the work, and it is a child.
    cpu = server.own_cpu_seconds if server.rtmp.endswith(servers.STREAM_KEY) else server.cpu_seconds
    before = cpu()
    command = [peers.program("ffmpeg"), "-nostdin", "-v", "error", "-stream_loop", str(TURNS - 1)]
    command += ["-i", str(sources.source("a")), "-c", "copy", "-f", "flv", server.rtmp]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as push:
        try:
            used = watched(push, cpu, before)
        finally:
            push.kill()
    return TURNS * sources.SECONDS / used


def watched(push, cpu, before):
    """What was used until all was sent; a server may end with its publisher, so it is looked at all the time."""
    used = 0
    for _ in range(DEADLINE * 50):
        used = max(used, cpu() - before)
        try:
            if push.wait(timeout=0.02) != 0:
                raise RuntimeError(f"the publisher was turned away: {push.stderr.read().decode()}")
            return max(used, cpu() - before)
        except subprocess.TimeoutExpired:
            continue
    raise TimeoutError("the stream was not taken in")
