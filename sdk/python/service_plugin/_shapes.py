"""What the payloads hold, for editors and type checkers. At run time each is a `Record`."""

from typing import Any, Dict, List, Optional

from ._records import Record


class User(Record):
    """Somebody in chat."""

    __slots__ = ()
    id: str
    display_name: str
    display_color: int
    previous_names: Optional[List[str]]
    created_at: Optional[str]
    disabled_at: Optional[str]
    scopes: Optional[List[str]]
    is_bot: Optional[bool]
    is_authenticated: Optional[bool]


class ChatMessage(Record):
    """A line somebody wrote; `body` is the text as typed."""

    __slots__ = ()
    id: str
    user: Optional[User]
    client_id: Optional[int]
    body: str
    timestamp: str


class Rename(Record):
    """A new name: `user` has it already."""

    __slots__ = ()
    user: User
    previous_name: str


class Moderation(Record):
    """A message was hidden or shown again."""

    __slots__ = ()
    message_id: str
    visible: bool
    moderator: Optional[User]


class StreamChange(Record):
    """The stream started or stopped."""

    __slots__ = ()
    started_at: Optional[str]
    stopped_at: Optional[str]
    title: Optional[str]
    summary: Optional[str]


class TitleChange(Record):
    """The stream's title, before and after; `from` is a word of Python, hence the underscore."""

    __slots__ = ()
    from_: str
    to: str


class SseConnection(Record):
    """A listener of one of the plugin's event channels came or went."""

    __slots__ = ()
    channel: str
    connection_id: Any
    user: Optional[User]


class Tick(Record):
    """About once a second; `now` is in milliseconds since 1970."""

    __slots__ = ()
    now: int


class Engagement(Record):
    """Somebody in the Fediverse followed, liked or shared."""

    __slots__ = ()
    actor: Record
    target: Optional[Record]


class InboundPost(Record):
    """A mention, a reply or a quote from the Fediverse. Its content is a stranger's."""

    __slots__ = ()
    actor: Record
    target: Optional[Record]
    content: Optional[str]
    content_text: Optional[str]
    url: str
    posted_at: Optional[str]
    in_reply_to: Optional[str]
    attachments: Optional[List[Dict[str, Any]]]
    language: Optional[str]


class ContentRequest(Record):
    """Who asks for a tab or for page content, and which."""

    __slots__ = ()
    slug: str
    user: Optional[User]


class AuthRequest(Record):
    """Whose session is being checked."""

    __slots__ = ()
    user: User


class ChatClient(Record):
    """A connection to the chat, by `chat.clients()`."""

    __slots__ = ()
    id: int
    user_id: Optional[str]
    display_name: Optional[str]
    connected_at: Optional[str]
    user_agent: Optional[str]
    ip_address: Optional[str]
    message_count: int


class Stream(Record):
    """The stream as it is now, by `stream.current()`; `latency_level` is from 0 to 4."""

    __slots__ = ()
    online: bool
    title: Optional[str]
    summary: Optional[str]
    viewers: int
    started_at: Optional[str]
    latency_level: Optional[int]


class Broadcaster(Record):
    """What the streaming program sends, by `stream.broadcaster()`; without a broadcast all is None."""

    __slots__ = ()
    remote_addr: Optional[str]
    codecs: Optional[List[str]]
    resolution: Optional[str]
    framerate: Optional[float]
    bitrates: Optional[List[int]]


class ServerInfo(Record):
    """What the server says about itself, by `server.info()`."""

    __slots__ = ()
    name: Optional[str]
    url: Optional[str]
    summary: Optional[str]
    welcome_message: Optional[str]
    version: Optional[str]


class Federation(Record):
    """The server's account in the Fediverse, by `server.federation()`."""

    __slots__ = ()
    enabled: bool
    username: Optional[str]
    is_private: Optional[bool]


class Social(Record):
    """A link to another place of the streamer's, by `server.socials()`."""

    __slots__ = ()
    platform: str
    url: str
    icon: Optional[str]


class Emote(Record):
    """A custom emoji, by `server.emotes()`; its address has no host."""

    __slots__ = ()
    name: str
    url: str


class VideoConfig(Record):
    """How the stream is encoded, by `video_config.read()`."""

    __slots__ = ()
    latency_level: int
    codec: str
    autoplay: str
    variants: List[Dict[str, Any]]


class RegisteredUser(Record):
    """Whom `users.register()` has found or made."""

    __slots__ = ()
    user_id: str
    profile_url: Optional[str]
    handle: Optional[str]
    public: Optional[bool]
