#!/usr/bin/env python3
"""Show that the wheel's compiler makes the code that the server's own version of wasmtime would.

    scripts/engine_proof.py     builds tools/engine-compiler (minutes, the first time) and compares

Compared are the sections that are run or decide how code is run. Others tell where in the WebAssembly an address came
from, or name the settings, and differ between how both are built.
"""

import pathlib
import subprocess
import sys
import tempfile

import elf
import engine

COMPILER = engine.ROOT / "tools" / "engine-compiler" / "Cargo.toml"
COMPARED = (".text", ".rodata.wasm", ".wasmtime.info", ".wasmtime.traps", ".wasmtime.exceptions")


def differences(one, other):
    """Names of the compared sections that are not the same, or are missing."""
    one, other = elf.sections(one), elf.sections(other)
    return [name for name in COMPARED if name not in one or one[name] != other.get(name)]


def main():
    made = engine.build()
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "engine.cwasm"
        cargo = ["cargo", "run", "--release", "--manifest-path", COMPILER, "--"]
        subprocess.run([*cargo, engine.target(), engine.component(), result], check=True)
        different = differences(made.read_bytes(), result.read_bytes())
    if different:
        sys.exit(f"engine-proof: {', '.join(different)} differ between {engine.COMPILER} and tools/engine-compiler")
    print(f"engine-proof: {', '.join(COMPARED)} are the same, byte for byte")


if __name__ == "__main__":
    main()
