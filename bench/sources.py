"""The streams to push: encoded once, kept in a cache outside the tree, and pushed by ffmpeg without encoding."""

import contextlib
import signal
import subprocess
import time

import peers
import servers

# 16 s are 480 frames at 30 fps and exactly 750 AAC frames at 48 kHz: a loop without a seam.
SECONDS = 16
KINDS = {
    # 1080p30 High with B-frames, 6 Mb/s and 160 kb/s of sound: what a good home connection sends.
    "a": {"size": "1920x1080", "video": 6000, "audio": 160},
    # Small, so that many viewers and a browser fit on one machine.
    "b": {"size": "640x360", "video": 400, "audio": 64},
    # What small machines stream.
    "c": {"size": "1280x720", "video": 2500, "audio": 128},
}


def source(kind):
    """The file of a source, made when it is not there."""
    path = servers.cache() / f"source-{kind}.flv"
    if path.is_file():
        return path
    about = KINDS[kind]
    print(f"encoding source {kind} once, into {path.parent}", flush=True)
    unfinished = path.with_suffix(".unfinished")
    rate = f"{about['video']}k"
    command = [peers.program("ffmpeg"), "-nostdin", "-v", "error", "-y"]
    # Noise, or the encoder would not use the bits it may use.
    command += ["-f", "lavfi", "-i", f"testsrc2=size={about['size']}:rate=30,noise=alls=24:allf=t"]
    command += ["-f", "lavfi", "-i", "anoisesrc=color=pink:sample_rate=48000:amplitude=0.2,aformat=channel_layouts=stereo"]
    command += ["-t", str(SECONDS), "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "superfast", "-profile:v", "high"]
    command += ["-bf", "2", "-g", "60", "-keyint_min", "60", "-sc_threshold", "0"]
    command += ["-b:v", rate, "-minrate", rate, "-maxrate", rate, "-bufsize", rate]
    command += ["-c:a", "aac", "-b:a", f"{about['audio']}k", "-f", "flv", str(unfinished)]
    subprocess.run(["nice", "-n", "10", *command], check=True)
    unfinished.rename(path)
    return path


class Push:
    """ffmpeg, pushing."""

    def __init__(self, process):
        self.process = process

    def kill(self):
        """As a crash: the connection ends without a word."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def pushing(kind, *urls):
    """Pushes a source in real time, in a loop, to every address; one process each, as publishers are."""
    pushes = [start_push(kind, url) for url in urls]
    try:
        yield pushes
        for push in pushes:
            if push.process.poll() not in (None, -signal.SIGKILL):
                raise RuntimeError("the publisher was turned away")
    finally:
        for push in pushes:
            push.kill()


def start_push(kind, url):
    command = [peers.program("ffmpeg"), "-nostdin", "-v", "error", "-re", "-stream_loop", "-1"]
    command += ["-i", str(source(kind)), "-c", "copy", "-f", "flv", url]
    return Push(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def wait_until_live(server, segments=1, path=None):
    """Waits until the playlist, that of the picture if none is named, lists that many whole segments."""
    path = path or server.playlist
    deadline = time.perf_counter() + 40
    while time.perf_counter() < deadline:
        with contextlib.suppress(OSError):
            status, body = server.get(path)
            if status == 200 and body.count(b"#EXTINF") >= segments:
                return
        time.sleep(0.02)
    raise TimeoutError(f"{path} lists no {segments} segments")
