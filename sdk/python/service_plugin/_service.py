"""The host API. Each group of calls is one small class; `service` holds one of each."""

import json
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from . import _shapes as shapes
from . import _wire as wire
from ._handlers import refuse_coroutine
from ._records import Record, Result, plain
from ._storage import Assets, Files, Kv, Sql, Storage

Object = Union[Record, Dict[str, Any]]


class Log:
    """The server's log, under the plugin's name. Needs no permission."""

    def info(self, message: object) -> None:
        """Something worth knowing."""
        wire.attempt("log_info", {"text": str(message)})

    def warning(self, message: object) -> None:
        """Something to look at."""
        wire.attempt("log_warning", {"text": str(message)})

    def error(self, message: object) -> None:
        """Something that went wrong."""
        wire.attempt("log_error", {"text": str(message)})


class Chat:
    """The chat room."""

    def send(self, text: object) -> None:
        """Write as the plugin's bot. Plain text."""
        wire.attempt("send_chat", {"text": str(text)})

    def send_action(self, text: object) -> None:
        """Write in the way of ``/me``, as the plugin's bot."""
        wire.attempt("send_chat_action", {"text": str(text)})

    def system(self, body: object) -> None:
        """An announcement of the server. The body is HTML."""
        wire.attempt("send_chat_system", {"body": str(body)})

    def send_to(self, client_id: int, text: object) -> None:
        """A message only one connection sees."""
        wire.attempt("send_chat_to", {"clientId": int(client_id), "text": str(text)})

    def reply_to(self, msg_or_client_id: Union[Record, int, None], text: object) -> bool:
        """Answer one connection. False, and nothing sent, when the message does not say which it came from."""
        client_id = plain(msg_or_client_id)
        if isinstance(client_id, dict):
            client_id = client_id.get("clientId")
        if client_id is None:
            return False
        self.send_to(client_id, text)
        return True

    def history(self, limit: int = 0) -> List[shapes.ChatMessage]:
        """The newest messages, oldest first; 50 unless `limit` says otherwise."""
        return wire.a_list("chat_history", {"limit": int(limit)})

    def clients(self) -> List[shapes.ChatClient]:
        """Who is connected."""
        return wire.a_list("chat_clients", {})

    def delete_message(self, id: str) -> None:
        """Hide a message."""
        wire.demand("delete_message", {"id": str(id)})

    def kick(self, client_id: int) -> None:
        """Disconnect a connection."""
        wire.demand("kick_client", {"clientId": int(client_id)})


class Users:
    """People in chat."""

    def list(self) -> "List[shapes.User]":
        """Everybody the server knows."""
        return wire.a_list("users_list", {})

    def get(self, id: str) -> Optional[shapes.User]:
        """One user, or None."""
        return wire.an_object("user_get", {"id": str(id)})

    def set_enabled(self, id: str, enabled: bool, reason: str = "") -> None:
        """Let a user take part, or not."""
        wire.demand("user_set_enabled", {"id": str(id), "enabled": bool(enabled), "reason": str(reason)})

    def ban_ip(self, ip: str) -> None:
        """Keep an address out of chat."""
        wire.demand("ban_ip", {"ip": str(ip)})

    def register(
        self,
        auth_id: str,
        display_name: Optional[str] = None,
        scopes: Optional[Sequence[str]] = None,
        profile_url: Optional[str] = None,
        handle: Optional[str] = None,
        public: Optional[bool] = None,
    ) -> shapes.RegisteredUser:
        """Find or make the user that belongs to somebody's identity elsewhere; the answer has ``.user_id``."""
        given = {
            "authId": str(auth_id),
            "displayName": display_name,
            "scopes": None if scopes is None else list(scopes),
            "profileUrl": profile_url,
            "handle": handle,
            "public": public,
        }
        told = wire.demand("users_register", {name: value for name, value in given.items() if value is not None})
        return shapes.RegisteredUser(told if isinstance(told, dict) else {})


class Auth:
    """The viewer's session, for a plugin that is the login gate."""

    def grant_session(self, user_id: str, ttl: int = 0) -> None:
        """Log the user of this request in, for `ttl` seconds; 0 is a day."""
        wire.demand("auth_grant_session", {"userId": str(user_id), "ttl": int(ttl)})

    def end_session(self) -> None:
        """Log the user of this request out."""
        wire.attempt("auth_end_session", {})


class Response(Record):
    """What another server answered."""

    __slots__ = ()
    status: int
    headers: Record
    body: str

    def json(self) -> Any:
        """The body read as JSON. Raises `ValueError` when it is none."""
        return json.loads(self.body or "")


class Http:
    """Requests to servers the manifest names."""

    def fetch(self, url: str, opts: Optional[Object] = None) -> Response:
        """Ask another server and wait for its answer. `opts` may hold ``method``, ``headers`` and ``body``.

        Raises `RuntimeError` when the request is refused or fails; an answer such as 404 is an answer.
        """
        given = plain(opts) or {}
        args: Dict[str, Any] = {"url": str(url), "method": str(given.get("method") or "GET").upper()}
        args["headers"] = {str(name): str(value) for name, value in dict(plain(given.get("headers")) or {}).items()}
        body = given.get("body")
        if body is not None:
            args["body"] = body.decode("utf-8") if isinstance(body, (bytes, bytearray)) else str(body)
        told = wire.demand("fetch", args)
        return Response(told if isinstance(told, dict) else {})


class Events:
    """Events for other plugins."""

    def emit(self, event_type: str, payload: Any = None) -> None:
        """Tell plugins that subscribed to ``<this plugin's slug>.<event_type>``."""
        wire.attempt("emit_event", {"eventType": str(event_type), "payload": payload})


