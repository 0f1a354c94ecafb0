"""Fetching a host that was built for this kind of machine, once.

A release is a folder ``v<version>`` below an address, with one compressed program per kind of machine, named
``rillcast-<system>-<machine>.gz``, and their checksums in ``SHA256SUMS``.
"""

import gzip
import hashlib
import http.client
import os
import pathlib
import platform
import re
import shutil
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zlib
from typing import IO, Any, Optional

from . import VERSION
from .problem import Problem

ADDRESS = "SERVICE_PLUGIN_RELEASES"
WANTED = "SERVICE_PLUGIN_HOST_BINARIES_VERSION"

# Where releases are when nothing else is said. Empty as long as there is no such place.
USUAL_ADDRESS = ""

INSTEAD = "set SERVICE_PLUGIN_HOST to a rillcast that you have, or SERVICE_PLUGIN_HOST_BIN_DIR to its folder"

SUMS = "SHA256SUMS"

# A server that says nothing for so long is taken for dead.
SILENCE_SECONDS = 30
# What an answer may have at most: a wrong address must not fill the disk.
MAX_PACKED_BYTES = 512 * 1024 * 1024
MAX_UNPACKED_BYTES = 1024 * 1024 * 1024
MAX_SUMS_BYTES = 64 * 1024
CHUNK_BYTES = 64 * 1024

_SYSTEMS = {"linux": "linux", "darwin": "macos"}
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "arm64": "arm64", "aarch64": "arm64"}


def version() -> str:
    """The version to fetch: the SDK's own, unless another one is asked for."""
    wanted = os.environ.get(WANTED) or VERSION
    if not re.fullmatch(r"v?\d+\.\d+\.\d+[0-9A-Za-z.+-]*", wanted):
        raise Problem("%s is %r, which is no version such as %s" % (WANTED, wanted, VERSION))
    return wanted[1:] if wanted.startswith("v") else wanted


def asset() -> str:
    """The name of the file for this machine."""
    system = _SYSTEMS.get(platform.system().lower())
    machine = _MACHINES.get(platform.machine().lower())
    if system is None or machine is None:
        kind = "%s on %s" % (platform.system() or "an unknown system", platform.machine() or "an unknown machine")
        raise Problem("there is no prebuilt host for %s: build rillcast there, then %s" % (kind, INSTEAD))
    return "rillcast-%s-%s.gz" % (system, machine)


def fetch(version: str, target: pathlib.Path) -> None:
    """Fetch the host, check it, and put it where it belongs."""
    name = asset()
    folder = "%s/v%s" % (_address(), version)
    print("fetching the host for plugins, rillcast %s, once" % version, file=sys.stderr)
    wanted = _checksum(folder, name)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=str(target.parent)) as scratch:
            packed = pathlib.Path(scratch) / "packed"
            found = _download("%s/%s" % (folder, name), packed)
            if found != wanted:
                raise Problem(
                    "%s/%s has the checksum %s, and %s says %s: nothing was kept; try again, or %s"
                    % (folder, name, found, SUMS, wanted, INSTEAD)
                )
            program = pathlib.Path(scratch) / "program"
            _unpack(packed, program)
            program.chmod(0o755)
            # Last, and in one step: a run that is stopped leaves nothing that looks finished.
            os.replace(str(program), str(target))
    except OSError as error:
        raise Problem("the host cannot be kept in %s: %s" % (target.parent, error.strerror or error))


def has_address() -> bool:
    """Whether there is a place to fetch from."""
    return bool(os.environ.get(ADDRESS) or USUAL_ADDRESS)


def _address() -> str:
    address = (os.environ.get(ADDRESS) or USUAL_ADDRESS).rstrip("/")
    if not _is_safe(address):
        raise Problem("%s is %s: it must begin with https://" % (ADDRESS, address))
    return address


def _is_safe(address: str) -> bool:
    """What comes from there is run, so nobody on the way may change it."""
    parts = urllib.parse.urlsplit(address)
    is_here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and is_here))


def _checksum(folder: str, name: str) -> str:
    address = "%s/%s" % (folder, SUMS)
    with _open(address) as answer:
        listed = _read(answer, MAX_SUMS_BYTES, address).decode("utf-8", "replace")
    for line in listed.splitlines():
        found = re.fullmatch(r"([0-9a-fA-F]{64})[ \t]+\*?(\S+)", line.strip())
        if found and found.group(2) == name:
            return found.group(1).lower()
    raise Problem("%s does not list %s, so there is no host for this kind of machine: %s" % (address, name, INSTEAD))


def _download(address: str, target: pathlib.Path) -> str:
    """Write what is there to a file. The answer is its checksum."""
    digest = hashlib.sha256()
    with _open(address) as answer, open(str(target), "wb") as file:
        bar = Bar(answer.headers.get("Content-Length"))
        done = 0
        while True:
            chunk = _read(answer, CHUNK_BYTES, address)
            if not chunk:
                break
            done += len(chunk)
            if done > MAX_PACKED_BYTES:
                raise Problem("%s is larger than any host can be" % address)
            digest.update(chunk)
            file.write(chunk)
            bar.show(done)
        bar.end()
    return digest.hexdigest()


def _unpack(packed: pathlib.Path, program: pathlib.Path) -> None:
    try:
        with gzip.open(str(packed), "rb") as source, open(str(program), "wb") as file:
            done = 0
            while True:
                chunk = source.read(CHUNK_BYTES)
                if not chunk:
                    return
                done += len(chunk)
                if done > MAX_UNPACKED_BYTES:
                    raise Problem("the host unpacks to more than any host can be")
                file.write(chunk)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Problem("the host that was fetched is damaged: %s" % error)


def _open(address: str) -> Any:
    try:
        answer = urllib.request.urlopen(address, timeout=SILENCE_SECONDS)
        if not _is_safe(answer.geturl()):
            answer.close()
            raise Problem("%s leads to %s, which is not safe: it must begin with https://" % (address, answer.geturl()))
        return answer
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 404:
            raise Problem(
                "there is no %s: the release is not there; %s, or ask for another version with %s"
                % (address, INSTEAD, WANTED)
            )
        raise Problem("%s answered %d %s: try again later, or %s" % (address, error.code, error.reason, INSTEAD))
    except (OSError, http.client.HTTPException) as error:
        raise _failed(address, error)


def _read(answer: IO[bytes], most: int, address: str) -> bytes:
    try:
        return answer.read(most)
    except (OSError, http.client.HTTPException) as error:
        raise _failed(address, error)


def _failed(address: str, error: Exception) -> Problem:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
    return Problem("%s cannot be fetched (%s): are you offline? %s" % (address, reason, INSTEAD))


class Bar:
    """How far it is, for people who look at a terminal."""

    def __init__(self, total: Optional[str]) -> None:
        self.total = int(total) if total and total.isdigit() else 0
        self.is_shown = sys.stderr.isatty()
        self.last = ""

    def show(self, done: int) -> None:
        """Draw it anew where it changed."""
        megabytes = "%.1f MB" % (done / 1e6)
        line = megabytes
        if self.total:
            width = max(10, min(40, shutil.get_terminal_size().columns - 30))
            filled = min(width, width * done // self.total)
            line = "[%s%s] %3d %%  %s" % ("#" * filled, "." * (width - filled), 100 * done // self.total, megabytes)
        if self.is_shown and line != self.last:
            print("\r" + line, end="", file=sys.stderr, flush=True)
            self.last = line

    def end(self) -> None:
        """Leave the line."""
        if self.last:
            print(file=sys.stderr)
