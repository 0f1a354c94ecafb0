"""The one way out: a function the server hands in, which takes a name and JSON text and gives JSON text back."""

import binascii
import json
from typing import Any, Callable, Dict, List, Optional, Union

from ._records import Record, Result, records

HostCall = Callable[[str, str], str]

# None outside the server.
_host_call: Optional[HostCall] = None

# What an answer begins with that is a line for the plugin's filter, and by which call the verdict is handed in.
_LINE = "!"
_FILTERED = "filtered"


class Refused(Exception):
    """The server did not do it. What the plugin sees of that differs from call to call."""


def _no_filter(line: str) -> str:
    return ""


_judge: Callable[[str], str] = _no_filter


def connect(host_call: Optional[HostCall], judge: Callable[[str], str] = _no_filter) -> None:
    """Let host calls go to `host_call`, or nowhere. `judge` asks the filter about a line that comes meanwhile."""
    global _host_call, _judge
    _host_call = host_call
    _judge = judge


def _unwrap(value: Any) -> Any:
    if isinstance(value, Record):
        return value.raw
    raise TypeError("%s is not a JSON value" % type(value).__name__)


# Made once: `json.dumps` would make one for every call, which takes longer than most calls have to write.
_to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_unwrap).encode


# There is nothing around what the server writes; `json.loads` would look for it twice, which takes longer than to read.
_from_json = json.JSONDecoder().raw_decode


def load(text: str) -> Any:
    """What the server wrote as JSON text."""
    return _from_json(text)[0]


def clean(text: str) -> str:
    """Text that can be written as UTF-8. Half a surrogate pair, which Python allows in a string, becomes ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def dump(value: Any) -> str:
    """JSON text for the server; attribute objects are taken as the objects they hold."""
    return clean(_to_json(value))


def stored_json(value: Any) -> str:
    """JSON text that a plugin reads again, spelled as ``json.dumps`` spells it."""
    return json.dumps(value, default=_unwrap)


def ask(name: str, args: Dict[str, Any]) -> Any:
    """Call the server. Raises `Refused` with its reason, and `RuntimeError` when there is no server."""
    if _host_call is None:
        raise RuntimeError(
            "%s was called outside the server: host calls work only while a server runs the plugin" % name
        )
    text = dump(args)
    try:
        answer = _host_call(name, text)
        # Chat does not wait until the server has answered the handler.
        while answer.startswith(_LINE):
            answer = _host_call(_FILTERED, _judge(answer[1:]))
    except Exception as problem:
        raise Refused(str(getattr(problem, "value", problem))) from None
    return load(answer) if answer else None


# What becomes of a refusal, one function per kind of call.


def demand(name: str, args: Dict[str, Any]) -> Any:
    """The answer; a refusal is raised."""
    try:
        answer = ask(name, args)
    except Refused as reason:
        raise RuntimeError(str(reason)) from None
    if isinstance(answer, dict) and answer.get("error"):
        raise RuntimeError(str(answer["error"]))
    return answer


def attempt(name: str, args: Dict[str, Any]) -> None:
    """Ask and forget: a refusal is in the server's log, the plugin goes on."""
    try:
        ask(name, args)
    except Refused:
        pass


def value(name: str, args: Dict[str, Any]) -> Any:
    """A plain value, or None."""
    try:
        return ask(name, args)
    except Refused:
        return None


def an_object(name: str, args: Dict[str, Any]) -> Optional[Any]:
    """An object to read from, as a `Record`, or None."""
    answer = value(name, args)
    return Record(answer) if isinstance(answer, dict) else None


def a_list(name: str, args: Dict[str, Any]) -> List[Any]:
    """A list to read from; empty when the server refused."""
    return records(value(name, args))


def a_result(name: str, args: Dict[str, Any]) -> Optional[Result]:
    """An outcome that has something to tell only when it worked, or None."""
    answer = value(name, args)
    return Result(answer) if isinstance(answer, dict) and not answer.get("error") else None


def an_outcome(name: str, args: Dict[str, Any]) -> Result:
    """Whether it worked: always a dict, with ``ok`` and, if it did not, ``error``."""
    try:
        answer = ask(name, args)
    except Refused as reason:
        return Result(ok=False, error=str(reason))
    told = answer if isinstance(answer, dict) else {}
    return Result(told, ok=False) if told.get("error") else Result(told, ok=True)


def as_base64(data: Union[bytes, bytearray, memoryview, str]) -> str:
    """Bytes for the way through JSON; text is taken as UTF-8."""
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    elif not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("data must be bytes or str, not %s" % type(data).__name__)
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def from_base64(text: Any) -> Optional[bytes]:
    """The bytes of an answer ``{"base64": ...}``, or None."""
    encoded = text.get("base64") if isinstance(text, dict) else None
    return binascii.a2b_base64(encoded) if isinstance(encoded, str) else None
