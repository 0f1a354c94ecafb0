"""What handlers take and give, for type checkers alone: nothing of this exists while a plugin runs."""

from typing import Any, Callable, Dict, List, Literal, Mapping, Protocol, Tuple, TypedDict, TypeVar, Union

from ._commands import CommandContext
from ._http import Request
from ._shapes import AuthRequest, ChatMessage, ContentRequest

class FilterVerdict(TypedDict, total=False):
    """What a chat filter says about a message: ``filter.pass_()``, ``modify`` or ``drop``."""

    action: Literal["pass", "modify", "drop"]
    payload: Dict[str, Any]
    reason: str

class AuthVerdict(TypedDict, total=False):
    """What a login gate says about a session: ``auth_check.ok()``, ``refresh`` or ``deny``."""

    action: Literal["ok", "refresh", "deny"]
    ttl: int
    reason: str

class CommandOptions(TypedDict, total=False):
    """One entry of ``plugin.commands({...})``."""

    description: str
    usage: str
    aliases: Union[List[str], Tuple[str, ...]]
    mod_only: bool
    cooldown_ms: int
    run: Callable[[CommandContext], object]

CommandTable = Dict[str, CommandOptions]

# A dict with `status`, `headers` and `body`, or the body alone; None is 204.
HttpAnswer = Union[None, str, bytes, bytearray, Mapping[str, object]]

FilterHandler = Callable[[ChatMessage], Union[FilterVerdict, None]]
AuthHandler = Callable[[AuthRequest], Union[AuthVerdict, None]]
HttpHandler = Callable[[Request], HttpAnswer]
ContentHandler = Callable[[ContentRequest], Union[str, None]]
TextHandler = Callable[[], Union[str, None]]
CustomHandler = Callable[[Any], object]

_Answer = TypeVar("_Answer", bound=HttpAnswer)
_Text = TypeVar("_Text", bound=Union[str, None])
_Handler = TypeVar("_Handler", bound=CustomHandler)

class KeepsRoute(Protocol):
    """What ``@plugin.get("/")`` does to a handler: nothing, but it has to take a request."""

    def __call__(self, handler: Callable[[Request], _Answer], /) -> Callable[[Request], _Answer]: ...

class KeepsContent(Protocol):
    """The same for ``@plugin.on_tab_content("slug")``."""

    def __call__(self, handler: Callable[[ContentRequest], _Text], /) -> Callable[[ContentRequest], _Text]: ...

class KeepsEvent(Protocol):
    """The same for ``@plugin.on("name")``, whose handler takes any JSON."""

    def __call__(self, handler: _Handler, /) -> _Handler: ...
