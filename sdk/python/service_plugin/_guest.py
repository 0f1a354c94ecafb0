"""What the engine calls: load the author's source once, then hand it one call after the other.

Author code has a module of its own, so nothing it defines can get in the way of ours, and its errors are told with the
lines its author wrote.
"""

import json
import linecache
import os
import sys
import traceback
import types
from typing import Any, Callable, Dict, Iterable, Optional

from . import __getattr__ as _missing  # type: ignore[attr-defined]
from . import _aliases, _names, auth_check, filter
from . import _problems as problems
from . import _wire as wire
from ._commands import CommandContext
from ._compiler import Compiler
from ._plugin import plugin
from ._service import service
from ._shapes import AuthRequest, ChatMessage, ContentRequest

FILE_NAME = "plugin.py"
MODULE_NAME = "plugin"

# A package may come with the import line of the SDK blanked, as older and other tools build it: the names are there
# anyway, also those that the SDK of the reference server has for the same things.
NAMES: Dict[str, Any] = {
    "plugin": plugin,
    "service": service,
    "owncast": service,
    "filter": filter,
    "auth_check": auth_check,
    "CommandContext": CommandContext,
    "ChatMessage": ChatMessage,
}

# A traceback is for people. What is longer, mostly because of the error's own text, is cut in the middle.
MAX_TRACEBACK = 16 * 1024

# Where the standard library is.
_LIBRARY = os.path.dirname(linecache.getlines.__code__.co_filename) + os.sep

VERDICTS = ("pass", "modify", "drop")


class PluginError(Exception):
    """The author's code failed. Its text is the traceback."""


def load(
    slug: str, manifest_text: str, source: str, host_call: wire.HostCall, compiler: Optional[Compiler] = None
) -> str:
    """Run the plugin's module body. The answer is what it registered, as JSON."""
    wire.connect(host_call, _filter_meanwhile)
    manifest = json.loads(manifest_text)
    linecache.cache[FILE_NAME] = (len(source), None, source.splitlines(True), FILE_NAME)
    module = types.ModuleType(MODULE_NAME)
    module.__dict__.update(NAMES, __file__=FILE_NAME)
    _aliases.install(dict(NAMES, __getattr__=_missing))
    compiler = compiler or Compiler()
    before = set(sys.modules)
    lent = module.__dict__["compile"] = compiler.compile
    sys.modules[MODULE_NAME] = module
    try:
        exec(compiler.entry(source, FILE_NAME), module.__dict__)
        registered = dict(manifest, slug=slug, subscriptions=plugin._subscriptions())
        registered["commands"] = plugin._commands.wire(manifest.get("commands"))
        plugin._look_for_contents(manifest)
        _look_for_names(compiler, module, before)
        if plugin._warnings.texts:
            registered["warnings"] = plugin._warnings.texts
        return wire.dump(registered)
    except BaseException as problem:
        raise PluginError(describe(problem)) from None
    finally:
        if module.__dict__.get("compile") is lent:
            del module.__dict__["compile"]


def _look_for_names(compiler: Compiler, module: types.ModuleType, before: Iterable[str]) -> None:
    """Warn of names in functions that will not be found when they are called."""
    try:
        fresh = [sys.modules.get(name) for name in set(sys.modules).difference(before)]
        spaces = [vars(one) for one in fresh if isinstance(one, types.ModuleType) and not _is_librarys(one)]
        for one in _names.of_loaded(compiler.codes(), [module.__dict__, *spaces]):
            plugin._warnings.add("`%s` is not defined" % one.name, "%s:%d" % (one.file, one.line))
    except Exception:
        # The plugin has loaded, and may have changed what we use. It is only a warning less.
        pass


def _is_librarys(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    # One that a plugin has made up has neither a file nor a specification.
    return getattr(module, "__spec__", None) is not None if file is None else file.startswith((_LIBRARY, problems.OURS))


def call(kind: str, input: str) -> str:
    """Handle one call of the server. What a handler raises comes out as `PluginError`."""
    handle = _KINDS.get(kind)
    if handle is None:
        raise PluginError("the engine has no calls of kind %r" % kind)
    try:
        return handle(input)
    except BaseException as problem:
        raise PluginError(describe(problem)) from None


def _event(input: str) -> str:
    envelope = wire.load(input)
    plugin._on_event(envelope["eventType"], envelope.get("payload"))
    return ""


def _filter(input: str) -> str:
    handler = plugin._filter
    verdict = None if handler is None else handler(ChatMessage(wire.load(input)["payload"]))
    if verdict is None:
        return '{"action":"pass"}'
    if not isinstance(verdict, dict) or verdict.get("action") not in VERDICTS:
        return wire.dump({"action": "pass", "warning": problems.no_verdict(verdict)})
    return wire.dump({name: verdict[name] for name in ("action", "payload", "reason") if name in verdict})


def _filter_meanwhile(input: str) -> str:
    """The filter's verdict in the middle of a handler, which goes on whatever becomes of the filter."""
    try:
        return _filter(input)
    except BaseException as problem:
        return wire.dump({"error": describe(problem)})


def _http(input: str) -> str:
    return wire.dump(plugin._routes.dispatch(wire.load(input)))


def _content(where: str) -> Callable[[str], str]:
    def handle(input: str) -> str:
        request = ContentRequest(wire.load(input))
        handler = plugin._contents[where].get(request.slug)
        return _text(handler and handler(request))

    return handle


def _extra(name: str) -> Callable[[str], str]:
    def handle(input: str) -> str:
        handler = plugin._extras.get(name)
        return _text(handler and handler())

    return handle


def _auth(input: str) -> str:
    handler = plugin._extras.get("auth")
    verdict = None if handler is None else handler(AuthRequest(wire.load(input)))
    if not isinstance(verdict, dict):
        return '{"action":"ok"}'
    return wire.dump({name: verdict[name] for name in ("action", "ttl", "reason") if name in verdict})


def _text(value: Any) -> str:
    return wire.clean(str(value)) if value else ""


_KINDS: Dict[str, Callable[[str], str]] = {
    "event": _event,
    "filter": _filter,
    "http": _http,
    "tab": _content("tab"),
    "page": _content("page"),
    "styles": _extra("styles"),
    "scripts": _extra("scripts"),
    "auth": _auth,
}


def describe(problem: BaseException) -> str:
    """The traceback as its author should read it: without our own frames, and of bearable length."""
    try:
        told = traceback.TracebackException.from_exception(problem)
        _cut_our_frames(told)
        text = wire.clean("".join(told.format())).rstrip("\n")
    except BaseException:
        # Out of memory or of stack while telling of it, or an error whose own text fails.
        text = type(problem).__name__
    if len(text) > MAX_TRACEBACK:
        half = MAX_TRACEBACK // 2
        text = "%s\n[... %d characters left out ...]\n%s" % (text[:half], len(text) - 2 * half, text[-half:])
    return text


def _cut_our_frames(told: traceback.TracebackException) -> None:
    seen = set()
    waiting = [told]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        one.stack[:] = [frame for frame in one.stack if not frame.filename.startswith(problems.OURS)]
        waiting += [other for other in (one.__cause__, one.__context__) if other is not None]
