#!/usr/bin/env python3
"""Build the wheel of the plugin SDK into dist/, unless it is there already, and print its path.

The same sources make the same bytes, whoever builds them and when. What was built is kept in the cache, named after
everything it is made of, so a second run only looks.
"""

import hashlib
import os
import pathlib
import re
import shutil
import sys
import tempfile

from pinned import SETUPTOOLS, cache, python_with, run

ROOT = pathlib.Path(__file__).resolve().parent.parent
SDK = ROOT / "sdk" / "python"
TARGET = ROOT / "dist"
PARTS = ("pyproject.toml", "README.md", "service_plugin", "service_plugin_cli")

# Every entry of the archive is as old as a ZIP archive can say: 1980-01-01.
EPOCH = "315532800"


def inputs():
    """Every file the wheel is made of."""
    found = (file for part in PARTS for file in ([SDK / part] if (SDK / part).is_file() else (SDK / part).rglob("*")))
    return sorted(file for file in found if file.is_file() and "__pycache__" not in file.parts)


def fingerprint():
    """Names the wheel: the same inputs give the same name."""
    digest = hashlib.sha256(repr((SETUPTOOLS, EPOCH)).encode())
    for file in inputs():
        content = file.read_bytes()
        digest.update(f"\0{file.relative_to(SDK).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def name():
    """What the file is called, as the standard for wheels has it."""
    version = re.search(r'^version = "([^"]+)"', (SDK / "pyproject.toml").read_text(), re.M).group(1)
    return f"service_plugin-{version}-py3-none-any.whl"


def build(target=TARGET):
    """The wheel in a folder of which it is the only one."""
    kept = cache() / f"wheel-{fingerprint()}" / name()
    if not kept.is_file():
        make(kept)
    wheel = target / name()
    for other in target.glob("service_plugin-*.whl"):
        if other != wheel:
            other.unlink()
    if not wheel.is_file() or wheel.read_bytes() != kept.read_bytes():
        target.mkdir(parents=True, exist_ok=True)
        # Renamed at the end: somebody may be reading the former one.
        with tempfile.TemporaryDirectory(prefix=".wheel-", dir=target) as scratch:
            copy = pathlib.Path(scratch) / name()
            shutil.copyfile(kept, copy)
            copy.replace(wheel)
    return wheel


def make(kept):
    """Build it from copies: nothing that lies beside the sources gets in, and no mode of this machine's files."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    print("building the wheel of the plugin SDK (its sources are new or have changed)", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="wheel-", dir=kept.parent) as scratch:
        scratch = pathlib.Path(scratch)
        for file in inputs():
            copy = scratch / "sources" / file.relative_to(SDK)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
            copy.chmod(0o644)
        flags = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation"]
        pip = [python_with(SETUPTOOLS), "-m", "pip", "wheel", *flags]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
        run([*pip, "--wheel-dir", scratch / "made", scratch / "sources"], environment)
        # Renamed at the end: a run that was stopped leaves nothing that looks finished.
        (scratch / "made" / name()).replace(kept)


if __name__ == "__main__":
    if len(sys.argv) != 1:
        sys.exit("usage: wheel.py")
    print(build())
