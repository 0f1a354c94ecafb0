"""What each call of the host API asks of the server, and what becomes of a refusal."""

import pathlib
import subprocess
import sys
import unittest

from .fake import Engine, Host, Refusing

# Every function of the server: how Python calls it, its name on the wire, and its arguments.
CALLS = [
    (lambda s: s.log.info(1), "log_info", {"text": "1"}),
    (lambda s: s.log.warning("a"), "log_warning", {"text": "a"}),
    (lambda s: s.log.error("a"), "log_error", {"text": "a"}),
    (lambda s: s.chat.send(5), "send_chat", {"text": "5"}),
    (lambda s: s.chat.send_action("a"), "send_chat_action", {"text": "a"}),
    (lambda s: s.chat.system("<b>a</b>"), "send_chat_system", {"body": "<b>a</b>"}),
    (lambda s: s.chat.send_to("12", "a"), "send_chat_to", {"clientId": 12, "text": "a"}),
    (lambda s: s.chat.history(3), "chat_history", {"limit": 3}),
    (lambda s: s.chat.clients(), "chat_clients", {}),
    (lambda s: s.chat.delete_message("m"), "delete_message", {"id": "m"}),
    (lambda s: s.chat.kick("4"), "kick_client", {"clientId": 4}),
    (lambda s: s.users.list(), "users_list", {}),
    (lambda s: s.users.get("u"), "user_get", {"id": "u"}),
    (lambda s: s.users.set_enabled("u", 0, "x"), "user_set_enabled", {"id": "u", "enabled": False, "reason": "x"}),
    (lambda s: s.users.ban_ip("192.0.2.1"), "ban_ip", {"ip": "192.0.2.1"}),
    (
        lambda s: s.users.register("gh:1", "Ana", ["MODERATOR"], "https://a.example", "ana", True),
        "users_register",
        {
            "authId": "gh:1",
            "displayName": "Ana",
            "scopes": ["MODERATOR"],
            "profileUrl": "https://a.example",
            "handle": "ana",
            "public": True,
        },
    ),
    (lambda s: s.users.register("gh:1"), "users_register", {"authId": "gh:1"}),
    (lambda s: s.auth.grant_session("u", 60), "auth_grant_session", {"userId": "u", "ttl": 60}),
    (lambda s: s.auth.end_session(), "auth_end_session", {}),
    (lambda s: s.kv.get("k"), "kv_get", {"key": "k"}),
    (lambda s: s.kv.set("k", 5), "kv_set", {"key": "k", "value": "5"}),
    (lambda s: s.kv.set_json("k", {"a": [1]}), "kv_set", {"key": "k", "value": '{"a": [1]}'}),
    (lambda s: s.kv.delete("k"), "kv_set", {"key": "k", "value": ""}),
    (lambda s: s.storage.upload("a.txt", "hi"), "storage_upload", {"name": "a.txt", "base64": "aGk="}),
    (lambda s: s.fs.read("p"), "fs_read", {"path": "p"}),
    (lambda s: s.fs.write("p", b"\xff\x00\x80"), "fs_write", {"path": "p", "base64": "/wCA"}),
    (lambda s: s.fs.list(), "fs_list", {"dir": ""}),
    (lambda s: s.fs.delete("p"), "fs_delete", {"path": "p"}),
    (lambda s: s.fs.exists("p"), "fs_exists", {"path": "p"}),
    (lambda s: s.assets.read("p"), "asset_read", {"path": "p"}),
    (
        lambda s: s.http.fetch("https://a.example"),
        "fetch",
        {"url": "https://a.example", "method": "GET", "headers": {}},
    ),
    (
        lambda s: s.http.fetch("https://a.example", {"method": "post", "headers": {"X": 1}, "body": "b"}),
        "fetch",
        {"url": "https://a.example", "method": "POST", "headers": {"X": "1"}, "body": "b"},
    ),
    (lambda s: s.events.emit("goal", {"n": 1}), "emit_event", {"eventType": "goal", "payload": {"n": 1}}),
    (lambda s: s.stream.current(), "stream_current", {}),
    (lambda s: s.stream.broadcaster(), "stream_broadcaster", {}),
    (lambda s: s.server.info(), "server_info", {}),
    (lambda s: s.server.socials(), "server_socials", {}),
    (lambda s: s.server.emotes(), "server_emotes", {}),
    (lambda s: s.server.federation(), "server_federation", {}),
    (lambda s: s.server.tags(), "server_tags", {}),
    (lambda s: s.video_config.read(), "video_config_read", {}),
    (lambda s: s.video_config.write({"latencyLevel": 1}), "video_config_write", {"latencyLevel": 1}),
    (lambda s: s.notifications.discord("a"), "notify_discord", {"text": "a"}),
    (lambda s: s.notifications.browser_push({"title": "a"}), "notify_browser_push", {"title": "a"}),
    (lambda s: s.notifications.browser_push('{"title":"a"}'), "notify_browser_push", {"title": "a"}),
    (
        lambda s: s.notifications.fediverse({"type": "like", "body": "b"}),
        "notify_fediverse",
        {"type": "like", "body": "b"},
    ),
    (lambda s: s.fediverse.post("a"), "fediverse_post", {"text": "a"}),
    (lambda s: s.sse.send("c", "e", "d"), "sse_send", {"channel": "c", "event": "e", "data": "d"}),
    (lambda s: s.sse.send("c", "e", {"n": 1}), "sse_send", {"channel": "c", "event": "e", "data": '{"n": 1}'}),
    (lambda s: s.actions.add({"title": "a", "html": "b"}), "add_actions", {"actions": [{"title": "a", "html": "b"}]}),
    (lambda s: s.actions.clear(), "clear_actions", {}),
    (lambda s: s.timer.set_timeout(print, 5), "timer_set", {"id": 1, "delayMs": 5, "repeat": False}),
    (lambda s: s.timer.set_interval(print, 5.5), "timer_set", {"id": 1, "delayMs": 5, "repeat": True}),
    (lambda s: s.timer.clear(3), "timer_clear", {"id": 3}),
    (lambda s: s.config.get("k"), "config_get", {"key": "k"}),
]

