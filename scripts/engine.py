#!/usr/bin/env python3
"""Build the engine that plugins run in: CPython and our glue as one WebAssembly component.

    scripts/engine.py build     builds it unless it is there already, and prints its path
    scripts/engine.py path      prints where it is or would be
    scripts/engine.py deflated  prints the path of its compressed form, which the release binary carries
    scripts/engine.py compile   has cargo's dev binary make machine code of it, which tests map

It lies in ${XDG_CACHE_HOME:-~/.cache}/rillcast, named after everything it is made of, so a second run does nothing.
Only the standard library is used: this has to run before anything is installed.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv
import zlib

import fresh_hashes

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUEST = ROOT / "engine" / "python"
SDK = ROOT / "sdk" / "python"
PACKAGE = "service_plugin"

# The tool that puts CPython, our glue and the SDK together. Another version makes another engine.
TOOL = "componentize-py==0.25.1"

# The zones that `zoneinfo` knows inside the engine: only data, the same for every platform.
ZONES = "tzdata==2026.6"
ZONES_SHA256 = "0a10eec6e13ef16b627fabed9a5f2ba61a62b1c67f327305f4e7e412a70b4aec"
# How each of their files begins; tables for people lie beside them.
ZONE_MARK = b"TZif"

# Python files of the guest and the SDK, and the interface.
PARTS = ("*.py", "*.wit")
# What changes the finished component.
FINISHING = ("fresh_hashes.py", "wasm.py")

BUILD_SECONDS = 600
INSTALL_SECONDS = 300


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "rillcast"


def inputs():
    """Every file the engine is made of, by its path in the tree."""
    folders = (GUEST, SDK / PACKAGE)
    files = {file for folder in folders for part in PARTS for file in folder.rglob(part)}
    return sorted(file for file in files if "__pycache__" not in file.parts)


def finishing():
    return [ROOT / "scripts" / name for name in FINISHING]


def fingerprint():
    """Names the engine: the same inputs give the same name."""
    digest = hashlib.sha256(f"{TOOL}\0{ZONES}\0{ZONES_SHA256}".encode())
    for file in (*inputs(), *finishing()):
        content = file.read_bytes()
        digest.update(f"\0{file.relative_to(ROOT).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def engine():
    return cache() / f"engine-{fingerprint()}.wasm"


def deflated():
    return engine().with_suffix(".wasm.zlib")


def build():
    """The engine, built now if it has to be."""
    target = engine()
    if target.is_file() and deflated().is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    tool, zones = installed_tool(), fetched_zones()
    with tempfile.TemporaryDirectory(prefix="engine-", dir=target.parent) as scratch:
        scratch = pathlib.Path(scratch)
        made = componentize(tool, zones, scratch)
        try:
            made.write_bytes(fresh_hashes.refresh(made.read_bytes()))
        except (LookupError, ValueError) as error:
            sys.exit(f"engine: what {TOOL} made is not what scripts/fresh_hashes.py knows: {error!r}")
        compressed = scratch / "engine.zlib"
        compressed.write_bytes(zlib.compress(made.read_bytes(), 9))
        # Renamed at the end: a run that was stopped leaves nothing that looks finished.
        compressed.replace(deflated())
        made.replace(target)
    return target


def compiled():
    """Where machine code made from it is kept, for every clone on this machine."""
    return cache() / "engine"


def variables():
    """What a server that does not carry the engine has to be told."""
    return (("RILLCAST_PLUGIN_ENGINE", str(engine())), ("RILLCAST_PLUGIN_ENGINE_CACHE", str(compiled())))


def compile():
    """The engine as machine code of this machine; half a minute the first time."""
    build()
    target = subprocess.run(
        [ROOT / "scripts" / "target-dir.sh"], check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS
    ).stdout.strip()
    binary = pathlib.Path(target) / "debug" / "rillcast"
    if not binary.is_file():
        sys.exit("engine: the dev binary is missing: `cargo build` makes it")
    flags = ["--plugin-engine", engine(), "--plugin-engine-cache", compiled()]
    run([binary, "engine", "compile", *flags], BUILD_SECONDS)
    return compiled()


def componentize(tool, zones, scratch):
    """Copies of what is needed and nothing else: whatever lies beside it must not get into the engine."""
    sources = scratch / "sources"
    for file in inputs():
        base = GUEST if file.is_relative_to(GUEST) else SDK
        copy = sources / file.relative_to(base)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    (sources / "zone_data.py").write_text(zone_module(zones))
    say(f"building the plugin engine with {TOOL} (about a minute)")
    made = scratch / "engine.wasm"
    # The first writes the compiled library beside the sources, where the second finds it.
    for app in ("compiler", "app"):
        world = ["-d", sources / "world.wit", "-w", "engine"]
        run([tool, "-q", *world, "componentize", "-p", sources, app, "-o", made], BUILD_SECONDS)
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


def fetched_zones():
    """The zones in a folder of their own, fetched and checked when they are missing."""
    folder = cache() / ZONES.replace("==", "-")
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    say(f"fetching {ZONES}")
    with tempfile.TemporaryDirectory(prefix="zones-", dir=folder.parent) as scratch:
        scratch = pathlib.Path(scratch)
        wanted = scratch / "wanted.txt"
        wanted.write_text(f"{ZONES} --hash=sha256:{ZONES_SHA256}\n")
        pip = [installed_tool().parent / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        flags = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--target", scratch / "zones", "-r", wanted]
        run([*pip, *flags], INSTALL_SECONDS)
        (scratch / "zones").replace(folder)
    return folder


def installed_tool():
    """The tool in a virtual environment of its own, made when it is missing."""
    folder = cache() / f"venv-{TOOL.replace('==', '-')}"
    tool = folder / "bin" / "componentize-py"
    if not tool.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        say(f"installing {TOOL}")
        venv.create(folder, with_pip=True)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", TOOL]
        try:
            run(pip, INSTALL_SECONDS)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return tool


def run(command, seconds):
    """Run a tool; show what it said only if it failed."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
    except subprocess.TimeoutExpired:
        sys.exit(f"engine: {pathlib.Path(command[0]).name} took longer than {seconds} s")
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        sys.exit(f"engine: {pathlib.Path(command[0]).name} failed; what it said is above")


def say(text):
    print(f"engine: {text}", file=sys.stderr)


COMMANDS = {"build": build, "path": engine, "deflated": deflated, "compile": compile}


def main(arguments):
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        sys.exit(f"usage: engine.py {' | '.join(COMMANDS)}")
    print(COMMANDS[arguments[0]]())


if __name__ == "__main__":
    main(sys.argv[1:])
