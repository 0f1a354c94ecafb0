"""The author's Python files: where they are, and what each imports."""

import ast
import pathlib
import tokenize
import warnings
from typing import Dict, List, NamedTuple, Optional, Tuple

from . import stdlib
from .imports import Import, scan
from .problem import Problem

ENTRY_MODULE = "plugin"
ENTRY = "plugin entry"

# Compiled code that Python would load in place of a module.
_MACHINE_CODE = (".so", ".pyd", ".dylib", ".dll")

# What may lie beside a plugin whose sources are in no folder of their own.
_NOT_SOURCES = {"public", "assets", "__tests__", "__pycache__", "node_modules"}


class Module(NamedTuple):
    """One source file."""

    name: str
    # Relative to the project, with slashes.
    file: str
    path: pathlib.Path
    is_package: bool
    text: str
    tree: ast.Module
    imports: List[Import]


class Sources:
    """The folder that local modules are looked for in."""

    def __init__(self, project: pathlib.Path, entry: pathlib.Path) -> None:
        self.project = project
        self.root = entry.parent
        self.entry = self._read(ENTRY_MODULE, entry, False)

    def local_modules(self) -> List[Module]:
        """Every local module that the entry needs, directly or by way of others, sorted by name."""
        found: Dict[str, Optional[Module]] = {ENTRY_MODULE: None}
        waiting = [self.entry]
        while waiting:
            for one in waiting.pop().imports:
                for name in _with_parents(one.name):
                    if name not in found:
                        found[name] = module = self._find(name)
                        if module is not None:
                            waiting.append(module)
        return sorted((module for module in found.values() if module is not None), key=lambda module: module.name)

    def locate(self, name: str) -> Optional[Tuple[pathlib.Path, bool]]:
        """The file of a dotted name, and whether it is a package. A package goes before a module, as in Python."""
        base = self.root.joinpath(*name.split("."))
        for path, is_package in ((base / "__init__.py", True), (base.with_name(base.name + ".py"), False)):
            if path.is_file():
                return path, is_package
        return None

    def is_local(self, name: str) -> bool:
        """Whether an import means a file of the author's. The standard library and the SDK cannot be replaced."""
        first = name.partition(".")[0]
        if not name or first == stdlib.SDK or stdlib.is_standard(name):
            return False
        return self.locate(name) is not None or self._is_bare_package(name)

    def machine_code(self) -> List[str]:
        """Files among the sources that are no Python source."""
        found = []
        for path in sorted(self.root.rglob("*")):
            parts = path.relative_to(self.root).parts
            is_beside = self.root == self.project and (
                parts[0] in _NOT_SOURCES or _is_environment(self.root / parts[0])
            )
            if path.suffix in _MACHINE_CODE and not is_beside and not any(part.startswith(".") for part in parts):
                found.append(self._shown(path))
        return found

    def ignored(self) -> List[str]:
        """Files that cannot be imported, because the standard library has a module of their name."""
        hidden = sorted(self.root.glob("*.py")) + sorted(path.parent for path in self.root.glob("*/__init__.py"))
        return [self._shown(path) for path in hidden if stdlib.is_standard(path.stem)]

    def _is_bare_package(self, name: str) -> bool:
        """A folder without ``__init__.py`` is a package, too, if there are modules in it."""
        folder = self.root.joinpath(*name.split("."))
        return folder.is_dir() and any(folder.glob("*.py"))

    def _find(self, name: str) -> Optional[Module]:
        found = self.locate(name) if self.is_local(name) else None
        return None if found is None else self._read(name, *found)

    def _read(self, name: str, path: pathlib.Path, is_package: bool) -> Module:
        shown = ENTRY if name == ENTRY_MODULE else "module %s" % name
        try:
            with tokenize.open(str(path)) as file:
                text = file.read()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except OSError as error:
            raise Problem("%s cannot be read: %s: %s" % (shown, path, error.strerror or error))
        except SyntaxError as error:
            place = self._shown(path) + (", line %d" % error.lineno if error.lineno else "")
            raise Problem("syntax error in %s (%s): %s" % (shown, place, error.msg))
        except (ValueError, RecursionError, MemoryError) as error:
            raise Problem("syntax error in %s (%s): %s" % (shown, self._shown(path), error))
        package = name if is_package else name.rpartition(".")[0]
        return Module(name, self._shown(path), path, is_package, text, tree, scan(tree, package or None))

    def _shown(self, path: pathlib.Path) -> str:
        return path.relative_to(self.project).as_posix()


def _with_parents(name: str) -> List[str]:
    parts = name.split(".") if name else []
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


def _is_environment(folder: pathlib.Path) -> bool:
    return (folder / "pyvenv.cfg").is_file()
