"""What the sources register with `plugin`, and what of it cannot work.

The same is only a warning when a server loads a package: see `service_plugin._problems`, which has the sentences. Here
the sources are read and nothing is run, so what is put together while a plugin runs is left to the server.
"""

import ast
import inspect
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

from service_plugin import _problems as sentences
from service_plugin._http import Routes
from service_plugin._plugin import Plugin

from .manifest import Manifest
from .sources import Module
from .surface import called, imported

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

# Decorators of routes, with the method of those that have one.
ROUTES = {name: name.upper() for name in ("get", "post", "put", "delete", "patch")}
ROUTES.update(route="", on_http_request="")
WITHOUT_ARGUMENTS = ("on_page_styles", "on_page_scripts")


class Use(NamedTuple):
    """One use of a decorator, or of the method behind it."""

    name: str
    line: int
    # What stands in brackets; None where the handler does, or nothing.
    call: Optional[ast.Call]
    handler: Optional[Function]
    # Outside of any condition, so that it happens.
    is_certain: bool


class Decorator:
    """What a method of `plugin` takes."""

    def __init__(self, name: str) -> None:
        parameters = list(inspect.signature(getattr(Plugin, name)).parameters)[1:]
        self.options = parameters
        self.is_bare = parameters[:1] == ["handler"]
        self.event = _event(name) if self.is_bare else None


def _event(name: str) -> Optional[str]:
    """The event behind a decorator: it is registered, and the registry is asked."""
    registry = Plugin()
    getattr(registry, name)(lambda *_: None)
    return next(iter(registry._events), None)


def check(modules: List[Module], manifest: Manifest) -> List[str]:
    """All that is wrong, each with its file and line."""
    checker = Checker(manifest)
    for module in modules:
        checker.look_at(module)
    return checker.problems


class Checker:
    """Remembers what all modules register: one of them may undo what another does."""

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self.problems: List[str] = []
        self.decorators = {
            name: Decorator(name)
            for name in dir(Plugin)
            if not name.startswith("_") and name not in ("commands", "set_filter_priority")
        }
        self._handlers: Dict[str, str] = {}
        self._commands: Set[Tuple[str, str]] = set()
        self._routes = Routes()

    def look_at(self, module: Module) -> None:
        """Check one module."""
        names = {name for name, meaning in imported(module.tree).items() if meaning == "plugin"}
        if not names:
            return
        read = Reader(module, names)
        found = sorted(read.problems(self), key=lambda one: one[0])
        self.problems += ["%s, line %d: %s" % (module.file, line, text) for line, text in found]

    def judge(self, use: Use, handler_name: str) -> Iterator[str]:
        """What is wrong about one use."""
        decorator, what = self.decorators[use.name], "plugin." + use.name
        if use.call is not None:
            for keyword in use.call.keywords:
                if keyword.arg is not None and keyword.arg not in decorator.options:
                    yield sentences.unknown_option(what, keyword.arg, decorator.options)
        if decorator.is_bare and use.call is not None:
            yield sentences.called_without_handler(what)
            return
        if use.call is None and not decorator.is_bare and use.name != "on_http_request":
            yield "%s takes what it is for: write @%s(%r)" % (what, what, "/" if use.name in ROUTES else "name")
            return
        first = _first_text(use.call)
        if first is not None and use.name in ROUTES and not first.startswith("/"):
            yield sentences.route_without_slash(first)
        if first is not None and use.name == "on_tab_content" and first not in self.manifest.tabs:
            yield sentences.no_such_tab(first, self.manifest.tabs)
        if first is not None and use.name == "on_page_content" and first not in self.manifest.page_content:
            yield sentences.no_such_page_content(first, self.manifest.page_content)
        subject = self._subject(use, first)
        if use.handler is not None:
            why = _arguments(use.handler, handler_name, 0 if use.name in WITHOUT_ARGUMENTS else 1, subject)
            if why:
                yield why
        if use.is_certain:
            yield from self._second(use, subject, first, handler_name)

    def _subject(self, use: Use, first: Optional[str]) -> str:
        if use.name == "on" or self.decorators[use.name].event:
            return "the event %s" % (self.decorators[use.name].event or first)
        if use.name in ROUTES and use.call is not None:
            return "the route %r" % first
        return use.name if use.call is None else "%s(%r)" % (use.name, first)

    def _second(self, use: Use, subject: str, first: Optional[str], handler_name: str) -> Iterator[str]:
        """Two handlers where one counts."""
        if use.call is not None and first is None:
            return
        if use.call is not None and use.name in ROUTES:
            methods = [ROUTES[use.name]] if ROUTES[use.name] else _methods(use.call)
            if methods != []:
                former = self._routes.add(str(first), methods, handler_name)  # type: ignore[arg-type]
                if former is not None:
                    yield sentences.second_handler(subject, str(former))
            return
        former_name = self._handlers.get(subject)
        if former_name is not None:
            # As in the server, the decorator of an event of its own goes before `on` with that event's name.
            counts = former_name if use.name == "on" and self._is_own(first) else handler_name
            yield sentences.second_handler(subject, counts)
        self._handlers[subject] = handler_name

    def _is_own(self, event: Optional[str]) -> bool:
        return any(decorator.event == event for decorator in self.decorators.values())

    def command(self, prefix: Optional[str], name: str) -> Iterator[str]:
        """A command that is certainly declared."""
        if prefix is not None and (prefix, name) in self._commands:
            yield sentences.second_command(prefix, name)
        elif prefix is not None:
            self._commands.add((prefix, name))


