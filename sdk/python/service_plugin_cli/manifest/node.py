"""A value of the manifest together with its place in it, so that every refusal names the offender."""

import json
import re
from typing import Any, Dict, List, Optional, Tuple

from ..problem import Problem

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_]+")


class ManifestError(Problem):
    """Why a manifest is refused."""

    def __init__(self, path: str, why: str) -> None:
        self.path = path or "plugin.manifest.json"
        self.why = why
        super().__init__("%s: %s" % (self.path, why))


class Node:
    """A value and where it stands."""

    __slots__ = ("path", "value")

    def __init__(self, path: str, value: Any) -> None:
        self.path = path
        self.value = value

    def refuse(self, why: str) -> ManifestError:
        """A refusal of this very value."""
        return ManifestError(self.path, why)

    def refuse_below(self, key: str, why: str) -> ManifestError:
        """A refusal of a member, mostly because it is not there."""
        return ManifestError(self._below(key), why)

    def remark(self, what: str) -> str:
        """Something worth saying about this value that is no reason to refuse it."""
        return "%s: %s" % (self.path, what)

    def text(self) -> str:
        """A text, also an empty one."""
        if not isinstance(self.value, str):
            raise self.refuse("must be a text")
        return self.value

    def words(self) -> str:
        """A text with something in it."""
        if not self.text().strip():
            raise self.refuse("must not be empty")
        return self.text()

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.refuse("must be true or false")
        return self.value

    def items(self) -> List["Node"]:
        """Each item of a list."""
        if not isinstance(self.value, list):
            raise self.refuse("must be a list")
        return [Node("%s[%d]" % (self.path, index), value) for index, value in enumerate(self.value)]

    def members(self) -> List[Tuple[str, "Node"]]:
        """Each member of an object; keys are in lexicographic order."""
        return [(key, Node(self._below(key), value)) for key, value in sorted(self._object().items())]

    def get(self, key: str) -> Optional["Node"]:
        """A member of an object; one that is `null` counts as absent."""
        value = self._object().get(key)
        return None if value is None else Node(self._below(key), value)

    def required_words(self, key: str) -> str:
        """A member that must be there, with something in it."""
        node = self.get(key)
        if node is None:
            raise self.refuse_below(key, "is missing: a text is needed here")
        return node.words()

    def optional_text(self, key: str) -> Optional[str]:
        """A text that may be absent."""
        node = self.get(key)
        return None if node is None else node.text()

    def strangers(self, known: List[str]) -> List[str]:
        """Remarks on members that mean nothing here."""
        return [node.remark("is unknown here and ignored") for key, node in self.members() if key not in known]

    def _object(self) -> Dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.refuse("must be an object")
        return self.value

    def _below(self, key: str) -> str:
        if not _PLAIN_KEY.fullmatch(key):
            # A key that is a path or has spaces is quoted, or nobody could tell where it ends.
            return "%s[%s]" % (self.path, json.dumps(key, ensure_ascii=False))
        return "%s.%s" % (self.path, key) if self.path else key
