#!/usr/bin/env python3
"""Print the path of a Python that has bovine, an implementation of ActivityPub that is not ours.

The environment is made on first use, in the cache, in the versions of bovine-requirements.txt. Where that is not
possible (an old Python, no way to the packages) this ends with 77, as a test that was left out.
"""

import hashlib
import os
import pathlib
import subprocess
import sys

REQUIREMENTS = pathlib.Path(__file__).resolve().parent / "bovine-requirements.txt"
SKIPPED = 77
OLDEST = (3, 11)


def interpreter():
    """The path, or None when there can be none."""
    if sys.version_info < OLDEST:
        return None
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rillcast"
    key = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = cache / f"bovine-{key}"
    stamp = folder / "installed"
    if not stamp.is_file():
        print(f"installing bovine into {folder}", file=sys.stderr, flush=True)
        steps = [
            [sys.executable, "-m", "venv", "--clear", str(folder)],
            [str(folder / "bin/pip"), "install", "--quiet", "--no-deps", "-r", str(REQUIREMENTS)],
        ]
        for step in steps:
            if subprocess.run(step, stdout=sys.stderr).returncode != 0:
                return None
        stamp.touch()
    return str(folder / "bin/python")


if __name__ == "__main__":
    path = interpreter()
    if path is None:
        sys.exit(SKIPPED)
    print(path)