class Reader:
    """What one module says."""

    def __init__(self, module: Module, names: Set[str]) -> None:
        self.names = names
        self.tree = module.tree
        self.body = {id(statement) for statement in module.tree.body}
        self.functions = _single(module.tree)
        self.values = _assigned(module.tree)

    def problems(self, checker: Checker) -> Iterator[Tuple[int, str]]:
        """Lines, and what is wrong there."""
        for use in self._uses(checker):
            name = getattr(use.handler, "name", "<lambda>" if use.handler else "the handler")
            for text in checker.judge(use, name):
                yield use.line, text
        for call, is_certain in self._calls():
            if self._method(call.func) == "commands":
                yield from self._commands(checker, call, is_certain)

    def _uses(self, checker: Checker) -> Iterator[Use]:
        decorating: Set[int] = set()
        methods = {id(one) for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef) for one in node.body}
        for node in ast.walk(self.tree):
            if isinstance(node, _FUNCTIONS):
                several = [(one, self._method(getattr(one, "func", one))) for one in node.decorator_list]
                # Any other decorator may change what the function takes, and the methods of a class are its own matter.
                is_plain = all(name is not None for _, name in several) and id(node) not in methods
                for one, name in several:
                    decorating.update(id(part) for part in ast.walk(one))
                    if name in checker.decorators:
                        call = one if isinstance(one, ast.Call) else None
                        is_certain = id(node) in self.body
                        yield Use(name, one.lineno, call, node if is_plain else None, is_certain)
        for call, is_certain in self._calls():
            if id(call) in decorating:
                continue
            name = self._method(call.func)
            if isinstance(call.func, ast.Call):
                # plugin.get("/")(page)
                name, handler = self._method(call.func.func), self._function(call)
                if name in checker.decorators:
                    yield Use(name, call.lineno, call.func, handler, is_certain and handler is not None)
            elif name in checker.decorators and (checker.decorators[name].is_bare and call.args):
                # plugin.on_tick(tick)
                handler = self._function(call)
                yield Use(name, call.lineno, None, handler, is_certain and isinstance(handler, _FUNCTIONS))

    def _calls(self) -> Iterator[Tuple[ast.Call, bool]]:
        """Every call, with whether it is a statement that certainly runs."""
        certain = {
            id(statement.value)
            for statement in self.tree.body
            if isinstance(statement, (ast.Expr, ast.Assign)) and isinstance(statement.value, ast.Call)
        }
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield node, id(node) in certain

    def _method(self, node: ast.AST) -> Optional[str]:
        """The method of `plugin` that an expression names."""
        return called(node, self.names)

    def _function(self, call: ast.Call) -> Optional[Function]:
        return self._named_function(call.args[0]) if len(call.args) == 1 else None

    def _named_function(self, node: ast.AST) -> Optional[Function]:
        if isinstance(node, ast.Lambda):
            return node
        return self.functions.get(node.id) if isinstance(node, ast.Name) else None

    def _commands(self, checker: Checker, call: ast.Call, is_certain: bool) -> Iterator[Tuple[int, str]]:
        known = list(inspect.signature(Plugin.commands).parameters)[1:]
        prefix: Optional[str] = "!"
        for keyword in call.keywords:
            if keyword.arg is not None and keyword.arg not in known:
                yield call.lineno, sentences.unknown_option("plugin.commands", keyword.arg, known[1:])
            elif keyword.arg in (None, "prefix"):
                prefix = _text(keyword.value) if keyword.arg else None
        table = self._dict(call.args[0]) if call.args else None
        for key, value in table or ():
            name = _text(key)
            if name is None:
                continue
            line = getattr(key, "lineno", call.lineno)
            for text in checker.command(prefix, name) if is_certain else ():
                yield line, text
            yield from self._command(name, value)

    def _command(self, name: str, value: ast.AST) -> Iterator[Tuple[int, str]]:
        for key, option_value in self._dict(value) or ():
            option = _text(key)
            line = getattr(key, "lineno", option_value.lineno)
            if option is not None and option not in sentences.COMMAND_OPTIONS:
                yield line, sentences.unknown_command_option(name, option)
            handler = self._named_function(option_value) if option == "run" else None
            if handler is not None:
                why = _arguments(handler, getattr(handler, "name", "<lambda>"), 1, "the command %r" % name)
                if why:
                    yield line, why

    def _dict(self, node: Any) -> Optional[List[Tuple[Any, Any]]]:
        """The members of a dict that is written here or under a name that stands for nothing else."""
        if isinstance(node, ast.Name):
            node = self.values.get(node.id)
        if isinstance(node, ast.Dict):
            return list(zip(node.keys, node.values))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            return [
                (ast.copy_location(ast.Constant(one.arg), one.value), one.value) for one in node.keywords if one.arg
            ]
        return None


