"""The engine's side: loading a plugin's source, and telling its author what went wrong."""

import json
import unittest

from .fake import Engine, Host


class Loading(unittest.TestCase):
    def test_the_answer_is_the_manifest_with_what_the_code_registered(self):
        manifest = {
            "api": "1",
            "name": "Door Bell",
            "version": "0.2.0",
            "permissions": ["chat.send"],
            "subscriptions": {"notify": ["x"]},
        }
        registered = Engine("@plugin.on_tick\ndef t(x): pass", manifest=manifest).registered
        self.assertEqual(registered["slug"], "test")
        self.assertEqual(registered["permissions"], ["chat.send"])
        self.assertEqual(registered["subscriptions"], {"notify": [{"event": "tick"}], "filter": []})
        self.assertEqual(registered["commands"], [])

    def test_host_calls_work_while_the_module_body_runs(self):
        self.assertEqual(Engine("service.chat.send('hi')").host.texts(), ["hi"])

    def test_author_code_has_a_namespace_of_its_own(self):
        engine = Engine(
            """
            def json(*args): raise ValueError
            linecache = traceback = sys = None
            def call(*args): raise ValueError
            @plugin.on_chat_message
            def echo(msg): service.kv.set_json("k", msg.raw)
            """
        )
        engine.event("chat.message.received", {"body": "x"})
        self.assertEqual(engine.host.calls, [("kv_set", {"key": "k", "value": '{"body": "x"}'})])

    def test_names_of_the_sdk_are_there_without_the_import_line(self):
        source = "plugin.on_tick(lambda tick: service.chat.send(tick.now))"
        engine = Engine()
        engine.guest.load("test", "{}", source, engine.host)
        engine.event("tick", {"now": 5})
        self.assertEqual(engine.host.texts(), ["5"])

    def test_packages_made_for_the_reference_find_the_names_they_know(self):
        source = "@plugin.on_chat_message\ndef hear(msg: ChatMessage): owncast.chat.send(msg.body)"
        imports = "from owncast_plugin import plugin, owncast, service, filter, auth_check, CommandContext, ChatMessage\n"
        for text in [source, imports + source, "import owncast_plugin as o\nassert o.owncast is service\n" + source]:
            engine = Engine()
            engine.guest.load("test", "{}", text, engine.host)
            engine.event("chat.message.received", {"body": "hi"})
            self.assertEqual(engine.host.texts(), ["hi"])

    def test_a_module_of_the_plugin_by_that_name_is_the_one_it_gets(self):
        engine = Engine()
        text = "import sys, types\nown = types.ModuleType('owncast_plugin')\nown.mine = 'mine'\n"
        text += "sys.modules['owncast_plugin'] = own\nfrom owncast_plugin import mine\nowncast.chat.send(mine)"
        engine.guest.load("test", "{}", text, engine.host)
        self.assertEqual(engine.host.texts(), ["mine"])

    def test_what_is_gone_says_so_by_both_names(self):
        for name in ["service_plugin", "owncast_plugin"]:
            with self.assertRaisesRegex(Exception, "define_commands is gone: declare commands with"):
                Engine("from %s import define_commands" % name)

    def test_the_own_module_has_its_five_names_and_no_other(self):
        with self.assertRaisesRegex(Exception, "cannot import name 'owncast'"):
            Engine("from service_plugin import owncast")

    def test_classes_of_a_plugin_find_their_module(self):
        Engine("import dataclasses\n@dataclasses.dataclass\nclass Song:\n    title: str\nassert Song('a').title == 'a'")

    def test_module_state_lasts_from_call_to_call(self):
        engine = Engine(
            """
            count = 0
            @plugin.on_tick
            def tick(t):
                global count
                count += 1
                service.chat.send(count)
            """
        )
        engine.event("tick", {})
        engine.event("tick", {})
        self.assertEqual(engine.host.texts(), ["1", "2"])

    def test_a_payload_keeps_its_order_and_its_numbers(self):
        engine = Engine(
            "@plugin.on_http_request\ndef echo(req): return {'body': __import__('json').dumps(req.user.raw)}"
        )
        user = '{"id": "u", "displayName": "mira", "displayColor": 42, "z": 1.50, "a": 12345678901234567890}'
        told = engine.guest.call("http", '{"method":"GET","path":"/","user":%s}' % user)
        self.assertEqual(json.loads(told)["body"], user.replace("1.50", "1.5"))


