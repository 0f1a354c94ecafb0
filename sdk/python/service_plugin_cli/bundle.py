"""One file out of many: the text that a server runs as a plugin."""

import ast
import pathlib
from typing import List, Optional

from . import stdlib
from .sources import Module

LOADER = pathlib.Path(__file__).resolve().parent / "loader.py"

_NAMES = ("plugin", "service", "filter", "auth_check", "CommandContext")


def bundle(entry: Module, modules: List[Module]) -> str:
    """The entry alone, or the entry with its local modules inside."""
    if not modules:
        return without_sdk_imports(entry)
    return with_modules(entry, modules)


def without_sdk_imports(entry: Module) -> str:
    """The source with the imports of the SDK left empty: its names are there without them.

    Every other line stays where it is, so that errors are told with the lines their author sees.
    """
    lines = entry.text.split("\n")
    for node in ast.walk(entry.tree):
        if isinstance(node, ast.ImportFrom) and node.module == stdlib.SDK and not node.level:
            replacement = _in_place_of(node, lines)
            if replacement is not None:
                first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
                lines[first : last + 1] = [replacement] + [""] * (last - first)
    return "\n".join(lines)


def _in_place_of(node: ast.ImportFrom, lines: List[str]) -> Optional[str]:
    """What an import of the SDK becomes; None when it has to stay because it shares its line or asks for more."""
    before = lines[node.lineno - 1].encode("utf-8")[: node.col_offset].decode("utf-8")
    after = lines[(node.end_lineno or node.lineno) - 1].encode("utf-8")[node.end_col_offset or 0 :].decode("utf-8")
    is_alone = not before.strip() and (not after.strip() or after.strip().startswith("#"))
    if not is_alone or any(alias.name not in _NAMES + ("*",) for alias in node.names):
        return None
    renamed = ["%s = %s" % (alias.asname, alias.name) for alias in node.names if alias.asname not in (None, alias.name)]
    if renamed or before:
        # A block must not become empty, so there is something left inside one.
        return before + ("; ".join(renamed) or "pass")
    return ""


def with_modules(entry: Module, modules: List[Module]) -> str:
    """Every module as text inside one file, with a small loader that hands them to Python's own import."""
    parts = ["# Built by service-plugin-py: change the sources below src/ and build again.", ""]
    parts += [LOADER.read_text(encoding="utf-8").partition('"""\n')[2].strip("\n"), "", ""]
    parts.append("_bundle = _load_bundle({")
    parts += [_embedded(module) for module in modules]
    parts += ["}, %r," % entry.file, _literal(entry.text, ""), ", globals())", "exec(_bundle)", ""]
    return "\n".join(parts)


def _embedded(module: Module) -> str:
    return "%r: (%r, %r,\n%s\n)," % (module.name, module.file, module.is_package, _literal(module.text, " "))


def _literal(text: str, indent: str) -> str:
    """A text as Python writes it, line by line, so that people can read what is in a package."""
    lines = text.splitlines(True) or [""]
    return "\n".join(indent + repr(line) for line in lines)