class Stream:
    """The stream, as viewers see it."""

    def current(self) -> Optional[shapes.Stream]:
        """Whether it is live, its title, how many watch."""
        return wire.an_object("stream_current", {})

    def broadcaster(self) -> Optional[shapes.Broadcaster]:
        """What the streaming program sends."""
        return wire.an_object("stream_broadcaster", {})


class Server:
    """What the server says about itself."""

    def info(self) -> Optional[shapes.ServerInfo]:
        """Name, address, summary, version."""
        return wire.an_object("server_info", {})

    def socials(self) -> List[shapes.Social]:
        """Links to the streamer's other places."""
        return wire.a_list("server_socials", {})

    def emotes(self) -> List[shapes.Emote]:
        """Custom emoji."""
        return wire.a_list("server_emotes", {})

    def federation(self) -> Optional[shapes.Federation]:
        """Whether the server is part of the Fediverse, and as whom."""
        return wire.an_object("server_federation", {})

    def tags(self) -> List[str]:
        """The stream's tags."""
        return wire.a_list("server_tags", {})


class VideoConfig:
    """How the stream is encoded."""

    def read(self) -> Optional[shapes.VideoConfig]:
        """The settings."""
        return wire.an_object("video_config_read", {})

    def write(self, partial: Object) -> None:
        """Change the given members; it counts from the next stream on."""
        wire.demand("video_config_write", dict(plain(partial)))


class Notifications:
    """Notices to people who asked for them."""

    def discord(self, text: object) -> None:
        """Through the Discord webhook of the server."""
        wire.attempt("notify_discord", {"text": str(text)})

    def browser_push(self, notice: Union[Object, str]) -> None:
        """To subscribed browsers: ``title``, ``body`` and ``url``."""
        wire.attempt("notify_browser_push", _notice(notice, "title"))

    def fediverse(self, notice: Union[Object, str]) -> None:
        """An entry in chat in the style of the Fediverse: ``type``, ``body``, ``image`` and ``link``."""
        wire.attempt("notify_fediverse", _notice(notice, "body"))


class Fediverse:
    """The server's account."""

    def post(self, text: object) -> Optional[Result]:
        """A public post. None when that failed."""
        return wire.a_result("fediverse_post", {"text": str(text)})


class Sse:
    """Pages that listen to the plugin."""

    def send(self, channel: str, event: str, data: Any) -> None:
        """Tell everybody who listens to a channel. A text goes as it is, anything else as JSON."""
        text = data if isinstance(data, str) else wire.stored_json(data)
        wire.attempt("sse_send", {"channel": str(channel), "event": str(event), "data": text})


class Actions:
    """Buttons under the video."""

    def add(self, actions: Union[Object, Sequence[Object]]) -> None:
        """Add one or several; one that is wrong keeps all of them out."""
        several = list(actions) if isinstance(actions, (list, tuple)) else [actions]
        wire.demand("add_actions", {"actions": [plain(action) for action in several]})

    def clear(self) -> None:
        """Take away what `add` added."""
        wire.demand("clear_actions", {})


class Timer:
    """Functions to call later. Needs no permission; nothing of it outlives the plugin's instance."""

    def __init__(self) -> None:
        self._last = 0
        self._waiting: Dict[int, Any] = {}

    def set_timeout(self, fn: Callable[[], Any], ms: float) -> int:
        """Call `fn` once. The answer is an id for `clear`, or 0 when too many timers wait already."""
        return self._set(fn, ms, False)

    def set_interval(self, fn: Callable[[], Any], ms: float) -> int:
        """Call `fn` again and again."""
        return self._set(fn, ms, True)

    def clear(self, id: int) -> None:
        """Do not call it any more."""
        self._waiting.pop(int(id), None)
        wire.attempt("timer_clear", {"id": int(id)})

    def _set(self, fn: Callable[[], Any], ms: float, repeat: bool) -> int:
        refuse_coroutine(fn, "timer")
        id = self._last + 1
        if not wire.value("timer_set", {"id": id, "delayMs": int(ms), "repeat": repeat}):
            return 0
        self._last = id
        self._waiting[id] = (fn, repeat)
        return id


class Config:
    """Settings the manifest declares and the operator fills in. Needs no permission."""

    def get(self, key: str, fallback: Any = None) -> Any:
        """The operator's value, else the manifest's default, else `fallback`."""
        found = wire.value("config_get", {"key": str(key)})
        return fallback if found is None else found


class Service:
    """Everything a plugin can ask of the server. Each call is checked against the manifest's permissions."""

    def __init__(self) -> None:
        self.log = Log()
        self.chat = Chat()
        self.users = Users()
        self.auth = Auth()
        self.kv = Kv()
        self.fs = Files()
        self.assets = Assets()
        self.storage = Storage()
        self.sql = Sql()
        self.http = Http()
        self.events = Events()
        self.stream = Stream()
        self.server = Server()
        self.video_config = VideoConfig()
        self.notifications = Notifications()
        self.fediverse = Fediverse()
        self.sse = Sse()
        self.actions = Actions()
        self.timer = Timer()
        self.config = Config()


def _notice(notice: Union[Object, str], sole: str) -> Dict[str, Any]:
    """A notice as an object. A text is JSON that is ready, or else the one member that matters."""
    given = plain(notice)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            pass
    return given if isinstance(given, dict) else {sole: str(given)}


def fire_timer(id: Any) -> None:
    """A timer's time has come. One that was cleared meanwhile is forgotten."""
    waiting = service.timer._waiting
    fn, repeat = waiting.get(id, (None, False))
    if not repeat:
        waiting.pop(id, None)
    if fn is not None:
        fn()


service = Service()