def _single(tree: ast.Module) -> Dict[str, Function]:
    """Functions of a module by name, those whose name means nothing else."""
    found: Dict[str, Function] = {}
    counts = _bound(tree)
    for statement in tree.body:
        if isinstance(statement, _FUNCTIONS) and counts.get(statement.name) == 1 and not statement.decorator_list:
            found[statement.name] = statement
    return found


def _assigned(tree: ast.Module) -> Dict[str, ast.expr]:
    """Values of a module by name, of names that get one value."""
    found: Dict[str, ast.expr] = {}
    counts = _bound(tree)
    for statement in tree.body:
        targets: List[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        for target in targets:
            value = getattr(statement, "value", None)
            if isinstance(target, ast.Name) and counts.get(target.id) == 1 and value is not None:
                found[target.id] = value
    return found


def _bound(tree: ast.Module) -> Dict[str, int]:
    """How often a name gets a meaning, anywhere in a module."""
    counts: Dict[str, int] = {}
    for node in ast.walk(tree):
        name = None
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            name = node.id
        elif isinstance(node, _FUNCTIONS + (ast.ClassDef,)):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.alias):
            name = (node.asname or node.name).partition(".")[0]
        if name is not None:
            counts[name] = counts.get(name, 0) + 1
    return counts


def _arguments(handler: Function, name: str, given: int, what: str) -> str:
    takes = handler.args
    most = len(getattr(takes, "posonlyargs", [])) + len(takes.args)
    return sentences.wrong_arguments(name, most - len(takes.defaults), None if takes.vararg else most, given, what)


def _first_text(call: Optional[ast.Call]) -> Optional[str]:
    """The path, slug or name that is given, if it can be read."""
    if call is None:
        return None
    given = call.args[:1] + [one.value for one in call.keywords if one.arg in ("path", "slug", "event_name")]
    return _text(given[0]) if given else None


def _methods(call: ast.Call) -> Optional[List[str]]:
    """The methods of a route; None for all of them, and nothing when they cannot be read."""
    given = call.args[1:2] + [one.value for one in call.keywords if one.arg in ("methods", None)]
    if not given:
        return None
    try:
        return [str(method) for method in ast.literal_eval(given[0])]
    except (ValueError, TypeError, SyntaxError):
        return []


def _text(node: Any) -> Optional[str]:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
