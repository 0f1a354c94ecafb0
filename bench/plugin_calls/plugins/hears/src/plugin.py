import collections

from service_plugin import plugin, service

said = collections.Counter()


@plugin.on_chat_message
def hear(msg):
    said[msg.user.display_name] += 1
    if service.kv.get("greeting") and said[msg.user.display_name] == 1:
        service.chat.send("Hello, %s!" % msg.user.display_name)
