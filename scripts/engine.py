#!/usr/bin/env python3
"""Build the engine that plugins run in: CPython and our glue as one WebAssembly component, compiled to machine code.

    scripts/engine.py build     builds it unless it is there already, and prints its path
    scripts/engine.py path      prints where it is or would be
    scripts/engine.py deflated  prints the path of its compressed form, which the server's program carries

It lies in ${XDG_CACHE_HOME:-~/.cache}/rillcast, named after everything it is made of, so a second run does nothing.
Two builds of the same inputs do the same and are not the same bytes: the memory of CPython is taken as it is after its
start, with the seed of its hashes and the times of its files in it. Only the standard library is used: this has to run
before anything is installed.
"""

import hashlib
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import zlib

import pinned

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUEST = ROOT / "engine" / "python"
SDK = ROOT / "sdk" / "python"
PACKAGE = "service_plugin"

# Architectures the engine can be built for, and how their wheels are called.
MACHINES = ("x86_64", "aarch64")

# The zones that `zoneinfo` knows inside the engine: only data, the same for every platform.
ZONES = pinned.Package("tzdata", "2026.6", "0a10eec6e13ef16b627fabed9a5f2ba61a62b1c67f327305f4e7e412a70b4aec")

# The compiler. It has the major version of the server's wasmtime (a test compares them), whose patch versions run each
# other's code; `make engine-proof` shows that this one makes the very code that the server's own version would.
COMPILER = pinned.Package(
    "wasmtime",
    "48.0.0",
    {
        "x86_64": "58544d539053dff7bd4cf30c40d7a540862d683013c0dfa6ba46a063f5b682f7",
        "aarch64": "26fce3613fefbe29a28e9d659dca3326e800593858e5758cad086eb802b3b766",
    },
)

# The tool that puts CPython, our glue and the SDK together. Another version makes another engine.
TOOL = pinned.Package(
    "componentize-py",
    "0.25.1",
    {
        "x86_64": "8623cd8cab8453cb0cd8bf03f3c7103420d06f2f3d360186a280a70a1ca5e89f",
        "aarch64": "7b6a87c520358166843af0daa86d2312d7af4cbcbbf1e598951085cf7f2991ca",
    },
    needs=(COMPILER, ZONES),
)
# How each of their files begins; tables for people lie beside them.
ZONE_MARK = b"TZif"

# Python files of the guest and the SDK, and the interface.
PARTS = ("*.py", "*.wit")
# What compiles it.
CODE = tuple(ROOT / "scripts" / name for name in ("engine_code.py", "elf.py"))

BUILD_SECONDS = 600


def inputs():
    """Every file the engine is made of, by its path in the tree."""
    folders = (GUEST, SDK / PACKAGE)
    files = {file for folder in folders for part in PARTS for file in folder.rglob(part)}
    return sorted(file for file in files if "__pycache__" not in file.parts)


def machine():
    """This machine's architecture; the engine is built for it and for no other."""
    name = platform.machine()
    if name not in MACHINES:
        sys.exit(
            f"engine: there is no compiler for {name}; it is built on {' and '.join(MACHINES)}. "
            "tools/engine-compiler makes one from source: see its README"
        )
    return name


def target():
    """Named after no more than the architecture, so that every processor of it runs the code."""
    return f"{machine()}-unknown-linux-gnu"


def fingerprint():
    """Names the engine: the same inputs give the same name."""
    digest = hashlib.sha256(f"{TOOL}\0{COMPILER}\0{ZONES}\0{target()}".encode())
    for file in (*inputs(), *CODE):
        content = file.read_bytes()
        digest.update(f"\0{file.relative_to(ROOT).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def engine():
    return pinned.cache() / f"engine-{fingerprint()}-{machine()}.cwasm"


def component():
    """What it was compiled from."""
    return engine().with_suffix(".wasm")


def deflated():
    return engine().with_suffix(".cwasm.zlib")


def recorded():
    """The file with the SHA-256 of the engine, in hexadecimal digits."""
    return engine().with_suffix(".cwasm.sha256")


def build():
    """The engine, built now if it has to be."""
    made = engine()
    if all(file.is_file() for file in (made, deflated(), recorded())):
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    pinned.python_with(TOOL)
    with tempfile.TemporaryDirectory(prefix="engine-", dir=made.parent) as scratch:
        scratch = pathlib.Path(scratch)
        parts = componentize(scratch), scratch / "code", scratch / "deflated", scratch / "sha256"
        whole, code, packed, record = parts
        say(f"compiling it with {COMPILER} (about 15 seconds)")
        run([sys.executable, CODE[0], compiler(), target(), whole, code])
        packed.write_bytes(zlib.compress(code.read_bytes(), 9))
        record.write_text(hashlib.sha256(code.read_bytes()).hexdigest())
        # Renamed at the end, the engine itself last: a run that was stopped leaves nothing that looks finished.
        for part, place in zip(parts, (component(), made, deflated(), recorded())):
            part.replace(place)
    return made


def variables():
    """Where all servers of the tests unpack the engine they carry: once for this machine, and not into each folder."""
    return (("RILLCAST_PLUGIN_ENGINE_CACHE", str(pinned.cache() / "engine")),)


def build_variables():
    """What cargo is told, so that the server's program carries the engine."""
    return (("RILLCAST_ENGINE", str(deflated())),)


def componentize(scratch):
    """Copies of what is needed and nothing else: whatever lies beside it must not get into the engine."""
    sources = scratch / "sources"
    for file in inputs():
        base = GUEST if file.is_relative_to(GUEST) else SDK
        copy = sources / file.relative_to(base)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    (sources / "zone_data.py").write_text(zone_module(pinned.modules(TOOL)))
    say(f"building the plugin engine with {TOOL} (about a minute)")
    made = scratch / "engine.wasm"
    tool = pinned.environment(TOOL) / "bin" / "componentize-py"
    # The first writes the compiled library beside the sources, where the second finds it.
    for app in ("compiler", "app"):
        world = ["-d", sources / "world.wit", "-w", "engine"]
        run([tool, "-q", *world, "componentize", "-p", sources, app, "-o", made])
    return made


def zone_module(folder):
    """A module with every zone once, compressed, and all names that lead to it."""
    root = folder / "tzdata" / "zoneinfo"
    names, zones = {}, []
    for file in sorted(root.rglob("*")):
        content = file.read_bytes() if file.is_file() else b""
        if not content.startswith(ZONE_MARK):
            continue
        if content not in zones:
            zones.append(content)
        names[file.relative_to(root).as_posix()] = zones.index(content)
    if not names:
        sys.exit(f"engine: there are no time zones in {ZONES}")
    packed = [zlib.compress(zone, 9) for zone in zones]
    return f"NAMES = {names!r}\nZONES = {packed!r}\n"


def compiler():
    """The library with the compiler, out of its wheel."""
    return pinned.modules(TOOL) / "wasmtime" / f"linux-{machine()}" / "_libwasmtime.so"


def run(command):
    """Run a tool; show what it said only if it failed."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BUILD_SECONDS)
    except subprocess.TimeoutExpired:
        sys.exit(f"engine: {pathlib.Path(command[0]).name} took longer than {BUILD_SECONDS} s")
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        sys.exit(f"engine: {pathlib.Path(command[0]).name} failed; what it said is above")


def say(text):
    print(f"engine: {text}", file=sys.stderr)


COMMANDS = {"build": build, "path": engine, "deflated": deflated}


def main(arguments):
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        sys.exit(f"usage: engine.py {' | '.join(COMMANDS)}")
    print(COMMANDS[arguments[0]]())


if __name__ == "__main__":
    main(sys.argv[1:])