SQL_CALLS = [
    (lambda s: s.sql.exec("DELETE FROM a", [1]), "sql_exec", {"sql": "DELETE FROM a", "params": [1]}),
    (lambda s: s.sql.query("SELECT 1"), "sql_query", {"sql": "SELECT 1"}),
    (lambda s: s.sql.query_row("SELECT 1"), "sql_query", {"sql": "SELECT 1", "maxRows": 1}),
]

RAISE = [
    lambda s: s.chat.delete_message("m"),
    lambda s: s.chat.kick(1),
    lambda s: s.kv.set("k", "v"),
    lambda s: s.kv.set_json("k", 1),
    lambda s: s.kv.delete("k"),
    lambda s: s.users.set_enabled("u", True),
    lambda s: s.users.ban_ip("192.0.2.1"),
    lambda s: s.users.register("a"),
    lambda s: s.auth.grant_session("u"),
    lambda s: s.video_config.write({}),
    lambda s: s.actions.add({}),
    lambda s: s.actions.clear(),
    lambda s: s.sql.exec("x"),
    lambda s: s.sql.query("x"),
    lambda s: s.sql.query_row("x"),
    lambda s: s.http.fetch("https://a.example"),
]

GIVE_NONE = [
    lambda s: s.server.info(),
    lambda s: s.server.federation(),
    lambda s: s.stream.current(),
    lambda s: s.stream.broadcaster(),
    lambda s: s.video_config.read(),
    lambda s: s.users.get("u"),
    lambda s: s.fediverse.post("a"),
    lambda s: s.storage.upload("a", b""),
    lambda s: s.kv.get("k"),
    lambda s: s.kv.get_json("k"),
    lambda s: s.fs.read("p"),
    lambda s: s.fs.read_text("p"),
    lambda s: s.assets.read("p"),
    lambda s: s.assets.read_text("p"),
    lambda s: s.config.get("k"),
    # These have nothing to say when all is well, too.
    lambda s: s.chat.send("a"),
    lambda s: s.chat.send_action("a"),
    lambda s: s.chat.system("a"),
    lambda s: s.chat.send_to(1, "a"),
    lambda s: s.notifications.discord("a"),
    lambda s: s.notifications.browser_push({"title": "a"}),
    lambda s: s.notifications.fediverse({"type": "like"}),
    lambda s: s.events.emit("a", None),
    lambda s: s.sse.send("c", "e", "d"),
    lambda s: s.auth.end_session(),
    lambda s: s.log.info("a"),
]

