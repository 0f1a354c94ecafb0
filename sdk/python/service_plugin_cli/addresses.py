"""Absolute addresses of the plugin's own pages in what it serves.

A viewer who is known comes by an address that says so, below which relative addresses stay. An absolute one leaves it,
and whoever asks for it is a stranger.
"""

import ast
import pathlib
import posixpath
import re
from typing import Dict, Iterator, List, Set, Tuple

from .sources import Module

FOLDER = "public"
SUFFIXES = (".css", ".htm", ".html", ".js", ".mjs", ".svg")
# Files whose relative addresses begin at themselves; those of scripts begin at the page they run in.
OF_PAGES = (".css", ".htm", ".html", ".svg")
# Larger ones are nobody's own work.
MAX_BYTES = 1024 * 1024


def check(project: pathlib.Path, modules: List[Module], slug: str) -> List[str]:
    """A warning for each."""
    pattern = re.compile(r"(?<![\w./-])/plugins/%s(?![\w-])(?:/[^\s\"'`<>()?#\\]*)?" % re.escape(slug))
    found: Dict[str, None] = {}
    for name, text in _served(project):
        for number, line in enumerate(text.split("\n"), 1):
            for address in pattern.findall(line):
                found[_warning(name, number, address, slug)] = None
    for module in modules:
        for number, text in _strings(module.tree):
            for address in pattern.findall(text):
                found[_warning(module.file, number + text[: text.index(address)].count("\n"), address, slug)] = None
    return list(found)


def _warning(name: str, line: int, address: str, slug: str) -> str:
    return "%s:%d: `%s` is an absolute address: viewers behind a login are strangers there; write %s" % (
        name,
        line,
        address,
        _relative(name, address[len("/plugins/" + slug) :].lstrip("/")),
    )


def _relative(name: str, rest: str) -> str:
    if not name.endswith(OF_PAGES):
        return "it relative to the page it is in, such as `%s`" % (rest or "./")
    folder = posixpath.dirname(name[len(FOLDER) + 1 :])
    up = "../" * (folder.count("/") + 1) if folder else ""
    return "`%s`" % (up + rest or "./")


def _served(project: pathlib.Path) -> Iterator[Tuple[str, str]]:
    for path in sorted((project / FOLDER).rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file() and not path.is_symlink():
            try:
                if path.stat().st_size <= MAX_BYTES:
                    yield path.relative_to(project).as_posix(), path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                # Packaging tells.
                continue


def _strings(tree: ast.Module) -> Iterator[Tuple[int, str]]:
    """The texts of a module, but for those that say what something is and for the addresses of buttons."""
    skipped: Set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            skipped.add(id(node.value))
        elif isinstance(node, ast.Dict):
            # A button is on the server's own page, where only an absolute address leads to the plugin.
            skipped.update(
                id(value) for key, value in zip(node.keys, node.values) if getattr(key, "value", None) == "url"
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value
