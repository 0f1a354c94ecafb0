"""The package: one ``.ocpkg`` file, which is a ZIP archive. The same input makes the same bytes."""

import io
import os
import pathlib
import stat
import zipfile
from typing import Dict, Iterator

from .manifest import FILE_NAME, MEANINGS, Manifest
from .problem import Problem
from .project import Built, Project

SUFFIX = ".ocpkg"
CODE = "plugin.py"

# Files that may lie beside the manifest, and folders that go in whole.
SINGLE = ("icon.png", "INSTRUCTIONS.md")
FOLDERS = ("public", "assets")

# What systems leave in folders without being asked.
_LITTER = {".DS_Store", "Thumbs.db", "desktop.ini"}

# The limits of servers: what is larger would be refused there.
MAX_PACKAGE_BYTES = 50 * 1024 * 1024
MAX_ENTRIES = 2000
MAX_ENTRY_BYTES = 64 * 1024 * 1024
MAX_UNPACKED_BYTES = 256 * 1024 * 1024
MAX_EXTRA_BYTES = 4 * 1024 * 1024
MAX_NAME_BYTES = 512

# The earliest time that the format knows, and what every entry gets: no clock and no umask is in the package.
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16


def contents(project: Project, built: Built) -> Dict[str, bytes]:
    """Every entry of the package, by name."""
    # The manifest goes in as it is on the disk, byte for byte.
    found = {FILE_NAME: _read(project.folder, FILE_NAME), CODE: built.text.encode("utf-8")}
    for name in SINGLE:
        if (project.folder / name).is_file():
            found[name] = _read(project.folder, name)
            if len(found[name]) > MAX_EXTRA_BYTES:
                raise Problem("%s is larger than %d MiB" % (name, MAX_EXTRA_BYTES // 1024 // 1024))
    for folder in FOLDERS:
        for name in _files(project.folder, folder):
            found[name] = _read(project.folder, name)
    _check(found)
    return found


def pack(entries: Dict[str, bytes]) -> bytes:
    """The archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(entries):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = _MODE
            # Otherwise it would tell on which system it was made.
            entry.create_system = 3
            archive.writestr(entry, entries[name], compresslevel=9)
    packed = target.getvalue()
    if len(packed) > MAX_PACKAGE_BYTES:
        raise Problem("the package is larger than %d MiB" % (MAX_PACKAGE_BYTES // 1024 // 1024))
    return packed


def missing(manifest: Manifest, entries: Dict[str, bytes]) -> Iterator[str]:
    """Files that the manifest names and that are not there."""
    return ("the manifest names %s, which is not there" % name for name in manifest.files if name not in entries)


def describe(manifest: Manifest, entries: Dict[str, bytes]) -> Iterator[str]:
    """What is inside, and what it asks for."""
    for name in sorted(entries):
        yield "  %-*s %8d bytes" % (max(map(len, entries)), name, len(entries[name]))
    if not manifest.permissions:
        yield "it asks for no permissions"
        return
    yield "it asks for"
    for name in manifest.permissions:
        yield "  %-*s  %s" % (max(map(len, manifest.permissions)), name, MEANINGS[name])
    if manifest.allowed_hosts and "network.fetch" in manifest.permissions:
        yield "  hosts: %s" % ", ".join(manifest.allowed_hosts)


def _files(project: pathlib.Path, folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(str(project / folder)):
        folders.sort()
        for name in sorted(folders + files):
            path = pathlib.Path(place, name)
            shown = path.relative_to(project).as_posix()
            if path.is_symlink():
                raise Problem("%s is a link, and links do not go into packages: put the file itself there" % shown)
            if name in files and name not in _LITTER:
                yield shown


def _read(project: pathlib.Path, name: str) -> bytes:
    try:
        return (project / name).read_bytes()
    except OSError as error:
        raise Problem("%s cannot be read: %s" % (name, error.strerror or error))


def _check(entries: Dict[str, bytes]) -> None:
    if len(entries) > MAX_ENTRIES:
        raise Problem("the package would have %d files, at most %d are allowed" % (len(entries), MAX_ENTRIES))
    if sum(map(len, entries.values())) > MAX_UNPACKED_BYTES:
        raise Problem("the files make more than %d MiB" % (MAX_UNPACKED_BYTES // 1024 // 1024))
    for name, content in entries.items():
        if len(content) > MAX_ENTRY_BYTES:
            raise Problem("%s is larger than %d MiB" % (name, MAX_ENTRY_BYTES // 1024 // 1024))
        try:
            is_long = len(name.encode("utf-8")) > MAX_NAME_BYTES
        except UnicodeEncodeError:
            raise Problem("the name of %r is not text in UTF-8: rename it" % name)
        if is_long or "\\" in name:
            raise Problem("%s cannot be packed: its name is too long or has a backslash in it" % name)