GIVE_AN_EMPTY_LIST = [
    lambda s: s.chat.history(),
    lambda s: s.chat.clients(),
    lambda s: s.users.list(),
    lambda s: s.server.socials(),
    lambda s: s.server.emotes(),
    lambda s: s.server.tags(),
    lambda s: s.fs.list(""),
]


class Calls(unittest.TestCase):
    def test_each_call_reaches_the_server_under_its_wire_name(self):
        answers = {"sql_exec": {"rowsAffected": 0}, "sql_query": {"columns": [], "rows": []}}
        for call, name, args in CALLS + SQL_CALLS:
            with self.subTest(name):
                engine = Engine(host=Host(**answers))
                call(engine.service)
                self.assertEqual(engine.host.calls, [(name, args)])

    def test_texts_go_through_str_and_ids_through_int(self):
        engine = Engine()
        engine.service.chat.send(None)
        engine.service.chat.send_to("7", 1.5)
        engine.service.chat.kick(True)
        engine.service.kv.set(3, ["a"])
        wanted = [
            ("send_chat", {"text": "None"}),
            ("send_chat_to", {"clientId": 7, "text": "1.5"}),
            ("kick_client", {"clientId": 1}),
            ("kv_set", {"key": "3", "value": "['a']"}),
        ]
        self.assertEqual(engine.host.calls, wanted)
        with self.assertRaises(ValueError):
            engine.service.chat.kick("nobody")

    def test_all_fifty_functions_of_the_server_can_be_called(self):
        self.assertEqual(len({name for _, name, _ in CALLS + SQL_CALLS}), 50)

    def test_objects_come_back_as_attribute_objects_and_lists_as_lists_of_them(self):
        engine = Engine(
            host=Host(server_info={"welcomeMessage": "hi"}, users_list=[{"displayName": "mira"}], server_tags=["a"])
        )
        self.assertEqual(engine.service.server.info().welcome_message, "hi")
        self.assertEqual(engine.service.users.list()[0].display_name, "mira")
        self.assertEqual(engine.service.server.tags(), ["a"])

    def test_bytes_survive_the_way_there_and_back(self):
        engine = Engine(host=Host(fs_read={"base64": "/wCA"}, asset_read={"base64": "w6k="}))
        self.assertEqual(engine.service.fs.read("p"), b"\xff\x00\x80")
        self.assertEqual(engine.service.assets.read_text("p"), "\u00e9")

    def test_rows_are_dicts_by_column(self):
        engine = Engine(host=Host(sql_query={"columns": ["name", "points"], "rows": [["ana", 3]]}))
        self.assertEqual(engine.service.sql.query("x"), [{"name": "ana", "points": 3}])
        self.assertEqual(engine.service.sql.query_row("x").points, 3)

    def test_no_row_is_none(self):
        engine = Engine(host=Host(sql_query={"columns": ["a"], "rows": []}))
        self.assertIsNone(engine.service.sql.query_row("x"))

    def test_an_empty_value_reads_as_none(self):
        self.assertIsNone(Engine(host=Host(kv_get="")).service.kv.get("k"))

    def test_json_that_is_none_or_broken_gives_the_fallback(self):
        self.assertEqual(Engine(host=Host(kv_get="{")).service.kv.get_json("k", 3), 3)
        self.assertEqual(Engine(host=Host(kv_get=None)).service.kv.get_json("k", 3), 3)
        self.assertEqual(Engine(host=Host(kv_get="[1]")).service.kv.get_json("k", 3), [1])

    def test_a_setting_of_false_or_zero_is_a_value(self):
        self.assertIs(Engine(host=Host(config_get=False)).service.config.get("k", True), False)
        self.assertEqual(Engine(host=Host(config_get=None)).service.config.get("k", 5), 5)

    def test_a_fetched_answer_can_be_read_as_json(self):
        answer = Engine(host=Host(fetch={"status": 404, "headers": {"A": "b"}, "body": "[1]"})).service.http.fetch("u")
        self.assertEqual((answer.status, answer.headers["A"], answer.json()), (404, "b", [1]))

    def test_a_reply_goes_to_the_connection_a_message_came_from(self):
        engine = Engine()
        record = engine.guest.ChatMessage({"clientId": 7})
        self.assertIs(engine.service.chat.reply_to(record, "a"), True)
        self.assertIs(engine.service.chat.reply_to(8, "b"), True)
        self.assertEqual([args["clientId"] for _, args in engine.host.calls], [7, 8])

    def test_a_reply_to_an_unknown_connection_is_not_sent(self):
        engine = Engine()
        self.assertIs(engine.service.chat.reply_to(engine.guest.ChatMessage({}), "a"), False)
        self.assertEqual(engine.host.calls, [])

    def test_half_a_surrogate_pair_does_not_stop_a_call(self):
        engine = Engine()
        engine.service.chat.send("a\ud800")
        self.assertEqual(engine.host.texts(), ["a?"])


