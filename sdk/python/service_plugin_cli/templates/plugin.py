from service_plugin import plugin, service


@plugin.on_chat_message
def greet(msg):
    if msg.body.lower().startswith("hi"):
        name = msg.user.display_name if msg.user else "stranger"
        service.chat.send("Hello, %s!" % name)
