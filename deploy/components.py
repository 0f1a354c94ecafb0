"""What of others is inside the program, and what of others builds it: crates, npm packages, Python packages."""

import base64
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import engine  # noqa: E402
import pinned  # noqa: E402

UI = ROOT / "ui"

# npm calls these development packages, yet they end up in the pages: hls.js is built from its sources, which ask for
# them.
BUNDLED = ("@svta/cml-id3", "eventemitter3", "url-toolkit")

# What the tool that builds the engine of plugins has inside.
THIRD_PARTY = pathlib.Path(__file__).resolve().parent / "third-party"
CPYTHON = "3.14"
CPYTHON_LICENCE = THIRD_PARTY / "cpython"

# What ui/scripts/emoji-data.mjs has taken the names of emoji from.
EMOJI = "17.0.0"
EMOJI_LICENCES = THIRD_PARTY / "emojibase-data"
# What emojibase does not speak, it has taken from Unicode's own packages.
CLDR = "47.0.0"
CLDR_LICENCE = THIRD_PARTY / "cldr-annotations"


@dataclasses.dataclass(frozen=True)
class Component:
    """One package of others."""

    kind: str  # where it is from, as package URLs call it: cargo, npm, pypi, generic
    name: str
    version: str
    licence: str  # an SPDX expression
    checksum: tuple = ()  # algorithm and hexadecimal digits
    is_inside: bool = True  # in the program, not only needed to build it
    folder: pathlib.Path = None  # where its licence can be read


def everything():
    """All components, sorted, for the architecture of this machine."""
    found = [*crates(), *npm_packages(), *emoji_names(), *python_packages()]
    return sorted(found, key=lambda component: (component.kind, component.name, component.version))


def crates():
    """The crates of the server. Cargo's tree knows which are linked; its metadata knows their licences."""
    platform = ("--locked", "--filter-platform", engine.target())
    packages = json.loads(cargo("metadata", "--format-version=1", *platform))["packages"]
    inside = tree("normal,no-proc-macro")
    used = inside | tree("normal,build")
    checksums = locked_checksums((ROOT / "Cargo.lock").read_text())
    for package in packages:
        key = package["name"], package["version"]
        is_ours = package["source"] is None
        if key not in used or is_ours:
            continue
        yield Component(
            "cargo",
            *key,
            # The old way to write it, which SPDX does not know.
            (package["license"] or "").replace("/", " OR "),
            ("SHA-256", checksums[key]),
            key in inside,
            pathlib.Path(package["manifest_path"]).parent,
        )


def tree(edges):
    """Names and versions of the crates that the server reaches by these edges, with the features it is built with."""
    lines = cargo(
        *("tree", "--locked", "--package", "server", "--target", engine.target()),
        *("--edges", edges, "--prefix", "none", "--format", "{p}"),
    ).splitlines()
    words = (line.split() for line in lines if line)
    return {(name, version[1:]) for name, version, *_ in words}


def locked_checksums(lock):
    """SHA-256 of every crate of a registry, out of Cargo.lock."""
    entry = r'name = "([^"]+)"\nversion = "([^"]+)"\nsource = "registry[^"]*"\nchecksum = "([0-9a-f]{64})"'
    return {(name, version): checksum for name, version, checksum in re.findall(entry, lock)}


def npm_packages():
    """What the pages are made of."""
    lock = json.loads((UI / "package-lock.json").read_text())["packages"]
    places = {f"node_modules/{name}" for name in BUNDLED}
    missing = places - lock.keys()
    if missing:
        sys.exit(f"{', '.join(sorted(missing))}: not in ui/package-lock.json; mend BUNDLED in deploy/components.py")
    for place, package in lock.items():
        if place and (place in places or not package.get("dev")):
            algorithm, _, digest = package["integrity"].partition("-")
            digits = base64.b64decode(digest).hex()
            name = place.rpartition("node_modules/")[2]
            checksum = (algorithm.upper().replace("SHA", "SHA-"), digits)
            yield Component("npm", name, package["version"], package["license"], checksum, True, UI / place)


def emoji_names():
    """The names of emoji in the pages, which were written down once; Unicode's data has a licence of its own."""
    yield Component("npm", "emojibase-data", EMOJI, "MIT AND Unicode-3.0", folder=EMOJI_LICENCES)
    for name in ("cldr-annotations-full", "cldr-annotations-derived-full"):
        yield Component("npm", name, CLDR, "Unicode-3.0", folder=CLDR_LICENCE)


def python_packages():
    """The engine of plugins, its data and its compiler."""
    llvm = "Apache-2.0 WITH LLVM-exception"
    parts = ((engine.TOOL, llvm, True), (engine.ZONES, "Apache-2.0", True), (engine.COMPILER, llvm, False))
    for package, licence, is_inside in parts:
        checksum, folder = ("SHA-256", package.checksums()[0]), python_folder(package)
        yield Component("pypi", package.name, package.version, licence, checksum, is_inside, folder)
    yield Component("generic", "cpython", CPYTHON, "Python-2.0", folder=CPYTHON_LICENCE)


def python_folder(package):
    """Where pip has put what a package says about itself; all of them came with the tool of the engine."""
    name = f"{package.name.replace('-', '_')}-{package.version}.dist-info"
    folder = pinned.modules(engine.TOOL) / name
    return folder if folder.is_dir() else None


def cargo(*arguments):
    done = subprocess.run(["cargo", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout
