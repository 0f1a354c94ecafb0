"""What ends a command before its work is done."""

import difflib
from typing import Iterable


class Problem(Exception):
    """Something its author can put right. The text is one line: what is wrong, and what to do."""


def closest(name: str, known: Iterable[str]) -> str:
    """A question to whoever mistyped a name; nothing when no other is like it."""
    found = difflib.get_close_matches(name, list(known), 1)
    return ": did you mean %s?" % found[0] if found else ""
