"""A ladder of qualities: what our process needs beside the encoder it feeds, and whether rungs can be switched without a gap.

The source is 1080p30; two rungs are encoded by ffmpeg. Key frames are aligned when the segments of one number begin with
a key frame that is shown at the same time in every quality.
"""

import json
import re
import subprocess
import tempfile
import time

import hls
import peers
import servers
import sources
from rows import row

RUNGS = [
    {"name": "source", "videoPassthrough": True, "audioPassthrough": True},
    {"name": "480p", "scaledHeight": 480, "videoBitrate": 1200, "framerate": 30, "cpuUsageLevel": 1},
    {"name": "360p", "scaledHeight": 360, "videoBitrate": 700, "framerate": 30, "cpuUsageLevel": 1},
]
MASTER = "/hls/stream.m3u8"
OFFERED_SECONDS = 30
MEASURED_SECONDS = 30
LONG_SECONDS = 120
SHARE_LIMIT_PERCENT = 2
# Segments that are compared; the newest are still on their way in some rung.
COMPARED = 3


def measure(run):
    if peers.program("ffmpeg") is None:
        print("no ffmpeg, no rungs, no rows: apt-get install ffmpeg")
        return []
    seconds = LONG_SECONDS if run.is_long else MEASURED_SECONDS
    options = ["--set", f"output_variants={json.dumps(RUNGS)}"]
    with servers.rillcast(run.binary, options=options) as server:
        server.wait_for_200("/api/status")
        with sources.pushing("a", server.rtmp):
            sources.wait_until_live(server)
            playlists = offered(server)
            if len(playlists) < len(RUNGS):
                raise TimeoutError(f"of {len(RUNGS)} qualities {len(playlists)} were offered within {OFFERED_SECONDS} s")
            ours, encoder = costs(server, seconds)
            errors = alignment(server, playlists)
    share = ours / encoder * 100
    return [
        row("ladder of 1080p30 and two rungs: our CPU, % of the encoder's", share, limit=SHARE_LIMIT_PERCENT),
        row("ladder of 1080p30 and two rungs: cores of the encoder", encoder / seconds),
        row("ladder: key frames beside the source's, ms (worst)", max(errors), limit=0, raw=errors),
    ]


def offered(server):
    """The playlists of the qualities, once all are offered or nobody waits any longer."""
    deadline = time.perf_counter() + OFFERED_SECONDS
    while True:
        status, text = server.get(MASTER)
        lines = text.decode().splitlines() if status == 200 else []
        found = [uri for line, uri in zip(lines, lines[1:]) if line.startswith("#EXT-X-STREAM-INF")]
        if len(set(found)) >= len(RUNGS) or time.perf_counter() > deadline:
            return [hls.resolve(MASTER, uri) for uri in dict.fromkeys(found)]
        time.sleep(0.2)


def costs(server, seconds):
    """CPU seconds of our process, and of the children that ran all the time: pictures are drawn by others that come and go."""
    before = server.own_cpu_seconds()
    children = {pid: sum(servers.cpu_ticks(pid)) for pid in servers.family(server.process.pid)[1:]}
    time.sleep(seconds)
    ours = server.own_cpu_seconds() - before
    running = set(servers.family(server.process.pid)[1:])
    stayed = [sum(servers.cpu_ticks(pid)) - ticks for pid, ticks in children.items() if pid in running]
    if not stayed or max(stayed) == 0:
        raise RuntimeError("no encoder ran all the time")
    return ours, max(stayed) / servers.TICKS


def alignment(server, playlists):
    """Milliseconds by which each compared segment of each rung begins beside the source's."""
    heads = [heads_of(server, playlist) for playlist in playlists]
    shared = sorted(set.intersection(*(set(each) for each in heads)))[-COMPARED - 1 : -1]
    if not shared:
        raise RuntimeError("the qualities list no segment of the same number")
    errors = []
    for number in shared:
        source, *others = [first_key_ms(server, playlist, *each[number]) for playlist, each in zip(playlists, heads)]
        errors += [abs(other - source) for other in others]
    return errors


def heads_of(server, playlist):
    """The init segment and the address of each whole segment, by its number."""
    text = server.get(playlist)[1].decode()
    init = re.search(r'#EXT-X-MAP:URI="([^"]+)"', text).group(1)
    return {number: (init, uri) for number, _, uri in hls.segments(text)}


def first_key_ms(server, playlist, init, uri):
    """When the first key frame of a segment is shown."""
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        for name in (init, uri):
            status, body = server.get(hls.resolve(playlist, name))
            if status != 200:
                raise RuntimeError(f"{name} was answered with {status}")
            file.write(body)
        file.flush()
        command = [peers.program("ffprobe"), "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time,flags"]
        output = subprocess.run([*command, "-of", "csv=p=0", file.name], capture_output=True, text=True, check=True).stdout
    shown = [float(line.split(",")[0]) for line in output.splitlines() if "K" in line.split(",")[1]]
    if not shown:
        raise RuntimeError(f"{uri} has no key frame")
    return round(min(shown) * 1000, 3)
