#!/usr/bin/env python3
"""Print the path of the command of the public SDK for plugins, as its authors publish it.

Packages that it makes have to run here unchanged. It is installed on first use, in the cache. Where that is not possible
(no way to the packages, a Python without pip) this ends with 77, as a test that was left out. An archive with another
checksum is a failure.
"""

import subprocess
import sys

import pinned

SDK = pinned.Package("owncast-plugin-py", "0.11.0", "9af018d2de35b5bf10d62b5d3d28ee14368354ccd451652298822e945444c73f")
COMMAND = "owncast-plugin-py"
SKIPPED = 77


def command():
    """The path, or None when there can be none."""
    try:
        python = pinned.python_with(SDK)
    except (SystemExit, OSError, subprocess.SubprocessError) as problem:
        # Also a Python without ensurepip, which cannot make an environment that has pip.
        print(problem, file=sys.stderr)
        return None
    return str(python.with_name(COMMAND))


if __name__ == "__main__":
    found = command()
    if found is None:
        sys.exit(SKIPPED)
    print(found)
