"""What the checks share: the project's own scripts, and programs that are run to their end."""

import pathlib
import subprocess
import sys

SDK = pathlib.Path(__file__).resolve().parents[1]
SCRIPTS = SDK.parents[1] / "scripts"
SECONDS = 50

sys.path.insert(0, str(SCRIPTS))


def run(command, folder, **environment):
    """The exit code of a program and all it said."""
    told = subprocess.run(
        [str(word) for word in command],
        cwd=str(folder),
        env=environment or None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
    )
    return told.returncode, told.stdout.decode("utf-8", "replace")
