"""Objects made of JSON: members of the wire, read as Python attributes."""

from typing import Any, Dict, Iterator, KeysView, List


def _camel(name: str) -> str:
    """``display_name`` as the wire spells it. An empty part adds nothing, so ``from_`` reaches the member ``from``."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _member(data: Dict[str, Any], name: str) -> Any:
    if name.startswith("__"):
        # Python asks for these to learn what an object can do; None would be an answer.
        raise AttributeError(name)
    if name in data:
        return wrap(data[name])
    return wrap(data.get(_camel(name)))


class Record:
    """A JSON object whose members are attributes. A member that is not there is ``None``, never an error.

    ``raw`` is the dict itself, with the names and the order of the wire.
    """

    __slots__ = ("raw",)

    raw: Dict[str, Any]

    def __init__(self, raw: Dict[str, Any]) -> None:
        object.__setattr__(self, "raw", raw)

    def __getattr__(self, name: str) -> Any:
        return _member(self.raw, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("%s cannot be set: make a changed copy, such as {**msg.raw, 'body': text}" % name)

    def __getitem__(self, key: str) -> Any:
        return wrap(self.raw[key])

    def __contains__(self, key: object) -> bool:
        return key in self.raw

    def __iter__(self) -> Iterator[str]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)

    def __bool__(self) -> bool:
        # Plugins ask `if msg.user:` to tell a user from None; an object without members is still there.
        return True

    def __eq__(self, other: object) -> bool:
        return bool(self.raw == plain(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "%s(%r)" % (type(self).__name__, self.raw)

    def get(self, key: str, default: Any = None) -> Any:
        """The member under its name on the wire, or `default`."""
        return wrap(self.raw[key]) if key in self.raw else default

    def keys(self) -> KeysView[str]:
        """Names on the wire. With this, ``dict(msg)`` and ``{**msg}`` work."""
        return self.raw.keys()


class Result(Dict[str, Any]):
    """The outcome of a host call: a dict, whose members can be read as attributes as well."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return _member(self, name)


def wrap(value: Any) -> Any:
    """An object becomes a `Record`. Lists stay as they are, and so do the objects inside them."""
    if type(value) is dict:
        return Record(value)
    return value


def records(value: Any) -> List[Any]:
    """The list a host call returned, with its objects as `Record`; anything else is no list."""
    return [wrap(item) for item in value] if isinstance(value, list) else []


def plain(value: Any) -> Any:
    """The dict under a `Record`; other values as they are."""
    return value.raw if isinstance(value, Record) else value
