"""The twenty-three permissions, each with what an operator who agrees to it is told."""

MEANINGS = {
    "auth.gate": "decide who may see the server at all, by a sign-in of its own",
    "chat.filter": "read, change and hold back every chat message before it is shown",
    "chat.history": "read past chat messages and see who is connected",
    "chat.moderate": "delete chat messages and disconnect people",
    "chat.send": "write in the chat as a bot, and as the server",
    "events.emit": "send events of its own to other plugins",
    "fediverse.inbound": "see follows, likes, replies and mentions from the Fediverse",
    "fediverse.post": "publish posts from the server's Fediverse account",
    "http.serve": "show web pages of its own below /plugins/",
    "http.sse": "push live updates to open web pages",
    "network.fetch": "send requests to the hosts it names",
    "notifications.send": "send notices by Discord and browser push, and Fediverse notices to the chat",
    "server.read": "read the state of the stream and what the server tells about itself",
    "storage.fs": "keep private files on the server",
    "storage.kv": "keep small values on the server",
    "storage.sql": "keep a private database on the server",
    "storage.upload": "publish files that anybody can download",
    "ui.modify": "change the viewers' page: buttons, tabs, content, styles, and scripts, which can act as the operator who is "
    "signed in there",
    "users.moderate": "ban people and addresses",
    "users.read": "read the list of chat users",
    "users.register": "create chat users that count as signed in, also moderators",
    "videoconfig.read": "read the video settings",
    "videoconfig.write": "change the video settings",
}
