"""What recording costs: processor time, memory and bytes, beside a server that takes in the same stream and keeps nothing.

Then a long recording, sent a hundred times as fast as it plays: how soon its list is there.
"""

import contextlib
import json
import pathlib
import subprocess
import time

import ingest_cost
import peers
import servers
import sources
from rows import row

OPTIONS = ("--set", "recording=on", "--set", "recording_visibility=public", "--set", "recording_min_free_gigabytes=0")
CPU_RATIO = 1.10
MORE_MEGABYTES = 8
BYTES_RATIO = 1.02
LIST_LIMIT_MS = 100
# Faster, and viewers of such a stream would get holes, too: its window passes in a blink.
SPEED = 100
HOURS, LONG_HOURS = 1, 12
DEADLINE = 60


def measure(run):
    return [*beside(run), long_recording(run, LONG_HOURS if run.is_long else HOURS)]


def beside(run):
    with contextlib.ExitStack() as stack:
        with_it = stack.enter_context(servers.rillcast(run.binary, options=OPTIONS))
        without = stack.enter_context(servers.rillcast(run.binary))
        for server in (with_it, without):
            server.wait_for_200("/api/status")
        # The two are fed by one source at the same time; `ours` leaves out what draws pictures.
        with sources.pushing("a", with_it.rtmp, without.rtmp):
            for server in (with_it, without):
                sources.wait_until_live(server)
            time.sleep(ingest_cost.SETTLE_SECONDS)
            before = [server.own_cpu_seconds() for server in (with_it, without)]
            time.sleep(ingest_cost.MEASURED_SECONDS)
            cpu = [server.own_cpu_seconds() - then for server, then in zip((with_it, without), before, strict=True)]
            memory = [server.own_resident_megabytes() for server in (with_it, without)]
        media, all_bytes = sizes(with_it)
    seconds = ingest_cost.MEASURED_SECONDS
    return [
        row(f"CPU s per {seconds} s of 1080p30 6 Mb/s, recorded", cpu[0], cpu[1], "not recorded", ratio_limit=CPU_RATIO),
        row("memory that recording takes, MB", memory[0] - memory[1], limit=MORE_MEGABYTES),
        row("MB on the disk", all_bytes / 1e6, media / 1e6, "media", ratio_limit=BYTES_RATIO),
    ]


def sizes(server):
    """Bytes of the media of all recordings, and of all their files."""
    folder = pathlib.Path(server.folder) / "data" / "recordings"
    files = [file for file in folder.rglob("*") if file.is_file()]
    media = sum(file.stat().st_size for file in files if file.suffix == ".mp4")
    return media, sum(file.stat().st_size for file in files if file.suffix in (".mp4", ".idx"))


def long_recording(run, hours):
    with servers.rillcast(run.binary, options=OPTIONS) as server:
        server.wait_for_200("/api/status")
        turns = round(hours * 3600 / sources.SECONDS)
        command = [peers.program("ffmpeg"), "-nostdin", "-v", "error", "-readrate", str(SPEED)]
        command += ["-stream_loop", str(turns - 1), "-i", str(sources.source("a")), "-c", "copy", "-f", "flv", server.rtmp]
        before = server.own_resident_megabytes()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=hours * 3600 / SPEED * 4 + DEADLINE)
        more = server.own_resident_megabytes() - before
        video = finished(server)
        if video["duration"] < 0.99 * hours * 3600:
            raise RuntimeError(f"of {hours} hours only {video['duration']:.0f} s are there")
        path = f"/hls/videos/{video['id']}/0/video.m3u8"
        started = time.perf_counter()
        status, _ = server.get(path)
        lasted_ms = (time.perf_counter() - started) * 1000
        if status != 200:
            raise RuntimeError(f"{path} was answered with {status}")
    print(f"the server has {more:.0f} MB more after {hours} hours")
    return row(f"first answer with the list of a recording of {hours} h, ms", lasted_ms, limit=LIST_LIMIT_MS)


def finished(server):
    """The recording, once everybody finds it."""
    deadline = time.perf_counter() + DEADLINE
    while time.perf_counter() < deadline:
        found = json.loads(server.get("/api/videos")[1])["results"]
        if found:
            return found[0]
        time.sleep(0.1)
    raise TimeoutError("the recording did not end")
