"""Answers of filter handlers and of login checks."""

import builtins
from typing import TYPE_CHECKING, Any, Dict, Union

from ._records import Record, plain

if TYPE_CHECKING:
    from ._signatures import AuthVerdict, FilterVerdict


class Filter:
    """What a chat filter says about a message.

    The name covers Python's own ``filter``, so calling it does what that does.
    """

    __slots__ = ()

    def pass_(self) -> "FilterVerdict":
        """Let the message through as it is."""
        return {"action": "pass"}

    def modify(self, payload: Union[Record, Dict[str, Any]]) -> "FilterVerdict":
        """Let a changed message through: ``filter.modify({**msg.raw, "body": text})``."""
        changed = plain(payload)
        if not isinstance(changed, dict):
            raise TypeError(
                "filter.modify takes the whole message, such as {**msg.raw, 'body': text}, not %s"
                % type(payload).__name__
            )
        return {"action": "modify", "payload": changed}

    def drop(self, reason: str = "") -> "FilterVerdict":
        """Keep the message from everybody."""
        return {"action": "drop", "reason": str(reason)}

    def __call__(self, *args: Any) -> Any:
        return builtins.filter(*args)


class AuthCheck:
    """What a login gate says about a viewer who has a session."""

    __slots__ = ()

    def ok(self) -> "AuthVerdict":
        """The session stays as it is."""
        return {"action": "ok"}

    def refresh(self, ttl: int = 0) -> "AuthVerdict":
        """The session starts anew and lasts `ttl` seconds; 0 is a day."""
        return {"action": "refresh", "ttl": int(ttl)}

    def deny(self, reason: str = "") -> "AuthVerdict":
        """The session ends, and the viewer has to log in again."""
        return {"action": "deny", "reason": str(reason)}


filter = Filter()
auth_check = AuthCheck()
