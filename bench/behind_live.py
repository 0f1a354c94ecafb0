"""How far behind live a viewer is: hls.js in Chromium, wall clock minus the date of the shown picture.

The peer is what a server without parts can offer: 2 s segments made by ffmpeg, served by nginx.
"""

import contextlib
import statistics
import time

import peers
import player
import servers
import sources
from rows import row

# The player comes in and catches up first.
WARM_UP_SECONDS = 15
MEASURED_SECONDS = 60
LONG_SECONDS = 300
# Latency level, part length and the median to reach, in seconds.
LEVELS = [(0, 0.2, 1.3), (2, 0.5, 1.6)]
PEER = "ffmpeg + nginx"


def measure(run):
    if not player.is_possible():
        return []
    seconds = LONG_SECONDS if run.is_long else MEASURED_SECONDS
    peer = peer_latency(MEASURED_SECONDS)
    rows = []
    for level, part, limit in LEVELS:
        with servers.rillcast(run.binary, options=["--set", f"latency_level={level}"]) as server:
            server.wait_for_200("/api/status")
            with sources.pushing("b", server.rtmp):
                sources.wait_until_live(server)
                seen = watch(server.url("/hls/stream.m3u8"), seconds)
        name = f"behind live in hls.js, {part} s parts"
        latency = row(f"{name}, s (median of {seconds} s)", seen["p50"], peer and peer["p50"], PEER, limit=limit, seen=seen)
        stalls = row(f"{name}, stalls in {seconds} s", seen["stalls"], peer and peer["stalls"], PEER, limit=0)
        rows += [latency, stalls]
    return rows


def watch(url, seconds):
    with player.playing(url) as viewer:
        time.sleep(WARM_UP_SECONDS + seconds)
        report = viewer.report()
    from_ = report["playingAt"] + WARM_UP_SECONDS * 1000
    latencies = sorted(latency / 1000 for at, latency in report["latencies"] if at >= from_)
    if not latencies:
        raise RuntimeError(f"the picture did not move: {report}")
    late = [stall for stall in report["stalls"] if stall["to"] >= from_]
    stands = 1 if report["standsSince"] else 0
    return {
        "p50": statistics.median(latencies),
        "p95": latencies[len(latencies) * 95 // 100],
        "stalls": len(late) + stands,
        "fatal": report["fatal"],
        "errors": report["errors"],
        "start_ms": report["playingAt"] - report["startedAt"],
        "frames": report["frames"],
    }


def peer_latency(seconds):
    with contextlib.ExitStack() as stack:
        packager = stack.enter_context(peers.ffmpeg_hls())
        if packager is None:
            return None
        server = stack.enter_context(peers.nginx_folder(packager.files))
        if server is None:
            return None
        stack.enter_context(sources.pushing("b", packager.rtmp))
        server.playlist = "/stream.m3u8"
        # Players start three segments back.
        sources.wait_until_live(server, segments=3)
        return watch(server.url(server.playlist), seconds)
