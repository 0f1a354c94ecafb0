"""The rules of HLS and low-latency HLS (playlist-check), followed on live streams of many kinds: how often one is broken.

The same program checks short streams in the tests; here each is followed for longer than any window is.
"""

import contextlib
import pathlib
import signal
import subprocess
import time

import peers
import servers
import soak
import sources
from rows import row

CLIPS = pathlib.Path(__file__).resolve().parent.parent / "e2e" / "clips"
SECONDS = 30
LONG_SECONDS = 600
# Sound that is offered as AAC, too, a moment later; the checker reads once which lists there are.
ENCODED, ENCODED_AS = "mp3", "/hls/aac/stream.m3u8"
# What is pushed, at which latency level, and what happens meanwhile.
SCENARIOS = [
    ("plain", 2, None),
    ("plain", 0, None),
    ("plain", 4, None),
    ("bframes", 2, None),
    ("720p60", 0, None),
    ("25fps", 2, None),
    ("gop10", 2, None),
    ("silent-mic", 2, None),
    ("audio-only", 2, None),
    ("video-only", 2, None),
    ("mp3", 2, None),
    ("plain", 2, "publisher lost and back"),
    ("360p", 2, "another size"),
]


def measure(run):
    if peers.program("ffmpeg") is None:
        print("no ffmpeg, no rows: apt-get install ffmpeg")
        return []
    if soak.checker() is None:
        return []
    seconds = LONG_SECONDS if run.is_long else SECONDS
    return [judged(run, *scenario, seconds) for scenario in SCENARIOS]


def judged(run, clip, level, what, seconds):
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(servers.rillcast(run.binary, options=["--set", f"latency_level={level}"]))
        server.wait_for_200("/api/status")
        publishers = [push(clip, server)]
        stack.callback(lambda: end(publishers[-1]))
        sources.wait_until_live(server)
        if clip == ENCODED:
            sources.wait_until_live(server, path=ENCODED_AS)
        with subprocess.Popen(soak.check_command(server, seconds), stdout=subprocess.PIPE, text=True) as checking:
            if what is not None:
                time.sleep(seconds / 3)
                end(publishers[-1])
                time.sleep(1)
                publishers.append(push("1080p" if what == "another size" else clip, server))
            rules = soak.verdict(checking)
    violations, checks = soak.broken(rules)
    title = f"rules, {clip} at latency level {level}" + (f", {what}" if what else "")
    return row(f"{title}: broken in {checks} checks", violations, limit=0, rules=rules)


def push(clip, server):
    command = [peers.program("ffmpeg"), "-nostdin", "-v", "error", "-re", "-stream_loop", "-1"]
    command += ["-i", str(CLIPS / f"{clip}.flv"), "-map", "0", "-c", "copy", "-f", "flv", server.rtmp]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def end(publisher):
    publisher.send_signal(signal.SIGKILL)
    publisher.wait()
