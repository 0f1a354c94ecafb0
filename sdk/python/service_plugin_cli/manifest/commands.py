"""Chat commands that a manifest declares; those of the code win."""

from typing import Any, List

from .node import Node

_TEXTS = ["description", "usage"]
_FLAGS = ["modOnly", "caseSensitive"]
_KNOWN = ["name", "prefix", "aliases", "cooldownMs"] + _TEXTS + _FLAGS


def read(node: Node, remarks: List[str]) -> None:
    """Check the list."""
    for item in node.items():
        item.required_words("name")
        prefix = item.get("prefix")
        if prefix is not None:
            prefix.words()
        remarks += item.strangers(_KNOWN)
        for key in _TEXTS:
            _check(item, key, "a text", lambda value: isinstance(value, str))
        for key in _FLAGS:
            _check(item, key, "true or false", lambda value: isinstance(value, bool))
        _check(item, "aliases", "a list of texts", _is_list_of_texts)
        _check(item, "cooldownMs", "a whole number of milliseconds, 0 or more", _is_duration)


def _check(item: Node, key: str, wanted: str, is_good: Any) -> None:
    # Unlike elsewhere null is not absent here: the server reads the whole command at once.
    if key in item.value and not is_good(item.value[key]):
        raise item.refuse("%s must be %s, not %r" % (key, wanted, item.value[key]))


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_duration(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64
