"""Which permission each name of the SDK needs, by permission; what is not here needs none.

The server decides. This is for telling an author of a permission that was forgotten, and a test compares it with the
server's own table.
"""

from typing import Dict

_NAMES = {
    "auth.gate": "service.auth.grant_session service.auth.end_session plugin.on_auth_check",
    "chat.filter": "plugin.filter_chat_message",
    "chat.history": "service.chat.history service.chat.clients",
    "chat.moderate": "service.chat.delete_message service.chat.kick",
    "chat.send": (
        "service.chat.send service.chat.send_action service.chat.system service.chat.send_to"
        " service.chat.reply_to"
    ),
    "events.emit": "service.events.emit",
    "fediverse.inbound": (
        "plugin.on_fediverse plugin.on_fediverse_follow plugin.on_fediverse_like plugin.on_fediverse_repost"
        " plugin.on_fediverse_quote plugin.on_fediverse_mention plugin.on_fediverse_reply"
    ),
    "fediverse.post": "service.fediverse.post",
    "http.serve": "plugin.get plugin.post plugin.put plugin.delete plugin.patch plugin.route plugin.on_http_request",
    "http.sse": "service.sse.send plugin.on_sse_connect plugin.on_sse_disconnect",
    "network.fetch": "service.http.fetch",
    "notifications.send": (
        "service.notifications.discord service.notifications.browser_push service.notifications.fediverse"
    ),
    "server.read": (
        "service.stream.current service.stream.broadcaster service.server.info service.server.socials"
        " service.server.emotes service.server.federation service.server.tags"
    ),
    "storage.fs": (
        "service.fs.read service.fs.read_text service.fs.write service.fs.list service.fs.delete"
        " service.fs.exists"
    ),
    "storage.kv": "service.kv.get service.kv.set service.kv.get_json service.kv.set_json service.kv.delete",
    "storage.sql": "service.sql.exec service.sql.query service.sql.query_row",
    "storage.upload": "service.storage.upload",
    "ui.modify": (
        "service.actions.add service.actions.clear plugin.on_tab_content plugin.on_page_content"
        " plugin.on_page_styles plugin.on_page_scripts"
    ),
    "users.moderate": "service.users.set_enabled service.users.ban_ip",
    "users.read": "service.users.list service.users.get",
    "users.register": "service.users.register",
    "videoconfig.read": "service.video_config.read",
    "videoconfig.write": "service.video_config.write",
}

NEEDS: Dict[str, str] = {name: permission for permission, names in _NAMES.items() for name in names.split()}
