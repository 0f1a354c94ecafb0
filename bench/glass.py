"""From a picture that is made to the same picture on a screen: a clock is drawn into the stream and read back in Chromium.

Every picture carries the wall clock at which it was made, in milliseconds, as a row of black and white blocks. It goes
through an encoder without any look-ahead, the server, and hls.js; the page reads the blocks of the pictures it shows.
Both ends share a clock, so the difference is the whole way but for the screen itself. Nothing to reach is set for it: what
the encoder and the player add is not the server's.
"""

import contextlib
import statistics
import subprocess
import threading
import time

import peers
import player
import servers
import sources
from rows import row

WIDTH, HEIGHT, RATE = 640, 360, 30
# As in player.mjs.
BLOCKS, BLOCK, STRIP = 32, 20, 40
LEVELS = [(0, 0.2), (2, 0.5)]
WARM_UP_SECONDS = 15
MEASURED_SECONDS = 20
LONG_SECONDS = 60
PEER = "ffmpeg + nginx"


def measure(run):
    if not player.is_possible():
        return []
    if peers.program("ffmpeg") is None:
        print("no ffmpeg to encode with, no rows: apt-get install ffmpeg")
        return []
    seconds = LONG_SECONDS if run.is_long else MEASURED_SECONDS
    theirs = peer(seconds)
    rows = []
    for level, part in LEVELS:
        with servers.rillcast(run.binary, options=["--set", f"latency_level={level}"]) as server:
            server.wait_for_200("/api/status")
            with clock_pushed(server.rtmp):
                sources.wait_until_live(server)
                seen = watch(server.url("/hls/stream.m3u8"), seconds)
        name = f"made → seen in Chromium, {part} s parts, s (median of {seconds} s)"
        rows.append(row(name, seen["p50"], theirs and theirs["p50"], PEER, seen=seen, peer_seen=theirs))
    return rows


def watch(url, seconds):
    with player.playing(url, {**player.CATCHES_UP, "readsClock": True}) as viewer:
        time.sleep(WARM_UP_SECONDS + seconds)
        report = viewer.report()
    from_ = report["playingAt"] + WARM_UP_SECONDS * 1000
    delays = sorted((at - made % 2**BLOCKS) % 2**BLOCKS / 1000 for at, made in read(report, from_))
    if not delays:
        raise RuntimeError("no picture with a clock was seen")
    return {"p50": statistics.median(delays), "p95": delays[len(delays) * 95 // 100], "pictures": len(delays)}


def read(report, from_):
    """(seen at, made at) of the pictures whose clock can be believed: it goes forward, and is not of the future."""
    last = 0
    for at, made in report["clock"]:
        made = int(at) - (int(at) - made) % 2**BLOCKS
        if at >= from_ and made >= last and at - made < 60_000:
            last = made
            yield at, made


def peer(seconds):
    with contextlib.ExitStack() as stack:
        packager = stack.enter_context(peers.ffmpeg_hls())
        server = packager and stack.enter_context(peers.nginx_folder(packager.files))
        if server is None:
            return None
        stack.enter_context(clock_pushed(packager.rtmp))
        server.playlist = "/stream.m3u8"
        sources.wait_until_live(server, segments=3)
        return watch(server.url(server.playlist), seconds)


@contextlib.contextmanager
def clock_pushed(url):
    command = [peers.program("ffmpeg"), "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{WIDTH}x{HEIGHT}"]
    command += ["-r", str(RATE), "-i", "pipe:0", "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency"]
    command += ["-g", str(2 * RATE), "-f", "flv", url]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    is_done = threading.Event()
    thread = threading.Thread(target=draw, args=(process.stdin, is_done))
    thread.start()
    try:
        yield
    finally:
        is_done.set()
        thread.join()
        process.kill()
        process.wait()


def draw(pipe, is_done):
    """Pictures at the pace of their rate; the upper rows are the clock, what is below moves a little."""
    colours = bytes([128]) * (WIDTH * HEIGHT // 2)
    started, count = time.perf_counter(), 0
    with contextlib.suppress(BrokenPipeError):
        while not is_done.wait(max(0, started + count / RATE - time.perf_counter())):
            made = int(time.time() * 1000) % 2**BLOCKS
            line = b"".join((b"\xeb" if made >> bit & 1 else b"\x10") * BLOCK for bit in range(BLOCKS))
            below = bytes([64 + count % 64]) * (WIDTH * (HEIGHT - STRIP))
            pipe.write(line * STRIP + below + colours)
            pipe.flush()
            count += 1
