"""MediaMTX, built from its Go module, because Debian has no package of it."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import zipfile

import servers

MODULE = "github.com/bluenviron/mediamtx"
VERSION = "v1.15.3"
# Of the module, as the public checksum database has it. The sums of what it depends on are in its own go.sum.
SUM = "h1:JZXYLqTf5qFu3Qh2kYevZAjPiP95y3LW8LzXpvYiloU="
# Its makers generate these, so the module comes without them, and the compiler wants them to be there.
# They are the player of its pages and the program for the camera of a Raspberry Pi; nothing here uses either.
EMPTY_FILES = [
    "internal/servers/hls/hls.min.js",
    "internal/staticsources/rpicamera/mtxrpicam_32/none",
    "internal/staticsources/rpicamera/mtxrpicam_64/none",
]


def built():
    """The path of the program, built when it is not there; None, and a line that says why, when it cannot be built."""
    path = servers.cache() / f"mediamtx-{VERSION}" / "mediamtx"
    if path.is_file():
        return str(path)
    if shutil.which("go") is None:
        print("MediaMTX is missing, so is its row: install Go, or put its program `mediamtx` where PATH finds it")
        return None
    print(f"building MediaMTX {VERSION} once, into {path.parent}", flush=True)
    path.parent.mkdir(exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            build(unpack(pathlib.Path(folder)), path)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"MediaMTX could not be built, so its row is missing: {error}")
        return None
    return str(path)


def unpack(folder):
    """The folder with the sources, with what the module lacks."""
    # Go tells errors in this answer, too.
    answer = json.loads(go(folder, "mod", "download", "-json", f"{MODULE}@{VERSION}", check=False))
    if "Error" in answer:
        raise ValueError(answer["Error"])
    if answer["Sum"] != SUM:
        raise ValueError(f"{MODULE} {VERSION} has the sum {answer['Sum']}, not {SUM}")
    # Not a copy of Go's folder: nothing may be written in that, nor in its copy.
    with zipfile.ZipFile(answer["Zip"]) as module:
        module.extractall(folder)
    sources = folder / f"{MODULE}@{VERSION}"
    for name in EMPTY_FILES:
        (sources / name).parent.mkdir(exist_ok=True)
        (sources / name).touch()
    (sources / "internal/core/VERSION").write_text(VERSION)
    return sources


def build(sources, path):
    unfinished = sources / "mediamtx.unfinished"
    # As its makers build it. The cache may lie in somebody's repository, whose state is none of its business.
    go(sources, "build", "-buildvcs=false", "-o", str(unfinished), ".")
    unfinished.rename(path)


def go(folder, *arguments, check=True):
    """What it prints; its complaints go where ours go."""
    # Not in a workspace that the cache may lie in.
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    command = ["nice", "-n", "10", "go", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, check=check, stdout=subprocess.PIPE, text=True).stdout
