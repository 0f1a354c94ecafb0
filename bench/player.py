"""A viewer in a real browser (player.mjs), started and asked for its report."""

import contextlib
import json
import pathlib
import subprocess

import peers

FOLDER = pathlib.Path(__file__).resolve().parent
# As our page sets it: without it a player that starts behind stays behind.
CATCHES_UP = {"maxLiveSyncPlaybackRate": 1.25}


class Player:
    """A playing browser; `report` ends it."""

    def __init__(self, process):
        self.process = process

    def report(self):
        self.process.stdin.close()
        line = self.process.stdout.readline()
        self.process.wait(timeout=30)
        return json.loads(line)


def is_possible():
    """Whether there is a browser; says how to get one otherwise."""
    if (peers.program("chromium") or peers.program("chromium-browser")) and peers.program("node"):
        return True
    print("no browser, no rows: apt-get install chromium")
    return False


@contextlib.contextmanager
def playing(url, config=None):
    """Returns when the picture moves."""
    command = ["node", str(FOLDER / "player.mjs"), url, json.dumps(CATCHES_UP if config is None else config)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if not process.stdout.readline():
            raise RuntimeError("the player did not start playing")
        yield Player(process)
    finally:
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
