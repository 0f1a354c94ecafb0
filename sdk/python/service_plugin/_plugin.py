"""The registry: decorators that say which function handles what."""

from typing import Any, Callable, Dict, Iterable, List, Optional, Type, TypeVar, Union, overload

from . import _shapes as shapes
from ._commands import Commands, Table
from ._handlers import F, refuse_coroutine
from ._http import Handler, Routes, check_route
from ._records import Record
from ._service import fire_timer

CHAT_MESSAGE = "chat.message.received"
DEFAULT_PRIORITY = 100

S = TypeVar("S", bound=Record)
On = Callable[[S], Any]


class Plugin:
    """Handlers of this plugin. Decorators give the function back unchanged; for one event the last handler counts."""

    def __init__(self) -> None:
        self._events: Dict[str, Callable[[Any], None]] = {}
        self._custom: Dict[str, Callable[[Any], Any]] = {}
        self._contents: Dict[str, Dict[str, Callable[[Any], Any]]] = {"tab": {}, "page": {}}
        self._extras: Dict[str, Callable[..., Any]] = {}
        self._filter: Optional[Callable[[Any], Any]] = None
        self._priority = DEFAULT_PRIORITY
        self._routes = Routes()
        self._commands = Commands()

    # Chat

    def on_chat_message(self, handler: "On[shapes.ChatMessage]") -> "On[shapes.ChatMessage]":
        """Somebody wrote a message, and every filter let it through."""
        return self._event(CHAT_MESSAGE, shapes.ChatMessage, handler)

    def filter_chat_message(self, handler: "On[shapes.ChatMessage]") -> "On[shapes.ChatMessage]":
        """Decide about a message before anybody sees it: return ``filter.pass_()``, ``modify`` or ``drop``."""
        self._filter = refuse_coroutine(handler, "filter_chat_message")
        return handler

    def set_filter_priority(self, priority: int) -> None:
        """Filters with a lower number run earlier; without this it is 100."""
        if not isinstance(priority, int) or isinstance(priority, bool):
            raise TypeError("a filter priority is a whole number, not %r" % (priority,))
        self._priority = priority

    def on_chat_user_joined(self, handler: "On[shapes.User]") -> "On[shapes.User]":
        """Somebody came into chat."""
        return self._event("chat.user.joined", shapes.User, handler)

    def on_chat_user_parted(self, handler: "On[shapes.User]") -> "On[shapes.User]":
        """Somebody left chat."""
        return self._event("chat.user.parted", shapes.User, handler)

    def on_chat_user_renamed(self, handler: "On[shapes.Rename]") -> "On[shapes.Rename]":
        """Somebody took another name."""
        return self._event("chat.user.renamed", shapes.Rename, handler)

    def on_message_moderated(self, handler: "On[shapes.Moderation]") -> "On[shapes.Moderation]":
        """A message was hidden or shown again."""
        return self._event("chat.message.moderated", shapes.Moderation, handler)

    def commands(self, table: Table, *, prefix: str = "!", case_sensitive: bool = False) -> Table:
        """Declare chat commands. Tables of several calls add up."""
        self._commands.add(table, prefix, case_sensitive)
        return table

    # Stream and time

    def on_stream_started(self, handler: "On[shapes.StreamChange]") -> "On[shapes.StreamChange]":
        """The stream went live."""
        return self._event("stream.started", shapes.StreamChange, handler)

    def on_stream_stopped(self, handler: "On[shapes.StreamChange]") -> "On[shapes.StreamChange]":
        """The stream ended."""
        return self._event("stream.stopped", shapes.StreamChange, handler)

    def on_stream_title_changed(self, handler: "On[shapes.TitleChange]") -> "On[shapes.TitleChange]":
        """The stream has another title."""
        return self._event("stream.title.changed", shapes.TitleChange, handler)

    def on_tick(self, handler: "On[shapes.Tick]") -> "On[shapes.Tick]":
        """About a second passed."""
        return self._event("tick", shapes.Tick, handler)

    # Fediverse: all need the permission fediverse.inbound

    def on_fediverse(self, handler: "On[Record]") -> "On[Record]":
        """Any verified activity, as it came in."""
        return self._event("fediverse.activity", Record, handler)

    def on_fediverse_follow(self, handler: "On[shapes.Engagement]") -> "On[shapes.Engagement]":
        """Somebody follows the server's account."""
        return self._event("fediverse.follow", shapes.Engagement, handler)

    def on_fediverse_like(self, handler: "On[shapes.Engagement]") -> "On[shapes.Engagement]":
        """Somebody liked a post of the server."""
        return self._event("fediverse.like", shapes.Engagement, handler)

    def on_fediverse_repost(self, handler: "On[shapes.Engagement]") -> "On[shapes.Engagement]":
        """Somebody shared a post of the server."""
        return self._event("fediverse.repost", shapes.Engagement, handler)

    def on_fediverse_quote(self, handler: "On[shapes.InboundPost]") -> "On[shapes.InboundPost]":
        """Somebody quoted a post of the server."""
        return self._event("fediverse.quote", shapes.InboundPost, handler)

    def on_fediverse_mention(self, handler: "On[shapes.InboundPost]") -> "On[shapes.InboundPost]":
        """Somebody mentioned the server's account."""
        return self._event("fediverse.mention", shapes.InboundPost, handler)

    def on_fediverse_reply(self, handler: "On[shapes.InboundPost]") -> "On[shapes.InboundPost]":
        """Somebody replied to a post of the server."""
        return self._event("fediverse.reply", shapes.InboundPost, handler)

    # Other plugins

    def on(self, event_name: str) -> Callable[[F], F]:
        """An event another plugin emits, under its full name. The handler gets the decoded JSON as it is."""
        if not isinstance(event_name, str) or not event_name:
            raise TypeError("plugin.on takes an event's name, such as @plugin.on('scores.milestone')")
        return self._keep(self._custom, event_name, "on(%r)" % event_name)

    # Web pages

    def get(self, path: str) -> Callable[[F], F]:
        """Answer GET requests for a path."""
        return self.route(path, methods=["GET"])

    def post(self, path: str) -> Callable[[F], F]:
        """Answer POST requests for a path."""
        return self.route(path, methods=["POST"])

    def put(self, path: str) -> Callable[[F], F]:
        """Answer PUT requests for a path."""
        return self.route(path, methods=["PUT"])

    def delete(self, path: str) -> Callable[[F], F]:
        """Answer DELETE requests for a path."""
        return self.route(path, methods=["DELETE"])

    def patch(self, path: str) -> Callable[[F], F]:
        """Answer PATCH requests for a path."""
        return self.route(path, methods=["PATCH"])

    def route(self, path: str, methods: Optional[Iterable[str]] = None) -> Callable[[F], F]:
        """Answer requests for a path with any of `methods`, or with any method at all."""
        check_route(path, methods)

        def register(handler: F) -> F:
            self._routes.add(path, methods, refuse_coroutine(handler, "route %r" % (path,)))
            return handler

        return register

    @overload
    def on_http_request(self, path: str, methods: Optional[Iterable[str]] = None) -> Callable[[F], F]: ...

    @overload
    def on_http_request(self, path: Handler) -> Handler: ...

    def on_http_request(self, path: Union[str, Handler], methods: Optional[Iterable[str]] = None) -> Any:
        """With a path, a route for it. Bare, the handler for all requests no route fits."""
        if isinstance(path, str):
            return self.route(path, methods)
        self._routes.catch_all = refuse_coroutine(path, "on_http_request")
        return path

    def on_sse_connect(self, handler: "On[shapes.SseConnection]") -> "On[shapes.SseConnection]":
        """A page listens to one of the plugin's event channels."""
        return self._event("sse.connect", shapes.SseConnection, handler)

    def on_sse_disconnect(self, handler: "On[shapes.SseConnection]") -> "On[shapes.SseConnection]":
        """A page stopped listening."""
        return self._event("sse.disconnect", shapes.SseConnection, handler)

    # The viewer page and the login

    def on_tab_content(self, slug: str) -> Callable[[F], F]:
        """HTML of a tab the manifest declares."""
        return self._keep(self._contents["tab"], _slug(slug, "on_tab_content"), "on_tab_content(%r)" % slug)

    def on_page_content(self, slug: str) -> Callable[[F], F]:
        """HTML for the viewer page, under the slug of the manifest's extraPageContent."""
        return self._keep(self._contents["page"], _slug(slug, "on_page_content"), "on_page_content(%r)" % slug)

    def on_page_styles(self, handler: Callable[[], Any]) -> Callable[[], Any]:
        """CSS for the viewer page."""
        return self._keep(self._extras, "styles", "on_page_styles")(handler)

    def on_page_scripts(self, handler: Callable[[], Any]) -> Callable[[], Any]:
        """JavaScript for the viewer page."""
        return self._keep(self._extras, "scripts", "on_page_scripts")(handler)

    def on_auth_check(self, handler: "On[shapes.AuthRequest]") -> "On[shapes.AuthRequest]":
        """Whether a viewer's session goes on: return ``auth_check.ok()``, ``refresh`` or ``deny``."""
        return self._keep(self._extras, "auth", "on_auth_check")(handler)

    # What the decorators share

    def _event(self, name: str, shape: Type[S], handler: Callable[[S], Any]) -> Callable[[S], Any]:
        refuse_coroutine(handler, name)
        self._events[name] = lambda payload: handler(shape(payload) if isinstance(payload, dict) else payload)
        return handler

    def _keep(self, where: Dict[str, Any], key: str, what: str) -> Callable[[F], F]:
        def register(handler: F) -> F:
            where[key] = refuse_coroutine(handler, what)
            return handler

        return register

    # What the engine asks. Nothing below is for authors.

    def _subscriptions(self) -> Dict[str, List[Dict[str, Any]]]:
        names = list(self._events) + [name for name in self._custom if name not in self._events]
        filters = [] if self._filter is None else [{"event": CHAT_MESSAGE, "priority": self._priority}]
        return {"notify": [{"event": name} for name in names], "filter": filters}

    def _on_event(self, name: str, payload: Any) -> None:
        if name == "chat.command":
            self._commands.dispatch(payload)
        elif name == "timer.fire":
            fire_timer(payload.get("id"))
        else:
            handler = self._events.get(name) or self._custom.get(name)
            if handler is not None:
                handler(payload)


def _slug(slug: object, what: str) -> str:
    if not isinstance(slug, str):
        raise TypeError("%s takes the slug it is for, such as @plugin.%s('schedule')" % (what, what))
    return slug


plugin = Plugin()
