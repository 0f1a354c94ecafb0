"""Registration: which handlers there are, and what the server is told about them."""

import json
import unittest

from .fake import Engine, Host

# Decorator, event on the wire.
EVENTS = [
    ("on_chat_message", "chat.message.received"),
    ("on_chat_user_joined", "chat.user.joined"),
    ("on_chat_user_parted", "chat.user.parted"),
    ("on_chat_user_renamed", "chat.user.renamed"),
    ("on_message_moderated", "chat.message.moderated"),
    ("on_stream_started", "stream.started"),
    ("on_stream_stopped", "stream.stopped"),
    ("on_stream_title_changed", "stream.title.changed"),
    ("on_sse_connect", "sse.connect"),
    ("on_sse_disconnect", "sse.disconnect"),
    ("on_tick", "tick"),
    ("on_fediverse", "fediverse.activity"),
    ("on_fediverse_follow", "fediverse.follow"),
    ("on_fediverse_like", "fediverse.like"),
    ("on_fediverse_repost", "fediverse.repost"),
    ("on_fediverse_quote", "fediverse.quote"),
    ("on_fediverse_mention", "fediverse.mention"),
    ("on_fediverse_reply", "fediverse.reply"),
]

ASYNC_HANDLERS = [
    "@plugin.on_chat_message",
    "@plugin.filter_chat_message",
    "@plugin.on('a.b')",
    "@plugin.get('/')",
    "@plugin.on_http_request",
    "@plugin.on_tab_content('a')",
    "@plugin.on_page_styles",
    "@plugin.on_auth_check",
    "lambda run: plugin.commands({'a': {'run': run}})",
    "lambda fn: service.timer.set_timeout(fn, 1)",
]


class Registration(unittest.TestCase):
    def test_every_event_decorator_subscribes_to_its_event_and_hears_it(self):
        for decorator, event in EVENTS:
            with self.subTest(decorator):
                engine = Engine("@plugin.%s\ndef handler(x): service.chat.send(x.some_thing)" % decorator)
                self.assertEqual(engine.notify(), [event])
                engine.event(event, {"someThing": "heard"})
                self.assertEqual(engine.host.texts(), ["heard"])

    def test_decorators_give_the_function_back(self):
        engine = Engine(
            """
            def f(x): pass
            assert plugin.on_tick(f) is f
            assert plugin.get("/")(f) is f
            assert plugin.on("a.b")(f) is f
            """
        )
        self.assertEqual(engine.notify(), ["tick", "a.b"])

    def test_the_last_handler_of_an_event_counts(self):
        engine = Engine(
            """
            @plugin.on_tick
            def one(tick): service.chat.send("one")
            @plugin.on_tick
            def two(tick): service.chat.send("two")
            """
        )
        self.assertEqual(engine.notify(), ["tick"])
        engine.event("tick", {"now": 1})
        self.assertEqual(engine.host.texts(), ["two"])

    def test_custom_events_come_as_the_json_they_are(self):
        engine = Engine("@plugin.on('scores.goal')\ndef goal(x): service.chat.send(repr(x))")
        self.assertEqual(engine.notify(), ["scores.goal"])
        for payload in ({"a": 1}, [1], "text", 5, None):
            engine.event("scores.goal", payload)
        self.assertEqual(engine.host.texts(), ["{'a': 1}", "[1]", "'text'", "5", "None"])

    def test_a_built_in_handler_goes_before_a_custom_one_of_the_same_name(self):
        engine = Engine(
            """
            @plugin.on("tick")
            def custom(x): service.chat.send("custom")
            @plugin.on_tick
            def built_in(x): service.chat.send("built in")
            """
        )
        self.assertEqual(engine.notify(), ["tick"])
        engine.event("tick", {"now": 1})
        self.assertEqual(engine.host.texts(), ["built in"])

    def test_an_event_nobody_handles_is_nothing(self):
        self.assertEqual(Engine().event("tick", {"now": 1}), "")

    def test_what_is_no_event_is_no_subscription(self):
        engine = Engine(
            """
            @plugin.get("/")
            @plugin.on_tab_content("a")
            @plugin.on_page_content("b")
            @plugin.on_auth_check
            def handler(x): pass
            @plugin.on_page_styles
            @plugin.on_page_scripts
            def text(): pass
            """
        )
        self.assertEqual(engine.registered["subscriptions"], {"notify": [], "filter": []})

    def test_async_handlers_are_refused_wherever_they_are_registered(self):
        for decorator in ASYNC_HANDLERS:
            with self.subTest(decorator), self.assertRaises(Exception) as caught:
                Engine("async def handler(x): pass\n(%s)(handler)" % decorator.lstrip("@"))
            self.assertIn("handlers must be ordinary functions", str(caught.exception))

    def test_a_decorator_without_its_argument_says_what_is_missing(self):
        for source, said in [
            ("@plugin.on\ndef f(x): pass", "takes an event's name"),
            ("@plugin.on_tab_content\ndef f(x): pass", "takes the slug it is for"),
            ("@plugin.get\ndef f(x): pass", "path must be a text"),
            ("plugin.on_tick(5)", "needs a function, not int"),
            ("plugin.set_filter_priority('high')", "a whole number"),
        ]:
            with self.subTest(source), self.assertRaises(Exception) as caught:
                Engine(source)
            self.assertIn(said, str(caught.exception))


