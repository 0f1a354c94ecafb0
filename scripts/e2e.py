#!/usr/bin/env python3
"""Run the end-to-end tests against the binary named by RILLCAST_BIN, or else the last dev build.

Beside it they use playlist-check: the one named by PLAYLIST_CHECK_BIN, or else the last dev build.

Every `e2e/**/*.test.mjs` runs, except that `*.long.test.mjs` waits for the long ring
(RILLCAST_RING=all). One file at a time: a browser beside a browser starves both on two cores.
Arguments, if any, name the files to run instead.
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "e2e"


def chosen(files, is_long_ring):
    """The files of a ring, in a fixed order."""
    return sorted(file for file in files if is_long_ring or not file.endswith(".long.test.mjs"))


def all_files():
    found = (file.relative_to(FOLDER) for file in FOLDER.glob("**/*.test.mjs"))
    return [str(file) for file in found if "node_modules" not in file.parts]


def dev_build(name="rillcast"):
    """Where cargo puts a program, also when the user moved its target folder."""
    answer = subprocess.run([str(ROOT / "scripts" / "target-dir.sh")], capture_output=True, text=True, check=True)
    return str(pathlib.Path(answer.stdout.strip()) / "debug" / name)


def programs(environment):
    """The programs under test and for testing, by the variables that name them."""
    found = {}
    for variable, name in [("RILLCAST_BIN", "rillcast"), ("PLAYLIST_CHECK_BIN", "playlist-check")]:
        found[variable] = environment.get(variable) or dev_build(name)
        if not os.access(found[variable], os.X_OK):
            advice = f"build it with cargo build --workspace, or name another in {variable}"
            sys.exit(f"there is no program at {found[variable]}: {advice}")
    return found


def main(arguments):
    binaries = programs(os.environ)
    if (FOLDER / "package.json").is_file():
        install = [sys.executable, str(ROOT / "scripts" / "npm.py"), "install", "e2e"]
        if subprocess.run(install).returncode != 0:
            sys.exit(1)
    files = arguments or chosen(all_files(), os.environ.get("RILLCAST_RING") == "all")
    if not files:
        sys.exit("there is no end-to-end test: e2e/ holds no *.test.mjs")
    command = ["node", "--test", "--test-reporter=spec", "--test-concurrency=1", *files]
    return subprocess.run(command, cwd=FOLDER, env={**os.environ, **binaries}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
