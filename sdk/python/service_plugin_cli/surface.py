"""Names of the SDK in the sources: those that do not exist, and those the manifest asks no permission for."""

import ast
from typing import Dict, Iterable, Iterator, List, Optional, Set

from service_plugin import plugin, service

from .needs import NEEDS
from .problem import Problem, closest
from .sources import Module
from .stdlib import SDK

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def check(modules: List[Module], granted: Iterable[str]) -> Iterator[str]:
    """Refuse a decorator that there is not. The answer is what will fail when it is called."""
    missing = set(NEEDS.values()) - set(granted)
    for module in modules:
        names = imported(module.tree)
        for statement in module.tree.body if names else ():
            for decorator in statement.decorator_list if isinstance(statement, _FUNCTIONS) else ():
                _refuse_unknown(module, decorator, names)
        for node in _attributes(module.tree) if names else ():
            name = _dotted(node, names)
            if name is None:
                continue
            why = _unknown(name)
            if why:
                yield "%s, line %d: %s" % (module.file, node.lineno, why)
            elif NEEDS.get(name) in missing:
                # Once is enough: one line of the manifest mends all.
                missing.discard(NEEDS[name])
                yield '%s, line %d: %s needs the permission %s: add it to "permissions" of plugin.manifest.json' % (
                    module.file,
                    node.lineno,
                    name,
                    NEEDS[name],
                )


def _refuse_unknown(module: Module, decorator: ast.expr, names: Dict[str, str]) -> None:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = _dotted(called, names) if isinstance(called, ast.Attribute) else None
    why = _unknown(name) if name else None
    if why:
        raise Problem("%s, line %d: %s" % (module.file, decorator.lineno, why))


def _unknown(name: str) -> Optional[str]:
    """What is wrong with a name such as ``service.chat.sned``."""
    owner: object = {"plugin": plugin, "service": service}[name.split(".")[0]]
    path = name.split(".")[0]
    for part in name.split(".")[1:]:
        known = [one for one in dir(owner) if not one.startswith("_")]
        if part.startswith("_"):
            # Nobody's business but the author's.
            return None
        if part not in known:
            return "there is no %s.%s%s" % (path, part, closest(part, known))
        owner, path = getattr(owner, part), "%s.%s" % (path, part)
    return None


def called(node: ast.AST, plugins: Iterable[str]) -> Optional[str]:
    """The method of `plugin` that an expression such as ``plugin.get`` names, where `plugin` has one of these names."""
    is_one = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in plugins
    return node.attr if is_one else None  # type: ignore[attr-defined]


def _attributes(tree: ast.AST) -> List[ast.Attribute]:
    """In the order of their lines. Of ``service.chat.send`` the whole counts, and not its beginning."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    inner = {id(node.value) for node in found}
    return sorted((node for node in found if id(node) not in inner), key=lambda node: (node.lineno, node.col_offset))


def _dotted(node: ast.AST, names: Dict[str, str]) -> Optional[str]:
    """The name under which the SDK knows it, at most ``service.group.call``; None for what is not the SDK's."""
    parts: List[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not parts or not isinstance(node, ast.Name) or node.id not in names:
        return None
    first = names[node.id]
    return ".".join([first] + parts[::-1][: 2 if first == "service" else 1])


def imported(tree: ast.AST) -> Dict[str, str]:
    """What `plugin` and `service` are called in a module; a name that also means something else there does not count."""
    found: Dict[str, str] = {}
    others: Set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == SDK and not node.level:
            found.update((one.asname or one.name, one.name) for one in node.names if one.name in ("plugin", "service"))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
        elif isinstance(node, ast.arg):
            others.add(node.arg)
        elif isinstance(node, _FUNCTIONS + (ast.ClassDef,)):
            others.add(node.name)
    return {name: meaning for name, meaning in found.items() if name not in others}
