"""What is wrong or doubtful about the sources, told before a server is asked."""

import ast
import warnings as python_warnings
from types import CodeType
from typing import Iterator, List

from service_plugin import _names
from service_plugin import __all__ as sdk_names
from service_plugin._guest import NAMES

from . import registrations, stdlib, surface
from .imports import Import
from .manifest import Manifest
from .problem import Problem, Problems, closest
from .sources import Module, Sources

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

# What every module has.
_OF_MODULES = set(
    "__annotations__ __doc__ __file__ __loader__ __module__ __name__ __package__ __qualname__ __spec__".split()
)


def check(sources: Sources, modules: List[Module], manifest: Manifest) -> List[str]:
    """Refuse what cannot work, also by what the manifest says. The answer is what will probably not."""
    for one in sources.entry.imports:
        if one.is_relative:
            raise Problem(
                "%s, line %d: a relative import does not work in the entry: write `from words import LIST` instead of "
                "`from .words import LIST`" % (sources.entry.file, one.line)
            )
    for name in sources.machine_code():
        raise Problem(
            "%s is compiled code, which plugins cannot load: use a library, or a version of it, that is pure Python"
            % name
        )
    warnings = [
        "%s is ignored: an import of that name means the standard library; give it another name" % name
        for name in sources.ignored()
    ]
    for module in [sources.entry] + modules:
        _refuse_coroutines(module)
        warnings += _doubtful_imports(sources, module)
    warnings += surface.check([sources.entry] + modules, manifest.permissions)
    wrong = _types_at_run_time([sources.entry] + modules) + registrations.check([sources.entry] + modules, manifest)
    if wrong:
        raise Problems(wrong)
    warnings += _undefined(sources.entry, modules)
    warnings += _shadowing(sources.entry)
    return warnings


def _refuse_coroutines(module: Module) -> None:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                name = _dotted(decorator)
                if name.startswith("plugin."):
                    raise Problem(
                        "%s, line %d: %s is `async def`, and handlers are plain functions: the server waits for what "
                        "@%s returns" % (module.file, node.lineno, node.name, name)
                    )


def _doubtful_imports(sources: Sources, module: Module) -> Iterator[str]:
    told = set()
    for one in module.imports:
        first = one.name.partition(".")[0]
        if one.is_guarded or not one.name or first == stdlib.SDK or sources.is_local(first):
            continue
        if stdlib.is_standard(first):
            name, why = one.name, stdlib.why_unusable(one.name)
            # `from http import client` names the module, too; `from socket import socket` has told it already.
            if why and name not in told and name.rpartition(".")[0] not in told:
                told.add(name)
                yield "%s, line %d: %s does not work inside plugins: %s" % (module.file, one.line, name, why)
        elif first in stdlib.C_EXTENSIONS:
            raise Problem(
                "%s, line %d: %s needs compiled code, which plugins cannot load: use something that is pure Python"
                % (module.file, one.line, first)
            )
        elif not one.is_relative and first not in told:
            told.add(first)
            yield _missing(module, one, first)


def _missing(module: Module, one: Import, first: str) -> str:
    return (
        "%s, line %d: %s is neither in src/ nor in the standard library, so this import fails on the server: copy its "
        "pure-Python source into src/" % (module.file, one.line, first)
    )


def _types_at_run_time(modules: List[Module]) -> List[str]:
    return [
        "%s, line %d: %s is for type checkers and has nothing in it while a plugin runs: import it below "
        "`if TYPE_CHECKING:`" % (module.file, one.line, one.name)
        for module in modules
        for one in module.imports
        if one.name == stdlib.SDK + ".types" and not one.is_guarded
    ]


def _undefined(entry: Module, modules: List[Module]) -> Iterator[str]:
    """Names that nobody defines."""
    looked = {module.file: _names.Looked([_compiled(module)], has_run=False) for module in [entry] + modules}
    for module in [entry] + modules:
        known = _OF_MODULES | (set(NAMES) if module is entry else set())
        stars = [node.module for node in ast.walk(module.tree) if _is_star(node)]  # type: ignore[attr-defined]
        if any(star != stdlib.SDK for star in stars):
            continue
        own = looked[module.file]
        for one in _names.missing(own, known.union(sdk_names if stars else ()), looked.values()):
            meant = closest(one.name, own.defined | known)
            yield "%s, line %d: `%s` is not defined%s" % (module.file, one.line, one.name, meant)


def _compiled(module: Module) -> CodeType:
    try:
        with python_warnings.catch_warnings():
            python_warnings.simplefilter("ignore")
            return compile(module.text, module.file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # Some mistakes are only found here, such as `return` outside of a function.
        place = "%s, line %s" % (module.file, getattr(error, "lineno", None) or "?")
        raise Problem("syntax error in %s: %s" % (place, getattr(error, "msg", None) or error))


def _is_star(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)


def _shadowing(entry: Module) -> Iterator[str]:
    """On some servers the entry shares its names with the SDK, so `def json` there would break it."""
    for node in entry.tree.body:
        if isinstance(node, _FUNCTIONS) and stdlib.is_standard(node.name):
            yield (
                "%s, line %d: %s is the name of a standard module: name it otherwise, because on some servers it "
                "breaks the plugin" % (entry.file, node.lineno, node.name)
            )


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    if isinstance(node, ast.Attribute):
        return "%s.%s" % (_dotted(node.value), node.attr)
    return node.id if isinstance(node, ast.Name) else ""
