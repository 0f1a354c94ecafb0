"""Which modules a source imports, found without running it."""

import ast
from typing import Iterator, List, NamedTuple, Optional, Tuple

_CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


class Import(NamedTuple):
    """One name that is imported."""

    name: str
    line: int
    # It may be an attribute of its parent instead of a module: `from a import b`.
    is_uncertain: bool
    # Its absence is provided for, or it is for type checkers.
    is_guarded: bool
    # Written with dots in front.
    is_relative: bool


def scan(tree: ast.AST, package: Optional[str]) -> List[Import]:
    """All imports of a module, those inside functions as well.

    `package` is where relative imports begin: the package the module is in, or itself if it is one; None for the entry
    and for modules that are in none.
    """
    found: List[Import] = []
    for node, is_guarded in _walk(tree):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, node.lineno, False, is_guarded, False) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += _from(node, package, is_guarded)
    return sorted(found, key=lambda one: one.line)


def _from(node: ast.ImportFrom, package: Optional[str], is_guarded: bool) -> Iterator[Import]:
    is_relative = bool(node.level)
    base = _base(node, package)
    if base is None:
        # Above the source root there is nothing. It is told all the same: in the entry it is a mistake.
        yield Import("", node.lineno, True, is_guarded, True)
        return
    if base:
        yield Import(base, node.lineno, False, is_guarded, is_relative)
    for alias in node.names:
        if alias.name != "*":
            name = base + "." + alias.name if base else alias.name
            yield Import(name, node.lineno, bool(base), is_guarded, is_relative)


def _base(node: ast.ImportFrom, package: Optional[str]) -> Optional[str]:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    climbed = node.level - 1
    if climbed >= len(parts):
        return None
    parts = parts[: len(parts) - climbed]
    return ".".join(parts + ([node.module] if node.module else []))


def _walk(tree: ast.AST) -> Iterator[Tuple[ast.AST, bool]]:
    """Every node, with whether a failing import there would do no harm. Without recursion: sources can nest deeply."""
    waiting: List[Tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, is_guarded = waiting.pop()
        yield node, is_guarded
        guarded: List[ast.stmt] = []
        if isinstance(node, ast.Try) and any(map(_catches_imports, node.handlers)):
            guarded = node.body
        elif isinstance(node, ast.If) and _is_type_checking(node.test):
            guarded = node.body
        waiting += [(child, is_guarded or child in guarded) for child in ast.iter_child_nodes(node)]


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    if caught is None:
        return True
    several = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(one, ast.Name) and one.id in _CAUGHT for one in several)


def _is_type_checking(test: ast.AST) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"
