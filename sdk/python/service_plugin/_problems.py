"""What is wrong about the way a plugin uses the SDK, in sentences.

A plugin that is being built is refused for it, and `service_plugin_cli` looks for it in the sources. A finished package
may come from elsewhere: there it is a warning for the operator, and the plugin runs as well as it can.
"""

import os
import sys
from types import FunctionType, MethodType
from typing import Any, Iterable, List, Optional, Tuple

# What a server shows of one plugin.
MAX_WARNINGS = 20
MAX_CHARACTERS = 300

# Options of a command, as authors write them.
COMMAND_OPTIONS = ("description", "usage", "aliases", "mod_only", "cooldown_ms", "run")

# Without separators and in small letters. What is close to one of these was meant to keep a command for moderators.
_MOD_ONLY = ("modonly", "modsonly", "moderatoronly", "moderatorsonly", "onlymods", "onlymoderators")
_MOD_ONLY_IN_SHORT = ("mod", "mods", "moderator", "moderators")

_VARIABLE_ARGUMENTS = 0x04


class Warnings:
    """What the server is told beside what was registered."""

    __slots__ = ("texts",)

    def __init__(self) -> None:
        self.texts: List[str] = []

    def add(self, text: str, place: Optional[str] = None) -> None:
        """Remember a sentence, with the place in the sources; without one it is the author's line that runs now."""
        place = place or author_line()
        if place:
            text = text[: MAX_CHARACTERS - len(place) - 3] + " (%s)" % place
        # It goes into logs, where nothing of a plugin's may look like a line of somebody else's.
        text = "".join(letter if letter.isprintable() else "?" for letter in text[:MAX_CHARACTERS])
        if text not in self.texts and len(self.texts) < MAX_WARNINGS:
            self.texts.append(text)


def author_line() -> str:
    """File and line of the author's code that called us."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    return "" if frame is None else "%s:%d" % (frame.f_code.co_filename, frame.f_lineno)


def place_of(handler: Any) -> str:
    """File and line where a function begins, its decorators included."""
    code = getattr(handler, "__code__", None)
    return author_line() if code is None else "%s:%d" % (code.co_filename, code.co_firstlineno)


# Where the files of the SDK are.
OURS = os.path.dirname(author_line.__code__.co_filename) + os.sep


def meant(name: object, known: Iterable[str]) -> str:
    """A question to whoever mistyped a name; nothing when no other is like it."""
    # Most plugins never need it.
    import difflib

    found = difflib.get_close_matches(_plain(name), [_plain(one) for one in known], 1)
    return next((": did you mean `%s`?" % one for one in known if found and _plain(one) == found[0]), "")


def unknown_command_option(command: str, option: object, known: Iterable[str] = COMMAND_OPTIONS) -> str:
    """An option that a command does not have."""
    if is_mod_only(option):
        return (
            "command %r: there is no option `%s`: did you mean `mod_only`? "
            "Without that everybody could use the command" % (command, option)
        )
    return "command %r: there is no option `%s`%s" % (command, option, meant(option, known))


def unknown_option(what: str, option: str, known: Iterable[str]) -> str:
    """A keyword that a decorator or a declaration does not take."""
    return "%s has no option `%s`%s" % (what, option, meant(option, known))


def is_mod_only(option: object) -> bool:
    """Whether a word that is not ``mod_only`` was meant to be it."""
    import difflib

    plain = _plain(option)
    return plain in _MOD_ONLY_IN_SHORT or bool(difflib.get_close_matches(plain, _MOD_ONLY, 1, 0.8))


def called_without_handler(what: str) -> str:
    """``@plugin.on_tick()``."""
    return "%s takes the handler itself: write @%s without brackets" % (what, what)


def second_handler(what: str, counts: str) -> str:
    """Two handlers where the server calls one."""
    return "there are two handlers for %s, and only `%s` is called" % (what, counts)


def second_command(prefix: str, name: str) -> str:
    """Two commands of one name."""
    return "the command %s%s is declared twice, and only the last one counts" % (prefix, name)


def route_without_slash(path: str) -> str:
    """``@plugin.get("songs")``."""
    return "the route %r has no slash in front: write %r" % (path, "/" + path)


def no_such_tab(slug: str, tabs: Iterable[str]) -> str:
    """Content for a tab that the manifest does not have."""
    return "on_tab_content(%r): the manifest has no tab `%s`%s" % (slug, slug, meant(slug, tabs))


def no_such_page_content(slug: str, known: Iterable[str]) -> str:
    """Content for the viewer page that the manifest does not ask for."""
    return "on_page_content(%r): no `extraPageContent` of the manifest has the slug `%s`%s" % (
        slug,
        slug,
        meant(slug, known),
    )


def wrong_arguments(name: str, least: int, most: Optional[int], given: int, what: str) -> str:
    """A function that cannot be called with as many arguments as it gets; nothing when it can."""
    if least <= given and (most is None or given <= most):
        return ""
    takes = _count(least) if most == least else "%s %s" % _limit(least, most, given)
    return "`%s` takes %s, and %s calls it with %s" % (name, takes, what, _count(given))


def handler_arguments(handler: Any, given: int, what: str) -> str:
    """The same for a function that is there. What is no plain function is taken as it is."""
    bound = 0
    if type(handler) is MethodType:
        handler, bound = handler.__func__, 1
    if type(handler) is not FunctionType:
        return ""
    code = handler.__code__
    most = code.co_argcount - bound
    least = most - len(handler.__defaults__ or ())
    is_open = bool(code.co_flags & _VARIABLE_ARGUMENTS)
    return wrong_arguments(handler.__name__, max(least, 0), None if is_open else most, given, what)


def no_verdict(returned: object) -> str:
    """A chat filter returned something that is no verdict."""
    instead = "filter.pass_(), filter.modify(...) or filter.drop()"
    if isinstance(returned, str) and returned.strip("_ ") in ("pass", "drop"):
        instead = "filter.%s()" % {"pass": "pass_", "drop": "drop"}[returned.strip("_ ")]
    elif hasattr(type(returned), "raw"):
        instead = "filter.modify(...)"
    try:
        shown = repr(returned)
    except Exception:
        shown = "something"
    if len(shown) > 80:
        shown = shown[:80] + "…"
    return "filter_chat_message returned %s (%s): use %s" % (shown, type(returned).__name__, instead)


def _limit(least: int, most: Optional[int], given: int) -> Tuple[str, str]:
    return ("at least", _count(least)) if given < least else ("at most", _count(most or 0))


def _count(number: int) -> str:
    words = {0: "no arguments", 1: "one argument", 2: "two arguments", 3: "three arguments"}
    return words.get(number, "%d arguments" % number)


def _plain(name: object) -> str:
    return "".join(letter for letter in str(name).lower() if letter.isalnum())
