"""What ends a command before its work is done."""

import difflib
from typing import Iterable, List


class Problem(Exception):
    """Something its author can put right. The text is one line: what is wrong, and what to do."""

    def lines(self) -> List[str]:
        """What is printed."""
        return [str(self)]


class Problems(Problem):
    """Several at once, so that nobody has to build again to hear of the next."""

    def __init__(self, texts: List[str]) -> None:
        super().__init__("; ".join(texts))
        self._texts = texts

    def lines(self) -> List[str]:
        """One for each."""
        return self._texts


def closest(name: str, known: Iterable[str]) -> str:
    """A question to whoever mistyped a name; nothing when no other is like it."""
    found = difflib.get_close_matches(name, list(known), 1)
    return ": did you mean %s?" % found[0] if found else ""
