"""Many low-latency viewers (bench/viewers): how late their parts are, and what they cost the server."""

import contextlib
import json
import pathlib
import subprocess

import programs
import servers
import sources
from rows import row

FOLDER = pathlib.Path(__file__).resolve().parent / "viewers"
PLAYLISTS = ["/hls/0/video.m3u8", "/hls/audio/stream.m3u8"]
VIEWERS = 3000
MEASURED_SECONDS = 20
LONG_SECONDS = 60
# Latency level, part length in ms, and whether the number is a goal or only told.
LEVELS = [(2, 500, True), (0, 200, False)]
# Files a viewer holds open, on either side.
CONNECTIONS_EACH = 2
CPU_LIMIT_MS = 12
# The rest is what was on its way when the measurement ended.
SHARE_LIMIT = 0.95


def measure(run):
    folder = programs.build(FOLDER)
    if folder is None:
        return []
    program = folder / "viewers"
    seconds = LONG_SECONDS if run.is_long else MEASURED_SECONDS
    rows = []
    for level, part_ms, is_goal in LEVELS:
        with live_server(run.binary, level) as server:
            seen = watch(program, server, VIEWERS, seconds)
        name = f"{VIEWERS} viewers, {part_ms} ms parts"
        table = [
            row(f"{name}: part lag p99, ms", seen["lag_ms"]["p99"], limit=part_ms, seen=seen),
            row(f"{name}: errors", seen["errors"], limit=0),
            row(f"{name}: share of parts fetched", seen["share_fetched"], limit=SHARE_LIMIT, more_is_better=True),
            row(f"{name}: requests/s", seen["requests_per_second"], more_is_better=True),
            row(f"{name}: server CPU ms per viewer-minute", cpu_per_viewer_minute(seen), limit=CPU_LIMIT_MS),
        ]
        rows += table if is_goal else [{**told, "limit": None} for told in table]
    return rows


@contextlib.contextmanager
def live_server(binary, level):
    programs.raise_file_limit(VIEWERS * CONNECTIONS_EACH + 1000)
    with servers.rillcast(binary, options=["--set", f"latency_level={level}"]) as server:
        server.wait_for_200("/api/status")
        with sources.pushing("b", server.rtmp):
            sources.wait_until_live(server, segments=3)
            yield server


def watch(program, server, viewers, seconds):
    """What the viewers saw, and the processor time the server took meanwhile."""
    command = [str(program), "--server", f"127.0.0.1:{server.port}", "--viewers", str(viewers), "--seconds", str(seconds)]
    with subprocess.Popen([*command, *PLAYLISTS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout.readline():
                before = server.cpu_seconds()
                report = process.stdout.readline()
                cpu = server.cpu_seconds() - before
            problem = process.stderr.read()
        finally:
            process.kill()
    if problem:
        raise RuntimeError(problem.strip())
    return {**json.loads(report), "server_cpu_seconds": cpu}


def cpu_per_viewer_minute(seen):
    """Milliseconds."""
    return seen["server_cpu_seconds"] * 1000 * 60 / seen["seconds"] / seen["viewers"]
