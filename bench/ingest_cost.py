"""What it costs to take in a minute of 1080p30 at 6 Mb/s and to package it, with nobody watching.

All servers are fed at the same time, so that whatever else the machine does, it does it to all of them.
"""

import contextlib
import time

import peers
import servers
import sources
from rows import row

MEASURED_SECONDS = 60
# Connecting and the first segment are not counted.
SETTLE_SECONDS = 5
# Ours to each of them.
RATIO_LIMITS = {"nginx-rtmp": 0.9, "MediaMTX": 0.6, "ffmpeg": 0.3}


def measure(run):
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(servers.rillcast(run.binary))
        ours.wait_for_200("/api/status")
        starts = {"nginx-rtmp": peers.nginx_rtmp, "MediaMTX": peers.mediamtx, "ffmpeg": peers.ffmpeg_hls}
        others = {name: stack.enter_context(start()) for name, start in starts.items()}
        running = {"ours": ours, **{name: server for name, server in others.items() if server is not None}}
        pictures = ours.cpu_seconds() - ours.own_cpu_seconds()
        costs = feed(running)
        pictures = ours.cpu_seconds() - ours.own_cpu_seconds() - pictures
    name = f"CPU s per {MEASURED_SECONDS} s of 1080p30 6 Mb/s, no viewers"
    rows = [row(name, costs["ours"], costs.get(peer), peer, ratio_limit=limit) for peer, limit in RATIO_LIMITS.items()]
    # The others draw none.
    return [*rows, row(f"CPU s per {MEASURED_SECONDS} s for stills of the stream, by ffmpeg beside it", pictures)]


def feed(running):
    """CPU seconds of each server."""
    with sources.pushing("a", *(server.rtmp for server in running.values())):
        time.sleep(SETTLE_SECONDS)
        if "ours" in running:
            sources.wait_until_live(running["ours"])
        before = {name: cpu(name, server) for name, server in running.items()}
        # A minute of a stream takes a minute.
        time.sleep(MEASURED_SECONDS)
        return {name: cpu(name, server) - before[name] for name, server in running.items()}


def cpu(name, server):
    """Of ours without the stills, of nginx with its worker."""
    return server.own_cpu_seconds() if name == "ours" else server.cpu_seconds()
