"""Memory: with a stream of 6 Mb/s, and per low-latency viewer."""

import threading
import time

import crowd
import hls
import peers
import programs
import servers
import sources
from rows import row

# Longer than the window of the playlist, so that it is full.
FILL_SECONDS = 30
# Enough that what one viewer takes stands out, and few enough to come in quickly.
VIEWERS = 1000
WATCH_SECONDS = 8
IDLE_LIMIT_MB = 60
MEDIA_LIMIT = 1.2
VIEWER_LIMIT_KB = 10


def measure(run):
    with servers.rillcast(run.binary) as server:
        server.wait_for_200("/api/status")
        # Idle is what is measured, so there is nothing to wait for but time.
        time.sleep(3)
        idle = server.own_resident_megabytes()
        with sources.pushing("a", server.rtmp):
            listed = listed_in(server, FILL_SECONDS)
            with_stream = server.own_resident_megabytes()
            media = media_megabytes(server, listed)
    theirs = peer_with_stream()
    rows = [
        row("memory (RSS) without a stream, MB", idle, limit=IDLE_LIMIT_MB),
        row("memory (RSS) with 1080p30 6 Mb/s, MB", with_stream, theirs, "nginx-rtmp, on disk"),
        row("memory a stream adds / bytes of media that can be fetched", (with_stream - idle) / media, limit=MEDIA_LIMIT),
    ]
    return rows + per_viewer(run)


def listed_in(server, seconds):
    """The segments of both tracks that were listed at any time in these seconds."""
    listed = set()
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for playlist in crowd.PLAYLISTS:
            status, text = server.get(playlist)
            if status == 200:
                listed |= {hls.resolve(playlist, uri) for _, _, uri in hls.segments(text.decode())}
        time.sleep(1)
    return listed


def media_megabytes(server, listed):
    """What can still be fetched, and so has to be held; in MiB, as memory is counted."""
    answers = [server.get(path) for path in sorted(listed)]
    held = sum(len(body) for status, body in answers if status == 200)
    if held == 0:
        raise RuntimeError("no segment was there to fetch")
    return held / 2**20


def peer_with_stream():
    with peers.nginx_rtmp() as server:
        if server is None:
            return None
        with sources.pushing("a", server.rtmp):
            time.sleep(FILL_SECONDS)
            return server.resident_megabytes()


def per_viewer(run):
    folder = programs.build(crowd.FOLDER)
    if folder is None:
        return []
    program = folder / "viewers"
    with crowd.live_server(run.binary, level=2) as server:
        # Few viewers first: what the first ones need is not needed again.
        crowd.watch(program, server, 50, 2)
        before = server.own_resident_megabytes()
        peak = peak_while(server.own_resident_megabytes, lambda: crowd.watch(program, server, VIEWERS, WATCH_SECONDS))
    each = (peak - before) * 1024 / VIEWERS
    return [row("memory per viewer of two playlists, KiB", each, limit=VIEWER_LIMIT_KB)]


def peak_while(look, work):
    """The highest of what `look` sees while `work` runs."""
    is_done = threading.Event()
    seen = []

    def sample():
        while not is_done.wait(0.2):
            seen.append(look())

    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        work()
    finally:
        is_done.set()
        sampler.join()
    return max(seen)
