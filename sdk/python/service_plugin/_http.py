"""The plugin's own web pages: requests, routes, and what a handler's return value becomes."""

import json
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from ._records import Record
from ._shapes import User
from ._wire import as_base64, from_base64

Handler = Callable[["Request"], Any]
Answer = Dict[str, Any]


class Request(Record):
    """A request to ``/plugins/<slug>/…``."""

    __slots__ = ("_params",)

    method: str
    path: str
    query: Record
    headers: Record
    remote_addr: str
    authenticated: bool
    user: Optional[User]

    def __init__(self, raw: Dict[str, Any], params: Optional[Dict[str, str]] = None) -> None:
        super().__init__(raw)
        object.__setattr__(self, "_params", params or {})

    @property
    def path_params(self) -> Dict[str, str]:
        """What the ``{name}`` parts of the route stood for; the rest a ``*`` covers is under ``"*"``."""
        params: Dict[str, str] = object.__getattribute__(self, "_params")
        return params

    @property
    def body(self) -> str:
        """The body as text; bytes that are no UTF-8 show as replacement characters."""
        return str(self.raw.get("body") or self.body_bytes.decode("utf-8", "replace"))

    @property
    def body_bytes(self) -> bytes:
        """The body, byte for byte."""
        sent = from_base64({"base64": self.raw.get("bodyBase64")})
        return sent if sent is not None else (self.raw.get("body") or "").encode("utf-8", "replace")

    def json(self) -> Any:
        """The body read as JSON. Raises `ValueError` when it is none."""
        return json.loads(self.body)


class Route:
    """A path, the methods it answers, and who answers."""

    __slots__ = ("segments", "rest", "path", "methods", "handler")

    def __init__(self, path: str, methods: Optional[Iterable[str]], handler: Handler) -> None:
        self.path = normal(path)
        self.methods = None if methods is None else frozenset(str(method).upper() for method in methods)
        self.handler = handler
        self.segments = self.path.split("/")
        self.rest = self.segments[-1] == "*"
        if self.rest:
            self.segments.pop()

    @property
    def shape(self) -> List[str]:
        """The path without the names of its parts: routes of one shape fit the same requests."""
        return ["{}" if _name(segment) else segment for segment in self.segments] + ["*"] * self.rest

    @property
    def is_exact(self) -> bool:
        """Whether the path stands for itself alone."""
        return not self.rest and not any(map(_name, self.segments))

    def match(self, path: str) -> Optional[Dict[str, str]]:
        """What the named parts stand for, or None when the path is another."""
        given = path.split("/")
        count = len(self.segments)
        if len(given) < count or (len(given) > count and not self.rest):
            return None
        params: Dict[str, str] = {}
        for wanted, found in zip(self.segments, given):
            name = _name(wanted)
            if name and found:
                params[name] = found
            elif wanted != found:
                return None
        if self.rest:
            params["*"] = "/".join(given[count:])
        return params

    def answers(self, method: str) -> bool:
        """Whether the method is one of the route's; a route without methods answers all."""
        return self.methods is None or method in self.methods


class Routes:
    """Which handler answers which request."""

    __slots__ = ("_exact", "_patterns", "catch_all")

    def __init__(self) -> None:
        self._exact: List[Route] = []
        self._patterns: List[Route] = []
        self.catch_all: Optional[Handler] = None

    def add(self, path: str, methods: Optional[Iterable[str]], handler: Handler) -> Optional[Handler]:
        """Add a route. The first that fits wins, and an exact path before a pattern.

        The answer is the handler that answers in its place, always.
        """
        route = Route(path, methods, handler)
        among = self._exact if route.is_exact else self._patterns
        former = [old for old in among if old.shape == route.shape]
        among.append(route)
        answered = [method for old in former for method in old.methods or ()]
        if any(old.methods is None for old in former) or (route.methods and route.methods.issubset(answered)):
            return former[0].handler
        return None

    def find(self, method: str, path: str) -> Tuple[Optional[Handler], Dict[str, str], int]:
        """The handler and its parameters; without one, the status that says why."""
        is_known = False
        for route in self._exact + self._patterns:
            params = route.match(path)
            if params is not None:
                if route.answers(method):
                    return route.handler, params, 200
                is_known = True
        if is_known:
            return None, {}, 405
        return self.catch_all, {}, 200 if self.catch_all else 404

    def dispatch(self, raw: Dict[str, Any]) -> Answer:
        """Answer a request."""
        method = str(raw.get("method") or "GET").upper()
        handler, params, status = self.find(method, normal(str(raw.get("path") or "/")))
        if handler is None:
            return {"status": status, "body": "method not allowed" if status == 405 else "not found"}
        return answer(handler(Request(raw, params)))


def check_route(path: object, methods: object) -> None:
    """Refuse what cannot be a route where it is written, not when a request comes."""
    if not isinstance(path, str):
        raise TypeError("a route's path must be a text such as '/api/state', not %r" % (path,))
    if isinstance(methods, str):
        raise TypeError("methods must be a list such as ['GET'], not the text %r" % methods)


def normal(path: str) -> str:
    """With a slash in front and none behind, as the server hands paths on."""
    return "/" + path.strip("/")


def _name(segment: str) -> str:
    return segment[1:-1] if segment.startswith("{") and segment.endswith("}") else ""


def answer(returned: Any) -> Answer:
    """What a handler's return value says: a dict is the answer, None is 204, all else is a body."""
    if returned is None:
        return {"status": 204}
    if not isinstance(returned, dict):
        return _with_body({"status": 200}, returned if isinstance(returned, (bytes, bytearray)) else str(returned))
    status = returned.get("status")
    told: Answer = {"status": 200 if status is None else int(status)}
    headers = returned.get("headers")
    if headers is not None:
        told["headers"] = {str(name): _header(value) for name, value in dict(headers).items()}
    return _with_body(told, returned.get("body"))


def _header(value: Any) -> Any:
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else str(value)


def _with_body(told: Answer, body: Any) -> Answer:
    if isinstance(body, (bytes, bytearray, memoryview)):
        told["bodyBase64"] = as_base64(body)
    elif body is not None:
        # Anything but text is the server's to refuse: it answers "invalid response".
        told["body"] = body
    return told
