"""A plugin's folder, and what is built from it."""

import os
import pathlib
import tempfile
from typing import List, Tuple

from . import addresses
from . import manifest as manifests
from .bundle import bundle
from .checks import check
from .problem import Problem
from .sources import Sources

# As many bytes of code as a server reads.
MAX_CODE_BYTES = 8 * 1024 * 1024

# Names, times and sizes of files.
Stamp = Tuple[Tuple[str, int, int], ...]


class Project:
    """A folder with a manifest and an entry."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder.resolve()
        self.manifest_text = self._manifest_text(folder)
        try:
            self.manifest = manifests.parse(self.manifest_text)
        except manifests.ManifestError as error:
            # One line, with the file's name in front once.
            raise Problem(_in_manifest(error))
        self.entry = self._entry(folder)
        self.output = self.folder / (self.manifest.slug + ".py")

    def sources(self) -> Sources:
        """The author's Python files."""
        return Sources(self.folder, self.entry)

    def built(self) -> "Built":
        """What the sources make. Nothing is written."""
        sources = self.sources()
        modules = sources.local_modules()
        warnings = ["%s: %s" % (manifests.FILE_NAME, remark) for remark in self.manifest.remarks]
        warnings += check(sources, modules, self.manifest)
        warnings += addresses.check(self.folder, [sources.entry] + modules, self.manifest.slug)
        for module in [sources.entry] + modules:
            if module.path == self.output:
                raise Problem(
                    "%s is a source and would be overwritten by what is built: move the sources into src/" % module.file
                )
        text = bundle(sources.entry, modules)
        if len(text.encode("utf-8")) > MAX_CODE_BYTES:
            raise Problem("the sources make more than %d MiB of code" % (MAX_CODE_BYTES // 1024 // 1024))
        return Built(text, len(modules), warnings)

    def is_stale(self, built: "Built") -> bool:
        """Whether the file on the disk is not what the sources make now."""
        try:
            return self.output.read_bytes() != built.text.encode("utf-8")
        except OSError:
            return True

    def write(self, built: "Built") -> None:
        """Write the file that a host loads."""
        replace(self.output, built.text.encode("utf-8"))

    def stamp(self) -> Stamp:
        """Changes when the manifest or a source does."""
        files = [self.folder / manifests.FILE_NAME] + sorted(self.entry.parent.rglob("*.py"))
        told: List[Tuple[str, int, int]] = []
        for file in files:
            if file != self.output:
                try:
                    facts = file.stat()
                except OSError:
                    continue
                told.append((str(file), facts.st_mtime_ns, facts.st_size))
        return tuple(told)

    def _manifest_text(self, folder: pathlib.Path) -> str:
        file = self.folder / manifests.FILE_NAME
        try:
            return file.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise Problem(
                "there is no %s in %s: run this in a plugin's folder, or give that folder"
                % (manifests.FILE_NAME, _shown(folder))
            )
        except UnicodeDecodeError:
            raise Problem("%s is not text in UTF-8" % manifests.FILE_NAME)
        except OSError as error:
            raise Problem("%s cannot be read: %s" % (file, error.strerror or error))

    def _entry(self, folder: pathlib.Path) -> pathlib.Path:
        for place in ("src/plugin.py", "plugin.py"):
            if (self.folder / place).is_file():
                return self.folder / place
        raise Problem("there is no code in %s: neither src/plugin.py nor plugin.py is there" % _shown(folder))


class Built:
    """What sources were made into."""

    def __init__(self, text: str, modules: int, warnings: List[str]) -> None:
        self.text = text
        self.modules = modules
        self.warnings = warnings


def replace(path: pathlib.Path, content: bytes) -> None:
    """Write a file whole or not at all: a host may be reading it."""
    try:
        handle, scratch = tempfile.mkstemp(prefix="." + path.name, dir=str(path.parent))
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(scratch, 0o644)
            os.replace(scratch, str(path))
        except BaseException:
            os.unlink(scratch)
            raise
    except OSError as error:
        raise Problem("%s cannot be written: %s" % (path, error.strerror or error))


def _in_manifest(error: manifests.ManifestError) -> str:
    if error.path == manifests.FILE_NAME:
        return str(error)
    return "%s: %s" % (manifests.FILE_NAME, error)


def _shown(folder: pathlib.Path) -> str:
    return "this folder" if str(folder) == "." else str(folder)
