"""How large the release binary is, of how many crates it is made, and with `--long` what a build from nothing costs.

A build from nothing takes the processor for a quarter of an hour, so the short form leaves it out.
"""

import os
import pathlib
import resource
import subprocess
import tempfile

from rows import row

ROOT = pathlib.Path(__file__).resolve().parent.parent
MB = 1_000_000


def measure(run):
    rows = [row("release binary, MB", run.binary.stat().st_size / MB)]
    stripped = without_symbols(run.binary)
    if stripped is not None:
        rows.append(row("release binary without its symbols, MB", stripped / MB))
    rows += [row("crates the binary is made of", crates())]
    if run.is_long:
        rows.append(row("release build from nothing, CPU s", cold_build()))
    else:
        print("what a build from nothing costs is measured with --long only")
    return rows


def without_symbols(binary):
    with tempfile.NamedTemporaryFile() as file:
        try:
            subprocess.run(["strip", "-o", file.name, str(binary)], check=True, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            print("strip is missing, so is its row: apt-get install binutils")
            return None
        return os.stat(file.name).st_size


def crates():
    """All that is compiled into the program, ours among them."""
    command = ["cargo", "tree", "--locked", "--package", "server", "--edges", "normal", "--prefix", "none", "--format", "{p}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return len({line.removesuffix(" (*)").split(" (")[0] for line in done.stdout.splitlines() if line})


def cold_build():
    """User and system seconds of cargo and all it starts; the embedded engine is not built again."""
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--package", "server", "--bin", "rillcast"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as target:
        subprocess.run([*command, "--target-dir", target], cwd=ROOT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
