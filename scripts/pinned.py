"""Small tools of the Python Package Index, each in a virtual environment of its own in the cache.

A tool is one package that needs no other, in one version, whose archive is known by its checksum. Only the
standard library is used: this has to run before anything is installed.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

INSTALL_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Package:
    """One version of a package, and the SHA-256 of its wheel."""

    name: str
    version: str
    sha256: str


# Builds the wheel of the SDK. The last line of versions that also reads how older ones want the licence written.
SETUPTOOLS = Package("setuptools", "80.9.0", "062d34222ad13e0cc312a4c02d73f059e86a4acbfbdea8f8f76b28c99f306922")

# Tells which Python a source needs.
VERMIN = Package("vermin", "1.9.2", "3e3e95d937f7d165eb928e0c268dfec466ccc40e9e1ce825e5d6e5aa027b6f30")


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "rillcast"


def python_with(package):
    """A Python that has the package; it is installed on first use."""
    folder = cache() / f"venv-{package.name}-{package.version}-{sys.version_info[0]}.{sys.version_info[1]}"
    python, stamp = folder / "bin" / "python", folder / "installed"
    # A virtual environment dies with the Python it was made of.
    if stamp.is_file() and os.access(python, os.X_OK):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"installing {package.name} {package.version}", file=sys.stderr, flush=True)
    venv.create(folder, with_pip=True)
    with tempfile.TemporaryDirectory(prefix="pinned-") as scratch:
        wanted = pathlib.Path(scratch) / "wanted.txt"
        wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
        flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes"]
        run([python, "-m", "pip", "install", *flags, "-r", wanted])
    stamp.touch()
    return python


def run(command, env=None):
    """Run a tool; show what it said only if it failed."""
    # What it writes has the same modes on every machine: they get into archives.
    flags = {"timeout": INSTALL_SECONDS, "env": env, "umask": 0o022}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **flags)
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        sys.exit(f"{' '.join(map(str, command[1:4]))} failed; what it said is above")
