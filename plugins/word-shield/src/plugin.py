from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from service_plugin import filter, plugin, service

if TYPE_CHECKING:
    from service_plugin.types import ChatMessage, FilterVerdict

# Before filters that look at what is left of the text.
plugin.set_filter_priority(50)


@functools.lru_cache(maxsize=1)
def pattern(words: str) -> re.Pattern[str] | None:
    """One expression for the whole list; the list changes seldom, messages come often."""
    wanted = [re.escape(word.strip()) for word in words.split(",") if word.strip()]
    if not wanted:
        return None
    # Not \b: a listed word may begin or end with a sign that is no letter.
    return re.compile(r"(?<!\w)(?:%s)(?!\w)" % "|".join(wanted), re.IGNORECASE)


@plugin.filter_chat_message
def shield(msg: ChatMessage) -> FilterVerdict:
    listed = pattern(service.config.get("words", ""))
    if listed is None or "MODERATOR" in ((msg.user and msg.user.scopes) or []):
        return filter.pass_()
    masked = listed.sub(lambda found: "*" * len(found.group()), msg.body)
    if masked == msg.body:
        return filter.pass_()
    if service.config.get("refuse", False):
        return filter.drop("This chat does without some words, and your message has one of them.")
    return filter.modify({**msg.raw, "body": masked})
