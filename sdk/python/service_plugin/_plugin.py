"""The registry: decorators that say which function handles what."""

import functools
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Type, TypeVar, Union, overload

from . import _problems as problems
from . import _shapes as shapes
from ._commands import Commands
from ._handlers import refuse_coroutine
from ._http import Handler, Routes, check_route
from ._records import Record
from ._service import fire_timer

if TYPE_CHECKING:
    from ._signatures import (
        AuthHandler,
        CommandTable,
        FilterHandler,
        HttpHandler,
        KeepsContent,
        KeepsEvent,
        KeepsRoute,
        TextHandler,
    )

CHAT_MESSAGE = "chat.message.received"
DEFAULT_PRIORITY = 100

M = TypeVar("M", bound=Callable[..., Any])
R = TypeVar("R")
S = TypeVar("S", bound=Record)
On = Callable[[S], R]


def registers(method: M) -> M:
    """Take what a package from elsewhere may write: an option that there is not, and brackets where none belong."""
    code = method.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    what = "plugin." + method.__name__
    is_bare = names[0] == "handler" or method.__name__ == "on_http_request"

    @functools.wraps(method)
    def register(self: "Plugin", *args: Any, **options: Any) -> Any:
        for option in [option for option in options if option not in names]:
            why = problems.unknown_option(what, option, names)
            if problems.is_mod_only(option):
                raise TypeError(why)
            self._warnings.add(why)
            del options[option]
        if not args and not options and is_bare:
            self._warnings.add(problems.called_without_handler(what))
            return lambda handler: method(self, handler)
        return method(self, *args, **options)

    return register  # type: ignore[return-value]


