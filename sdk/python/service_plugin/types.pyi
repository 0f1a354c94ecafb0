"""The types of what handlers receive and return.

    from typing import TYPE_CHECKING

    if TYPE_CHECKING:
        from service_plugin.types import ChatMessage

Nothing of it exists while a plugin runs.
"""

from ._commands import CommandContext as CommandContext
from ._http import Request as Request
from ._records import Record as Record
from ._records import Result as Result
from ._service import Response as Response
from ._shapes import AuthRequest as AuthRequest
from ._shapes import Broadcaster as Broadcaster
from ._shapes import ChatClient as ChatClient
from ._shapes import ChatMessage as ChatMessage
from ._shapes import ContentRequest as ContentRequest
from ._shapes import Emote as Emote
from ._shapes import Engagement as Engagement
from ._shapes import Federation as Federation
from ._shapes import InboundPost as InboundPost
from ._shapes import Moderation as Moderation
from ._shapes import RegisteredUser as RegisteredUser
from ._shapes import Rename as Rename
from ._shapes import ServerInfo as ServerInfo
from ._shapes import Social as Social
from ._shapes import SseConnection as SseConnection
from ._shapes import Stream as Stream
from ._shapes import StreamChange as StreamChange
from ._shapes import Tick as Tick
from ._shapes import TitleChange as TitleChange
from ._shapes import User as User
from ._shapes import VideoConfig as VideoConfig
from ._signatures import AuthVerdict as AuthVerdict
from ._signatures import CommandOptions as CommandOptions
from ._signatures import CommandTable as CommandTable
from ._signatures import FilterVerdict as FilterVerdict
from ._signatures import HttpAnswer as HttpAnswer
