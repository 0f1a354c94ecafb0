"""Chat commands: what a plugin declares, and what a command receives. The server does the matching."""

from typing import Any, Callable, Dict, List, Optional

from . import _problems as problems
from ._handlers import refuse_coroutine
from ._service import service
from ._shapes import ChatMessage, User


class CommandContext:
    """One use of a command."""

    __slots__ = ("msg", "user", "command", "invoked_as", "args", "arg_string")

    def __init__(self, payload: Dict[str, Any]) -> None:
        self.msg: ChatMessage = ChatMessage(payload.get("message") or {})
        self.user: Optional[User] = self.msg.user
        self.command: str = payload.get("command") or ""
        self.invoked_as: str = payload.get("invokedAs") or ""
        self.args: List[str] = payload.get("args") or []
        self.arg_string: str = payload.get("argString") or ""

    def reply(self, text: object) -> None:
        """Answer where everybody reads it."""
        service.chat.send(text)

    def reply_privately(self, text: object) -> None:
        """Answer so that only the sender reads it; in public when the server does not know the connection."""
        if not service.chat.reply_to(self.msg, text):
            service.chat.send(text)

    def __repr__(self) -> str:
        return "CommandContext(%r, args=%r)" % (self.command, self.args)


class Command:
    """One entry of a table, checked."""

    __slots__ = ("name", "prefix", "run", "wire")

    def __init__(
        self, name: object, entry: object, prefix: str, case_sensitive: bool, warnings: problems.Warnings
    ) -> None:
        if not isinstance(name, str) or not name:
            raise TypeError("a command's name must be a text that is not empty, not %r" % (name,))
        if not isinstance(entry, dict):
            raise TypeError("command %r must be a dict with 'run' and options, not %s" % (name, _kind(entry)))
        for option in entry:
            if option not in problems.COMMAND_OPTIONS:
                why = problems.unknown_command_option(name, option)
                if problems.is_mod_only(option):
                    # Anybody else's mistake costs a cooldown; this one would hand a moderator's command to everybody.
                    raise TypeError(why)
                warnings.add(why)
        aliases = entry.get("aliases", [])
        if not isinstance(aliases, (list, tuple)) or not all(isinstance(alias, str) for alias in aliases):
            raise TypeError("command %r: 'aliases' must be a list of texts" % name)
        cooldown = entry.get("cooldown_ms", 0)
        if not isinstance(cooldown, int) or isinstance(cooldown, bool) or cooldown < 0:
            raise TypeError("command %r: 'cooldown_ms' must be a whole number, 0 or more" % name)
        self.name: str = name
        self.prefix: str = prefix
        self.run: Optional[Callable[[CommandContext], Any]] = None
        if callable(entry.get("run")):
            self.run = refuse_coroutine(entry["run"], "command %r" % name)
            why = problems.handler_arguments(self.run, 1, "the command %r" % name)
            if why:
                warnings.add(why, problems.place_of(self.run))
        self.wire: Dict[str, Any] = {
            "name": name,
            "prefix": prefix,
            "description": str(entry.get("description", "")),
            "usage": str(entry.get("usage", "")),
            "aliases": list(aliases),
            "modOnly": bool(entry.get("mod_only", False)),
            "caseSensitive": case_sensitive,
            "cooldownMs": cooldown,
        }


class Commands:
    """All commands of the plugin, from all its tables."""

    __slots__ = ("_all", "_warnings")

    def __init__(self, warnings: problems.Warnings) -> None:
        self._all: List[Command] = []
        self._warnings = warnings

    def add(self, table: Any, prefix: str, case_sensitive: bool) -> None:
        """Take a table in whole or, when something in it is wrong, not at all."""
        if not isinstance(table, dict):
            raise TypeError("plugin.commands takes a dict of commands, not %s" % _kind(table))
        if not isinstance(prefix, str) or not prefix:
            raise TypeError("a command prefix must be a text that is not empty, not %r" % (prefix,))
        fresh = [Command(name, entry, prefix, bool(case_sensitive), self._warnings) for name, entry in table.items()]
        replaced = {(command.prefix, command.name) for command in fresh}
        for old in self._all:
            if (old.prefix, old.name) in replaced:
                self._warnings.add(problems.second_command(old.prefix, old.name))
        self._all = [old for old in self._all if (old.prefix, old.name) not in replaced] + fresh

    def wire(self, in_manifest: object) -> List[Dict[str, Any]]:
        """What the server is told. Commands the manifest lists are added; the code's entry wins."""
        known = {command.name for command in self._all}
        listed = in_manifest if isinstance(in_manifest, list) else []
        extra = [entry for entry in listed if isinstance(entry, dict) and entry.get("name") not in known]
        return [command.wire for command in self._all] + extra

    def dispatch(self, payload: Dict[str, Any]) -> None:
        """Run what the server matched. Its name may stand in several tables: the longest prefix that fits is meant."""
        context = CommandContext(payload)
        named = [command for command in self._all if command.name == context.command]
        body = context.msg.body or ""
        fitting = [command for command in named if body.startswith(command.prefix)] or named
        if fitting:
            run = max(fitting, key=lambda command: len(command.prefix)).run
            if run is not None:
                run(context)


def _kind(value: object) -> str:
    return type(value).__name__
