"""Our own page in Chromium: who waits on it when the stream starts, networks that fail, qualities by hand, viewers behind
one address. page.mjs watches; there is no peer, as no other page shows what its player knows.
"""

import contextlib
import json
import pathlib
import subprocess
import time

import peers
import player
import servers
import sources
from rows import row

FOLDER = pathlib.Path(__file__).resolve().parent
# Of source b, which is 640x360: rungs that cost little beside a browser.
QUALITIES = [
    {"name": "Untouched", "videoPassthrough": True},
    {"name": "Half", "scaledWidth": 320, "scaledHeight": 180, "framerate": 30, "videoBitrate": 150, "cpuUsageLevel": 0},
    {"name": "Tiny", "scaledWidth": 160, "scaledHeight": 90, "framerate": 15, "videoBitrate": 80, "cpuUsageLevel": 0},
]
HEIGHTS = {"Untouched": 360, "Half": 180, "Tiny": 90}
LIVE_SECONDS = 30
LIMIT_SECONDS = 480
BROWSERS = 10


def measure(run):
    if not player.is_possible():
        return []
    if peers.program("ffmpeg") is None:
        print("no ffmpeg, no rows: apt-get install ffmpeg")
        return []
    options = ["--set", f"output_variants={json.dumps(QUALITIES)}"]
    with servers.rillcast(run.binary, options=options) as server:
        server.wait_for_200("/api/status")
        seen, live_at = watch(server)
    return rows_of(seen, live_at)


def watch(server):
    """What the page saw, and when the stream was live, in milliseconds of the wall clock."""
    sources.source("b")
    command = ["node", str(FOLDER / "page.mjs"), server.url(""), json.dumps(HEIGHTS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if "waiting" not in process.stdout.readline():
            raise RuntimeError("the page did not open")
        with sources.pushing("b", server.rtmp):
            live_at = when_live(server)
            line = process.communicate(timeout=LIMIT_SECONDS)[0]
    finally:
        with contextlib.suppress(OSError):
            process.kill()
        process.wait()
    if not line.strip():
        raise RuntimeError("the page ended without a word")
    return json.loads(line), live_at


def when_live(server):
    deadline = time.perf_counter() + LIVE_SECONDS
    while time.perf_counter() < deadline:
        if json.loads(server.get("/api/status")[1])["online"]:
            return time.time() * 1000
        time.sleep(0.02)
    raise TimeoutError("the stream did not go live")


def further_behind(cut):
    """Nothing where the player did not know how far behind it was."""
    before, after = cut["before"], cut["after"]
    return None if before is None or after is None else after - before


def rows_of(seen, live_at):
    def since(at):
        return None if at is None else (at - live_at) / 1000

    rows = [
        row("page that waits: live → picture moves, s", since(seen["pictureAt"]), limit=2, seen=seen),
        row("page that waits: live → all qualities in the menu, s", since(seen["listedAt"])),
    ]
    for cut in seen["cuts"]:
        what = f"network away for {cut['seconds']} s"
        rows.append(row(f"{what}: back → as close to live as before, s", cut["backAfter"], limit=15))
        rows.append(row(f"{what}: further behind 40 s later, s", further_behind(cut), limit=1.5))
    changes = [change["seconds"] for change in seen["changes"]]
    rows.append(row("quality by hand: chosen → shown, s (longest of 6)", max(changes)))
    rows.append(row("quality by hand: holes that were played", len(seen["holes"]), limit=0))
    counted = row("viewers counted of 10 browsers behind one address", seen["counted"], limit=BROWSERS, more_is_better=True)
    return [*rows, counted]
