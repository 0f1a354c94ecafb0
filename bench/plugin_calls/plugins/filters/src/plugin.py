import collections
import re

from service_plugin import filter, plugin

WORDS = re.compile(r"(?<!\w)(?:badly|rudely|loudly)(?!\w)", re.IGNORECASE)

said = collections.Counter()


@plugin.filter_chat_message
def judge(msg):
    masked = WORDS.sub(lambda found: "*" * len(found.group()), msg.body)
    if masked == msg.body:
        return filter.pass_()
    return filter.modify({**msg.raw, "body": masked})


@plugin.on_chat_message
def hear(msg):
    said[msg.user.display_name] += 1