class Refusals(unittest.TestCase):
    def setUp(self):
        self.service = Engine(host=Refusing()).service

    def test_calls_that_change_something_raise(self):
        for call in RAISE:
            with self.assertRaises(RuntimeError) as caught:
                call(self.service)
            self.assertEqual(str(caught.exception), "permission missing")

    def test_readers_and_messages_go_on_with_none(self):
        for call in GIVE_NONE:
            self.assertIsNone(call(self.service))

    def test_readers_of_lists_go_on_with_an_empty_list(self):
        for call in GIVE_AN_EMPTY_LIST:
            self.assertEqual(call(self.service), [])

    def test_a_file_that_cannot_be_asked_for_does_not_exist(self):
        self.assertIs(self.service.fs.exists("p"), False)

    def test_writing_and_deleting_files_tell_their_outcome(self):
        for outcome in (self.service.fs.write("p", b""), self.service.fs.delete("p")):
            self.assertEqual(outcome, {"ok": False, "error": "permission missing"})
        engine = Engine(host=Host(fs_write={"ok": True}))
        self.assertEqual(engine.service.fs.write("p", b""), {"ok": True})
        self.assertEqual(engine.service.fs.delete("p"), {"ok": True})

    def test_an_error_inside_an_answer_is_a_refusal(self):
        engine = Engine(host=Host(sql_exec={"error": "no such table"}, fs_write={"error": "full"}))
        with self.assertRaisesRegex(RuntimeError, "no such table"):
            engine.service.sql.exec("x")
        self.assertEqual(engine.service.fs.write("p", b""), {"ok": False, "error": "full"})

    def test_a_timer_that_was_not_set_has_the_id_zero(self):
        self.assertEqual(self.service.timer.set_timeout(print, 1), 0)


class Timers(unittest.TestCase):
    def setUp(self):
        self.engine = Engine(host=Host(timer_set=1))
        self.fired = []

    def fire(self, id):
        self.engine.event("timer.fire", {"id": id})

    def test_ids_count_from_one(self):
        timer = self.engine.service.timer
        self.assertEqual([timer.set_timeout(print, 1), timer.set_interval(print, 1)], [1, 2])

    def test_a_timeout_fires_once_and_an_interval_again_and_again(self):
        timer = self.engine.service.timer
        timer.set_timeout(lambda: self.fired.append("once"), 1)
        timer.set_interval(lambda: self.fired.append("often"), 1)
        for id in (1, 1, 2, 2):
            self.fire(id)
        self.assertEqual(self.fired, ["once", "often", "often"])

    def test_a_cleared_timer_does_not_fire(self):
        id = self.engine.service.timer.set_interval(lambda: self.fired.append(1), 1)
        self.engine.service.timer.clear(id)
        self.fire(id)
        self.assertEqual(self.fired, [])


class OnADevelopersMachine(unittest.TestCase):
    def python(self, code):
        # The package lies beside the tests; from another folder Python would not find it.
        package = pathlib.Path(__file__).resolve().parent.parent
        pipe = subprocess.PIPE
        return subprocess.run([sys.executable, "-c", code], cwd=str(package), stdout=pipe, stderr=pipe, text=True)

    def test_the_module_imports_and_host_calls_say_that_there_is_no_server(self):
        for call in ("chat.send('a')", "kv.get('k')", "server.info()", "fs.exists('p')"):
            with self.subTest(call):
                ended = self.python("import service_plugin; service_plugin.service." + call)
                self.assertIn("RuntimeError", ended.stderr)
                self.assertIn("outside the server", ended.stderr)

    def test_the_module_exports_five_names(self):
        ended = self.python("import service_plugin; print(sorted(service_plugin.__all__))")
        self.assertEqual(ended.stdout.strip(), "['CommandContext', 'auth_check', 'filter', 'plugin', 'service']")

    def test_define_commands_is_gone_and_says_what_to_use(self):
        ended = self.python("from service_plugin import define_commands")
        self.assertIn("ImportError: define_commands is gone: declare commands with plugin.commands", ended.stderr)
