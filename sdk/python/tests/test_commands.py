"""Chat commands: declaring them, and being called."""

import unittest

from .fake import Engine, Host

PING = {"name": "ping", "prefix": "!", "description": "", "usage": "", "aliases": []}
PING.update({"modOnly": False, "caseSensitive": False, "cooldownMs": 0})


def used(command="ping", body="!p  Ana now", **message):
    message = dict({"id": "m", "body": body, "timestamp": "t"}, **message)
    return {"message": message, "command": command, "invokedAs": "p", "args": ["Ana", "now"], "argString": "Ana now"}


class Declaring(unittest.TestCase):
    def test_the_server_is_told_every_option(self):
        engine = Engine(
            """
            table = {"ping": {"description": "d", "usage": "u", "aliases": ["p"], "mod_only": True, "cooldown_ms": 5}}
            assert plugin.commands(table, prefix="?", case_sensitive=True) is table
            """
        )
        wanted = dict(PING, prefix="?", description="d", usage="u", aliases=["p"])
        wanted.update(modOnly=True, caseSensitive=True, cooldownMs=5)
        self.assertEqual(engine.registered["commands"], [wanted])

    def test_options_that_are_left_out_have_their_defaults(self):
        self.assertEqual(Engine("plugin.commands({'ping': {}})").registered["commands"], [PING])

    def test_tables_add_up_and_the_later_entry_of_a_name_counts(self):
        engine = Engine(
            """
            plugin.commands({"ping": {"usage": "old"}, "a": {}})
            plugin.commands({"ping": {}}, prefix="?")
            plugin.commands({"ping": {"usage": "new"}})
            """
        )
        told = [(entry["prefix"], entry["name"], entry["usage"]) for entry in engine.registered["commands"]]
        self.assertEqual(told, [("!", "a", ""), ("?", "ping", ""), ("!", "ping", "new")])

    def test_commands_of_the_manifest_are_added_and_the_codes_entry_wins(self):
        manifest = {"api": "1", "name": "T", "version": "1", "commands": [dict(PING, usage="x"), {"name": "other"}]}
        engine = Engine("plugin.commands({'ping': {}})", manifest=manifest)
        self.assertEqual(engine.registered["commands"], [PING, {"name": "other"}])

    def test_a_wrong_table_is_refused_with_the_reason(self):
        for given, said in [
            ("[]", "takes a dict of commands, not list"),
            ("{}, prefix=''", "prefix must be a text"),
            ("{}, prefix=5", "prefix must be a text"),
            ("{'a': print}", "command 'a' must be a dict"),
            ("{5: {}}", "name must be a text"),
            ("{'a': {'aliases': 'b'}}", "'aliases' must be a list of texts"),
            ("{'a': {'aliases': [1]}}", "'aliases' must be a list of texts"),
            ("{'a': {'cooldown_ms': -1}}", "'cooldown_ms' must be a whole number"),
            ("{'a': {'cooldown_ms': True}}", "'cooldown_ms' must be a whole number"),
            ("{'a': {'cooldown_ms': 1.5}}", "'cooldown_ms' must be a whole number"),
        ]:
            with self.subTest(given), self.assertRaises(Exception) as caught:
                Engine("plugin.commands(%s)" % given)
            self.assertIn("TypeError", str(caught.exception))
            self.assertIn(said, str(caught.exception))


class BeingCalled(unittest.TestCase):
    def test_the_context_holds_the_message_and_its_words(self):
        engine = Engine(
            """
            def run(ctx):
                assert isinstance(ctx, CommandContext)
                service.chat.send([ctx.msg.id, ctx.user.id, ctx.command, ctx.invoked_as, ctx.args, ctx.arg_string])
            plugin.commands({"ping": {"run": run}})
            """
        )
        engine.event("chat.command", used(user={"id": "u"}))
        self.assertEqual(engine.host.texts(), ["['m', 'u', 'ping', 'p', ['Ana', 'now'], 'Ana now']"])

    def test_a_reply_is_public_and_a_private_one_goes_to_the_connection(self):
        engine = Engine("plugin.commands({'ping': {'run': lambda ctx: (ctx.reply('a'), ctx.reply_privately('b'))}})")
        engine.event("chat.command", used(clientId=3))
        self.assertEqual(
            engine.host.calls, [("send_chat", {"text": "a"}), ("send_chat_to", {"clientId": 3, "text": "b"})]
        )

    def test_a_private_reply_to_an_unknown_connection_is_public(self):
        engine = Engine("plugin.commands({'ping': {'run': lambda ctx: ctx.reply_privately('b')}})")
        engine.event("chat.command", used())
        self.assertEqual(engine.host.calls, [("send_chat", {"text": "b"})])

    def test_a_name_in_two_tables_is_told_apart_by_the_prefix(self):
        engine = Engine(
            """
            for prefix in ("!", "!!", "?"):
                plugin.commands({"ping": {"run": lambda ctx, prefix=prefix: ctx.reply(prefix)}}, prefix=prefix)
            """
        )
        for body in ("!ping", "?ping", "!!ping"):
            engine.event("chat.command", used(body=body))
        self.assertEqual(engine.host.texts(), ["!", "?", "!!"])

    def test_a_command_without_a_function_and_an_unknown_one_do_nothing(self):
        engine = Engine("plugin.commands({'ping': {'run': 'text'}})", host=Host())
        engine.event("chat.command", used())
        engine.event("chat.command", used(command="other"))
        self.assertEqual(engine.host.calls, [])
