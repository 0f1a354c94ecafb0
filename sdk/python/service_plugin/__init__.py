"""What a plugin imports: five names, and nothing else.

``plugin`` registers handlers, ``service`` asks the server for things, ``filter`` and ``auth_check`` hold the answers of
two kinds of handlers, and ``CommandContext`` is what a chat command receives.

The module also imports on an author's own machine, so that editors and tests can read a plugin. There is no server
there, and every host call says so.
"""

import typing as _typing

from ._commands import CommandContext
from ._plugin import plugin
from ._service import service
from ._verdicts import auth_check, filter

__all__ = ["plugin", "service", "filter", "auth_check", "CommandContext"]


# Type checkers take a module that has this for one that has every name.
if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        if name == "define_commands":
            raise ImportError(
                "define_commands is gone: declare commands with plugin.commands({...}) instead. "
                "The server matches them, so on_unknown, on_denied and on_cooldown have no replacement."
            )
        raise AttributeError("module 'service_plugin' has no attribute %r" % name)
