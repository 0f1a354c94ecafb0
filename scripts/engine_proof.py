#!/usr/bin/env python3
"""Show that the wheel's compiler makes the code that the server's own version of wasmtime would.

    scripts/engine_proof.py     builds tools/engine-compiler (minutes, the first time) and compares

Compared are the sections that are run or decide how code is run. Others tell where in the WebAssembly an address came
from, or name the settings, and differ between how both are built.
"""

import contextlib
import pathlib
import subprocess
import sys
import tempfile
import time

import elf
import engine

COMPILER = engine.ROOT / "tools" / "engine-compiler" / "Cargo.toml"
COMPARED = (".text", ".rodata.wasm", ".wasmtime.info", ".wasmtime.traps", ".wasmtime.exceptions")


def differences(one, other):
    """Names of the compared sections that are not the same, or are missing."""
    one, other = elf.sections(one), elf.sections(other)
    return [name for name in COMPARED if name not in one or one[name] != other.get(name)]


def say(line):
    print(f"engine-proof: {line}", flush=True)


@contextlib.contextmanager
def stage(what):
    """Said as it begins, since some take minutes, and how long it took when it has ended well."""
    say(f"{what} …")
    began = time.monotonic()
    yield
    say(f"{what}: {time.monotonic() - began:.0f} s")


def main():
    manifest = ["--manifest-path", COMPILER]
    with stage("the engine of the wheel's compiler, built unless it is there"):
        made = engine.build()
    with stage("building tools/engine-compiler (minutes, the first time)"):
        subprocess.run(["cargo", "build", "--release", *manifest], check=True)
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "engine.cwasm"
        with stage("compiling the engine with it"):
            cargo = ["cargo", "run", "--release", *manifest, "--"]
            subprocess.run([*cargo, engine.target(), engine.component(), result], check=True)
        with stage("comparing both"):
            different = differences(made.read_bytes(), result.read_bytes())
    if different:
        sys.exit(f"engine-proof: {', '.join(different)} differ between {engine.COMPILER} and tools/engine-compiler")
    say(f"{', '.join(COMPARED)} are the same, byte for byte")


if __name__ == "__main__":
    main()