class Filters(unittest.TestCase):
    MESSAGE = {"id": "m", "body": "hello", "timestamp": "t"}

    def verdict(self, returned):
        return Engine("@plugin.filter_chat_message\ndef judge(msg): return %s" % returned).filter(self.MESSAGE)

    def test_a_filter_is_reported_with_its_priority(self):
        source = "@plugin.filter_chat_message\ndef judge(msg): pass\n"
        wanted = [{"event": "chat.message.received", "priority": 100}]
        self.assertEqual(Engine(source).registered["subscriptions"]["filter"], wanted)
        wanted[0]["priority"] = 5
        self.assertEqual(Engine(source + "plugin.set_filter_priority(5)").registered["subscriptions"]["filter"], wanted)

    def test_a_line_that_comes_while_a_handler_waits_is_judged_in_the_middle_of_it(self):
        line = json.dumps({"eventType": "chat.message.received", "payload": self.MESSAGE})

        class Busy(Host):
            """Has two lines to be judged before it answers."""

            left = 2

            def __call__(self, name, args):
                answer = super().__call__(name, args)
                if name in ("kv_get", "filtered") and self.left:
                    self.left -= 1
                    return "!" + line
                return json.dumps("kept") if name == "filtered" else answer

        engine = Engine(
            """
            seen = []
            @plugin.filter_chat_message
            def judge(msg):
                seen.append(msg.body)
                if len(seen) == 2: raise ValueError("as asked")
                return filter.drop("rude")
            @plugin.on_tick
            def tick(tick): service.chat.send("%s %s" % (service.kv.get("k"), seen))
            """,
            host=Busy(),
        )
        engine.event("tick", {"now": 1})
        verdicts = [args for name, args in engine.host.calls if name == "filtered"]
        self.assertEqual(verdicts[0], {"action": "drop", "reason": "rude"})
        self.assertIn("ValueError: as asked", verdicts[1]["error"])
        self.assertEqual(engine.host.texts(), ["kept ['hello', 'hello']"])

    def test_there_is_one_filter_and_the_last_one_counts(self):
        engine = Engine(
            """
            @plugin.filter_chat_message
            def one(msg): return filter.drop("one")
            @plugin.filter_chat_message
            def two(msg): return filter.drop("two")
            """
        )
        self.assertEqual(len(engine.registered["subscriptions"]["filter"]), 1)
        self.assertEqual(engine.filter(self.MESSAGE), {"action": "drop", "reason": "two"})

    def test_verdicts_have_the_words_of_the_wire(self):
        self.assertEqual(self.verdict("filter.pass_()"), {"action": "pass"})
        self.assertEqual(self.verdict("filter.drop('no')"), {"action": "drop", "reason": "no"})
        self.assertEqual(self.verdict("filter.drop()"), {"action": "drop", "reason": ""})
        changed = {"action": "modify", "payload": dict(self.MESSAGE, body="x")}
        self.assertEqual(self.verdict("filter.modify({**msg.raw, 'body': 'x'})"), changed)
        self.assertEqual(self.verdict("filter.modify(msg)"), {"action": "modify", "payload": self.MESSAGE})

    def test_no_answer_lets_the_message_pass(self):
        self.assertEqual(self.verdict("None"), {"action": "pass"})

    def test_what_is_no_verdict_lets_the_message_pass_and_is_told(self):
        several = "filter.pass_(), filter.modify(...) or filter.drop()"
        for returned, shown, instead in [
            ("'drop'", "'drop' (str)", "filter.drop()"),
            ("'pass'", "'pass' (str)", "filter.pass_()"),
            ("True", "True (bool)", several),
            ("0", "0 (int)", several),
            ("{}", "{} (dict)", several),
            ("{'action': 'hide'}", "{'action': 'hide'} (dict)", several),
            ("filter.drop", "<bound method", several),
            ("msg", "ChatMessage({'id'", "filter.modify(...)"),
            ("'x' * 1000000", "'%s… (str)" % ("x" * 79), several),
        ]:
            with self.subTest(returned):
                told = self.verdict(returned)
                self.assertEqual(told["action"], "pass")
                self.assertTrue(told["warning"].startswith("filter_chat_message returned " + shown), told)
                self.assertTrue(told["warning"].endswith(": use " + instead), told)
                self.assertEqual(list(told), ["action", "warning"])

    def test_modify_wants_the_whole_message(self):
        with self.assertRaisesRegex(Exception, "takes the whole message"):
            self.verdict("filter.modify('text')")

    def test_pythons_own_filter_still_works_under_its_name(self):
        self.assertEqual(self.verdict("filter.drop(list(filter(None, [0, 1])))"), {"action": "drop", "reason": "[1]"})


