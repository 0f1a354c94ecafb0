from typing import TYPE_CHECKING

from service_plugin import plugin, service

if TYPE_CHECKING:
    from service_plugin.types import ChatMessage


@plugin.on_chat_message
def greet(msg: "ChatMessage") -> None:
    if msg.body.lower().startswith("hi"):
        name = msg.user.display_name if msg.user else "stranger"
        service.chat.send("Hello, %s!" % name)