class Failing(unittest.TestCase):
    def failure(self, source, host=None):
        engine = Engine(source, host)
        with self.assertRaises(engine.guest.PluginError) as caught:
            engine.event("tick", {"now": 1})
        return str(caught.exception)

    def test_a_traceback_shows_the_authors_lines_and_none_of_ours(self):
        told = self.failure("@plugin.on_tick\ndef tick(t):\n    helper()\ndef helper():\n    return 1 / 0  # here")
        self.assertIn('File "plugin.py", line 4, in tick\n    helper()', told)
        self.assertIn("return 1 / 0  # here", told)
        self.assertTrue(told.endswith("ZeroDivisionError: division by zero"))
        self.assertNotIn("service_plugin", told)

    def test_a_refused_call_ends_the_traceback_at_the_authors_line(self):
        told = self.failure(
            "@plugin.on_tick\ndef tick(t): service.kv.set('k', 'v')", Host(kv_set=ValueError("no room"))
        )
        self.assertNotIn("service_plugin", told)
        self.assertTrue(told.endswith("RuntimeError: no room"), told)

    def test_our_frames_are_cut_from_the_causes_as_well(self):
        told = self.failure(
            """
            @plugin.on_tick
            def tick(t):
                try:
                    service.sql.exec("x")
                except RuntimeError as problem:
                    raise ValueError("outer") from problem
            """,
            Host(sql_exec=ValueError("inner")),
        )
        self.assertNotIn("service_plugin", told)
        self.assertIn("RuntimeError: inner", told)
        self.assertTrue(told.endswith("ValueError: outer"))

    def test_a_syntax_error_names_its_line(self):
        with self.assertRaises(Exception) as caught:
            Engine("def f(:\n    pass")
        self.assertIn('File "plugin.py", line 2', str(caught.exception))
        self.assertIn("SyntaxError", str(caught.exception))

    def test_an_import_that_fails_is_told(self):
        with self.assertRaises(Exception) as caught:
            Engine("import no_such_module")
        self.assertIn("No module named 'no_such_module'", str(caught.exception))

    def test_leaving_the_interpreter_is_only_an_error(self):
        self.assertIn("SystemExit: 3", self.failure("@plugin.on_tick\ndef tick(t): raise SystemExit(3)"))

    def test_endless_recursion_is_told_in_few_words(self):
        told = self.failure("@plugin.on_tick\ndef tick(t): tick(t)")
        self.assertIn("RecursionError", told)
        self.assertLess(len(told), 17 * 1024)

    def test_a_huge_error_text_is_cut(self):
        told = self.failure("@plugin.on_tick\ndef tick(t): raise ValueError('x' * 1000000)")
        self.assertIn("characters left out", told)
        self.assertLess(len(told), 17 * 1024)

    def test_an_error_that_cannot_be_told_is_named(self):
        told = self.failure(
            """
            class Odd(Exception):
                def __str__(self): raise self
            @plugin.on_tick
            def tick(t): raise Odd()
            """
        )
        self.assertIn("Odd", told)

    def test_the_plugin_goes_on_after_an_error(self):
        engine = Engine("@plugin.on_tick\ndef tick(t):\n    if t.now: service.chat.send(t.now)\n    else: 1 / 0")
        with self.assertRaises(engine.guest.PluginError):
            engine.event("tick", {"now": 0})
        engine.event("tick", {"now": 2})
        self.assertEqual(engine.host.texts(), ["2"])

    def test_an_unknown_kind_of_call_is_an_error(self):
        engine = Engine()
        with self.assertRaisesRegex(engine.guest.PluginError, "no calls of kind 'dance'"):
            engine.guest.call("dance", "")

    def test_what_cannot_be_said_in_json_is_the_authors_error(self):
        self.assertIn(
            "object is not a JSON value",
            self.failure("@plugin.on_tick\ndef tick(t): service.events.emit('a', object())"),
        )
        self.assertIn(
            "ValueError", self.failure("@plugin.on_tick\ndef tick(t): service.events.emit('a', float('nan'))")
        )
