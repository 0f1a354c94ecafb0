"""From sending the frame that closes a part to having the part: what the server adds to the latency.

A part ends where the next frame begins, so the frame that closes it is the first one after it. The publisher notes
when it sent each frame; a viewer follows the playlist by blocking reloads and notes when it has each part.
The peer has no parts: its segments are asked for in the same way, by looking at its playlist every few milliseconds.
"""

import statistics
import time

import hls
import peers
import rtmp
import servers
import sources
from rows import row

MEASURED_SECONDS = 30
DEADLINE = 20
POLL_SECONDS = 0.002
# Milliseconds for the 99th percentile.
LIMIT = 30
# Playlists give durations in rounded seconds.
ROUNDING_MS = 4


def measure(run):
    with servers.rillcast(run.binary) as server:
        server.wait_for_200("/api/status")
        with rtmp.Publisher(server.rtmp, sources.source("b")) as publisher:
            ours = delays(publisher, follow_parts(server, publisher))
    theirs = None
    with peers.nginx_rtmp() as server:
        if server is not None:
            with rtmp.Publisher(server.rtmp, sources.source("b")) as publisher:
                theirs = delays(publisher, follow_segments(server, publisher))
    name = "closing frame sent → part (peer: segment) fetched, ms"
    return [
        row(f"{name} (p50)", percentile(ours, 50), percentile(theirs, 50), "nginx-rtmp", raw=ours, peer_raw=theirs),
        row(f"{name} (p99)", percentile(ours, 99), percentile(theirs, 99), "nginx-rtmp", limit=LIMIT),
    ]


def percentile(values, percent):
    if not values:
        return None
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def delays(publisher, arrivals):
    """Milliseconds for each arrival (end in ms of stream time, when it was here)."""
    first = publisher.sent[0][0]
    found = []
    for end, here in arrivals:
        closing = next((sent for stamp, sent in publisher.sent if stamp - first >= end - ROUNDING_MS), None)
        if closing is not None:
            found.append((here - closing) * 1000)
    if not found:
        raise RuntimeError("no part could be matched with its frames")
    return found


def follow_parts(server, publisher):
    viewer = hls.Viewer(server)
    text = wait_for(publisher, lambda: viewer.text(server.playlist)[0])
    arrivals = []
    end, last = 0.0, (-1, -1)
    until = time.perf_counter() + MEASURED_SECONDS
    while time.perf_counter() < until:
        listed, following = hls.parts(text)
        for place, seconds, uri in listed:
            if place > last:
                end, last = end + seconds * 1000, place
                status, _, here = viewer.get(hls.resolve(server.playlist, uri))
                if status == 200:
                    arrivals.append((end, here))
        text, _ = viewer.text(f"{server.playlist}?_HLS_msn={following[0]}&_HLS_part={following[1]}")
        if text is None:
            raise RuntimeError("a blocking reload was not answered with a playlist")
    # The first ones were listed before the viewer began to follow.
    return arrivals[1:]


def follow_segments(server, publisher):
    viewer = hls.Viewer(server)
    arrivals = []
    end, last = 0.0, -1
    until = time.perf_counter() + MEASURED_SECONDS
    while time.perf_counter() < until:
        text = wait_for(publisher, lambda: viewer.text(server.playlist)[0])
        for number, seconds, uri in hls.segments(text):
            if number > last:
                end, last = end + seconds * 1000, number
                status, _, here = viewer.get(hls.resolve(server.playlist, uri))
                if status == 200:
                    arrivals.append((end, here))
        time.sleep(POLL_SECONDS)
    return arrivals


def wait_for(publisher, look):
    deadline = time.perf_counter() + DEADLINE
    while time.perf_counter() < deadline:
        text = look()
        if text is not None:
            return text
        if publisher.problem is not None:
            raise publisher.problem
        time.sleep(POLL_SECONDS)
    raise TimeoutError("the stream did not become playable")