class Plugin:
    """Handlers of this plugin. Decorators give the function back unchanged; for one event the last handler counts."""

    def __init__(self) -> None:
        self._events: Dict[str, Callable[[Any], Any]] = {}
        self._custom: Dict[str, Callable[[Any], Any]] = {}
        self._contents: Dict[str, Dict[str, Callable[[Any], Any]]] = {"tab": {}, "page": {}}
        # Where in the sources the content of a slug is made.
        self._places: Dict[str, Dict[str, str]] = {"tab": {}, "page": {}}
        self._extras: Dict[str, Callable[..., Any]] = {}
        self._filter: Optional[Callable[[Any], Any]] = None
        self._priority = DEFAULT_PRIORITY
        self._warnings = problems.Warnings()
        # By what the server calls them for.
        self._handlers: Dict[str, Callable[..., Any]] = {}
        self._routes = Routes()
        self._commands = Commands(self._warnings)

    # Chat

    @registers
    def on_chat_message(self, handler: "On[shapes.ChatMessage, R]") -> "On[shapes.ChatMessage, R]":
        """Somebody wrote a message, and every filter let it through."""
        return self._event(CHAT_MESSAGE, shapes.ChatMessage, handler)

    @registers
    def filter_chat_message(self, handler: "FilterHandler") -> "FilterHandler":
        """Decide about a message before anybody sees it: return ``filter.pass_()``, ``modify`` or ``drop``."""
        self._filter = self._check(handler, "filter_chat_message")
        return handler

    def set_filter_priority(self, priority: int) -> None:
        """Filters with a lower number run earlier; without this it is 100."""
        if not isinstance(priority, int) or isinstance(priority, bool):
            raise TypeError("a filter priority is a whole number, not %r" % (priority,))
        self._priority = priority

    @registers
    def on_chat_user_joined(self, handler: "On[shapes.User, R]") -> "On[shapes.User, R]":
        """Somebody came into chat."""
        return self._event("chat.user.joined", shapes.User, handler)

    @registers
    def on_chat_user_parted(self, handler: "On[shapes.User, R]") -> "On[shapes.User, R]":
        """Somebody left chat."""
        return self._event("chat.user.parted", shapes.User, handler)

    @registers
    def on_chat_user_renamed(self, handler: "On[shapes.Rename, R]") -> "On[shapes.Rename, R]":
        """Somebody took another name."""
        return self._event("chat.user.renamed", shapes.Rename, handler)

    @registers
    def on_message_moderated(self, handler: "On[shapes.Moderation, R]") -> "On[shapes.Moderation, R]":
        """A message was hidden or shown again."""
        return self._event("chat.message.moderated", shapes.Moderation, handler)

    @registers
    def commands(self, table: "CommandTable", *, prefix: str = "!", case_sensitive: bool = False) -> "CommandTable":
        """Declare chat commands. Tables of several calls add up."""
        self._commands.add(table, prefix, case_sensitive)
        return table

    # Stream and time

    @registers
    def on_stream_started(self, handler: "On[shapes.StreamChange, R]") -> "On[shapes.StreamChange, R]":
        """The stream went live."""
        return self._event("stream.started", shapes.StreamChange, handler)

    @registers
    def on_stream_stopped(self, handler: "On[shapes.StreamChange, R]") -> "On[shapes.StreamChange, R]":
        """The stream ended."""
        return self._event("stream.stopped", shapes.StreamChange, handler)

    @registers
    def on_stream_title_changed(self, handler: "On[shapes.TitleChange, R]") -> "On[shapes.TitleChange, R]":
        """The stream has another title."""
        return self._event("stream.title.changed", shapes.TitleChange, handler)

    @registers
    def on_tick(self, handler: "On[shapes.Tick, R]") -> "On[shapes.Tick, R]":
        """About a second passed."""
        return self._event("tick", shapes.Tick, handler)

    # Fediverse: all need the permission fediverse.inbound

    @registers
    def on_fediverse(self, handler: "On[Record, R]") -> "On[Record, R]":
        """Any verified activity, as it came in."""
        return self._event("fediverse.activity", Record, handler)

    @registers
    def on_fediverse_follow(self, handler: "On[shapes.Engagement, R]") -> "On[shapes.Engagement, R]":
        """Somebody follows the server's account."""
        return self._event("fediverse.follow", shapes.Engagement, handler)

    @registers
    def on_fediverse_like(self, handler: "On[shapes.Engagement, R]") -> "On[shapes.Engagement, R]":
        """Somebody liked a post of the server."""
        return self._event("fediverse.like", shapes.Engagement, handler)

    @registers
    def on_fediverse_repost(self, handler: "On[shapes.Engagement, R]") -> "On[shapes.Engagement, R]":
        """Somebody shared a post of the server."""
        return self._event("fediverse.repost", shapes.Engagement, handler)

    @registers
    def on_fediverse_quote(self, handler: "On[shapes.InboundPost, R]") -> "On[shapes.InboundPost, R]":
        """Somebody quoted a post of the server."""
        return self._event("fediverse.quote", shapes.InboundPost, handler)

    @registers
    def on_fediverse_mention(self, handler: "On[shapes.InboundPost, R]") -> "On[shapes.InboundPost, R]":
        """Somebody mentioned the server's account."""
        return self._event("fediverse.mention", shapes.InboundPost, handler)

    @registers
    def on_fediverse_reply(self, handler: "On[shapes.InboundPost, R]") -> "On[shapes.InboundPost, R]":
        """Somebody replied to a post of the server."""
        return self._event("fediverse.reply", shapes.InboundPost, handler)

    # Other plugins

    @registers
    def on(self, event_name: str) -> "KeepsEvent":
        """An event another plugin emits, under its full name. The handler gets the decoded JSON as it is."""
        if not isinstance(event_name, str) or not event_name:
            raise TypeError("plugin.on takes an event's name, such as @plugin.on('scores.milestone')")
        return self._keep(self._custom, event_name, "on(%r)" % event_name, "the event %s" % event_name)

    # Web pages

    @registers
    def get(self, path: str) -> "KeepsRoute":
        """Answer GET requests for a path."""
        return self.route(path, methods=["GET"])

    @registers
    def post(self, path: str) -> "KeepsRoute":
        """Answer POST requests for a path."""
        return self.route(path, methods=["POST"])

    @registers
    def put(self, path: str) -> "KeepsRoute":
        """Answer PUT requests for a path."""
        return self.route(path, methods=["PUT"])

    @registers
    def delete(self, path: str) -> "KeepsRoute":
        """Answer DELETE requests for a path."""
        return self.route(path, methods=["DELETE"])

    @registers
    def patch(self, path: str) -> "KeepsRoute":
        """Answer PATCH requests for a path."""
        return self.route(path, methods=["PATCH"])

    @registers
    def route(self, path: str, methods: Optional[Iterable[str]] = None) -> "KeepsRoute":
        """Answer requests for a path with any of `methods`, or with any method at all."""
        check_route(path, methods)
        wanted = None if methods is None else list(methods)
        if not path.startswith("/"):
            self._warnings.add(problems.route_without_slash(path))

        def register(handler: Any) -> Any:
            what = "the route %r" % path
            self._check(handler, what, None)
            first = self._routes.add(path, wanted, handler)
            if first is not None and first is not handler:
                self._warnings.add(problems.second_handler(what, _name(first)), problems.place_of(handler))
            return handler

        return register

    @overload
    def on_http_request(self, path: str, methods: Optional[Iterable[str]] = None) -> "KeepsRoute": ...

    @overload
    def on_http_request(self, path: "HttpHandler") -> "HttpHandler": ...

    @registers
    def on_http_request(self, path: Union[str, Handler], methods: Optional[Iterable[str]] = None) -> Any:
        """With a path, a route for it. Bare, the handler for all requests no route fits."""
        if isinstance(path, str):
            return self.route(path, methods)
        self._routes.catch_all = self._check(path, "on_http_request")
        return path

    @registers
    def on_sse_connect(self, handler: "On[shapes.SseConnection, R]") -> "On[shapes.SseConnection, R]":
        """A page listens to one of the plugin's event channels."""
        return self._event("sse.connect", shapes.SseConnection, handler)

    @registers
    def on_sse_disconnect(self, handler: "On[shapes.SseConnection, R]") -> "On[shapes.SseConnection, R]":
        """A page stopped listening."""
        return self._event("sse.disconnect", shapes.SseConnection, handler)

    # The viewer page and the login

    @registers
    def on_tab_content(self, slug: str) -> "KeepsContent":
        """HTML of a tab the manifest declares."""
        return self._content("tab", slug)

    @registers
    def on_page_content(self, slug: str) -> "KeepsContent":
        """HTML for the viewer page, under the slug of the manifest's extraPageContent."""
        return self._content("page", slug)

    @registers
    def on_page_styles(self, handler: "TextHandler") -> "TextHandler":
        """CSS for the viewer page."""
        self._extras["styles"] = self._check(handler, "on_page_styles", arguments=0)
        return handler

    @registers
    def on_page_scripts(self, handler: "TextHandler") -> "TextHandler":
        """JavaScript for the viewer page."""
        self._extras["scripts"] = self._check(handler, "on_page_scripts", arguments=0)
        return handler

    @registers
    def on_auth_check(self, handler: "AuthHandler") -> "AuthHandler":
        """Whether a viewer's session goes on: return ``auth_check.ok()``, ``refresh`` or ``deny``."""
        self._extras["auth"] = self._check(handler, "on_auth_check")
        return handler

    # What the decorators share

    def _event(self, name: str, shape: Type[S], handler: "On[S, R]") -> "On[S, R]":
        self._check(handler, "the event %s" % name)
        self._events[name] = lambda payload: handler(shape(payload) if isinstance(payload, dict) else payload)
        return handler

    def _content(self, where: str, slug: str) -> Callable[[Any], Any]:
        what = "on_%s_content" % where
        if not isinstance(slug, str):
            raise TypeError("%s takes the slug it is for, such as @plugin.%s('schedule')" % (what, what))
        self._places[where][slug] = problems.author_line()
        return self._keep(self._contents[where], slug, "%s(%r)" % (what, slug))

    def _keep(self, where: Dict[str, Any], key: str, what: str, one_of: str = "") -> Callable[[Any], Any]:
        def register(handler: Any) -> Any:
            where[key] = self._check(handler, what, one_of)
            return handler

        return register

    def _check(self, handler: M, what: str, one_of: Optional[str] = "", arguments: int = 1) -> M:
        """Refuse what cannot handle anything, and warn of what will not go well.

        Of all handlers for `one_of`, which is `what` unless something is said, only one is called. None means that
        there can be several.
        """
        refuse_coroutine(handler, what)
        why = problems.handler_arguments(handler, arguments, what)
        if why:
            self._warnings.add(why, problems.place_of(handler))
        if one_of is not None:
            former = self._handlers.setdefault(one_of or what, handler)
            self._handlers[one_of or what] = handler
            if former is not handler:
                why = problems.second_handler(one_of or what, self._called(one_of, former, handler))
                self._warnings.add(why, problems.place_of(handler))
        return handler

    def _called(self, one_of: str, former: Callable[..., Any], handler: Callable[..., Any]) -> str:
        """The last one, but for an event of the server's own its own decorator goes first."""
        is_custom = one_of[len("the event ") :] in self._events
        return _name(former if is_custom else handler)

    # What the engine asks. Nothing below is for authors.

    def _look_for_contents(self, manifest: Dict[str, Any]) -> None:
        """Warn of content for what the manifest does not have."""
        for where, known, why in (
            ("tab", _tabs(manifest), problems.no_such_tab),
            ("page", _page_content(manifest), problems.no_such_page_content),
        ):
            for slug in self._contents[where]:
                if slug not in known:
                    self._warnings.add(why(slug, known), self._places[where][slug])

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


def _tabs(manifest: Dict[str, Any]) -> List[str]:
    """The slugs of tabs; older packages have a list whose items carry them inside."""
    tabs = manifest.get("tabs")
    if isinstance(tabs, list):
        return [str(tab.get("slug")) for tab in tabs if isinstance(tab, dict)]
    return list(tabs) if isinstance(tabs, dict) else []


def _page_content(manifest: Dict[str, Any]) -> List[str]:
    content = manifest.get("extraPageContent")
    return [str(content["slug"])] if isinstance(content, dict) and content.get("slug") else []


def _name(handler: Callable[..., Any]) -> str:
    return str(getattr(handler, "__name__", "the handler"))


plugin = Plugin()
