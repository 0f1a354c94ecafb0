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
