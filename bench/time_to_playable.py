"""From the publisher's connection to the first part and to the first segment that a viewer can see."""

import contextlib
import statistics
import time

import hls
import peers
import rtmp
import servers
import sources
from rows import row

ROUNDS = 5
DEADLINE = 20
POLL_SECONDS = 0.005
# Milliseconds: the part target of latency level 2, the group of pictures of the source, and what we allow ourselves.
PART_LIMIT = 500 + 100
SEGMENT_LIMIT = 2000 + 150


def measure(run):
    ours = [our_round(run.binary) for _ in range(ROUNDS)]
    first_parts = [part for part, _ in ours]
    first_segments = [segment for _, segment in ours]
    by_nginx = peer_rounds(peers.nginx_rtmp, over_http)
    by_ffmpeg = peer_rounds(peers.ffmpeg_hls, over_files)
    part = "publisher connected → first part listed, ms (median)"
    segment = "publisher connected → first segment listed, ms (median)"
    return [
        middle(part, first_parts, None, None, PART_LIMIT),
        middle(segment, first_segments, by_nginx, "nginx-rtmp", SEGMENT_LIMIT),
        middle(segment, first_segments, by_ffmpeg, "ffmpeg", SEGMENT_LIMIT),
    ]


def middle(name, times, peer_times, peer_name, limit):
    peer = statistics.median(peer_times) if peer_times else None
    return row(name, statistics.median(times), peer, peer_name, limit=limit, raw=times, peer_raw=peer_times)


def our_round(binary):
    with servers.rillcast(binary) as server:
        server.wait_for_200("/api/status")
        with rtmp.Publisher(server.rtmp, sources.source("b")) as publisher:
            look = over_http(server)
            part = wait(publisher, look, lambda text: len(hls.parts(text)[0]) > 0)
            return part, wait(publisher, look, lambda text: len(hls.segments(text)) > 0)


def peer_rounds(start, looking):
    times = []
    for _ in range(ROUNDS):
        with start() as server:
            if server is None:
                return None
            with rtmp.Publisher(server.rtmp, sources.source("b")) as publisher:
                times.append(wait(publisher, looking(server), lambda text: len(hls.segments(text)) > 0))
    return times


def over_http(server):
    viewer = hls.Viewer(server)
    return lambda: viewer.text(server.playlist)[0]


def over_files(server):
    def look():
        with contextlib.suppress(FileNotFoundError):
            return (server.files / "stream.m3u8").read_text()
        return None

    return look


def wait(publisher, look, is_enough):
    """Milliseconds from the publisher's connection until `look` shows enough."""
    deadline = time.perf_counter() + DEADLINE
    while time.perf_counter() < deadline:
        text = look()
        if text is not None and is_enough(text):
            return (time.perf_counter() - publisher.accepted_at) * 1000
        if publisher.problem is not None:
            raise publisher.problem
        time.sleep(POLL_SECONDS)
    raise TimeoutError("the stream did not become playable")