class Contents(unittest.TestCase):
    def test_tabs_and_page_content_are_found_by_their_slug(self):
        engine = Engine(
            """
            @plugin.on_tab_content("schedule")
            def tab(ctx): return "<p>%s %s</p>" % (ctx.slug, ctx.user.display_name)
            @plugin.on_page_content("banner")
            def page(ctx): return None if ctx.user is None else "<b>hi</b>"
            """
        )
        asked = '{"slug":"schedule","user":{"displayName":"mira"}}'
        self.assertEqual(engine.guest.call("tab", asked), "<p>schedule mira</p>")
        self.assertEqual(engine.guest.call("page", asked), "")
        self.assertEqual(engine.guest.call("page", '{"slug":"banner","user":{}}'), "<b>hi</b>")
        self.assertEqual(engine.guest.call("page", '{"slug":"banner"}'), "")

    def test_styles_and_scripts_are_called_without_arguments(self):
        engine = Engine(
            """
            @plugin.on_page_styles
            def styles(): return "b { color: red }"
            @plugin.on_page_scripts
            def scripts(): return None
            """
        )
        self.assertEqual(engine.guest.call("styles", ""), "b { color: red }")
        self.assertEqual(engine.guest.call("scripts", ""), "")
        self.assertEqual(Engine().guest.call("styles", ""), "")


class LoginChecks(unittest.TestCase):
    def verdict(self, returned):
        engine = Engine(
            "@plugin.on_auth_check\ndef check(req):\n    assert req.user.id == 'u'\n    return %s" % returned
        )
        return engine.guest.call("auth", '{"user":{"id":"u"}}')

    def test_verdicts_have_the_words_of_the_wire(self):
        self.assertEqual(self.verdict("auth_check.ok()"), '{"action":"ok"}')
        self.assertEqual(self.verdict("auth_check.refresh(ttl=60)"), '{"action":"refresh","ttl":60}')
        self.assertEqual(self.verdict("auth_check.deny('gone')"), '{"action":"deny","reason":"gone"}')

    def test_no_verdict_and_no_handler_mean_ok(self):
        self.assertEqual(self.verdict("None"), '{"action":"ok"}')
        self.assertEqual(Engine().guest.call("auth", '{"user":{}}'), '{"action":"ok"}')
