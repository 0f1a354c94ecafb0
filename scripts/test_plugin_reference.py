"""The page for plugin authors is in step, and so are the three that have to agree: the SDK, the engine and the server."""

import ast
import contextlib
import io
import pathlib
import re
import runpy
import tempfile
import unittest
from unittest import mock

import engine
import plugin_reference as reference

# What only the engine hears: the SDK has no decorator for it.
INTERNAL = {"chat.command", "timer.fire"}
# Ours alone: a plugin hears them by `@plugin.on` and their names.
BY_NAME = {"recording.started", "recording.finished", "recording.published"}

# The attributes that editors know, and what the server sends.
SENT = {
    "User": [("host/wire.rs", "User")],
    "ChatMessage": [("host/wire.rs", "ChatMessage")],
    "Rename": [("dispatch/payload.rs", "RenamePayload")],
    "Moderation": [("dispatch/payload.rs", "ModerationPayload")],
    "StreamChange": [("dispatch/payload.rs", "StreamPayload")],
    "TitleChange": [("dispatch/payload.rs", "TitlePayload")],
    "SseConnection": [("dispatch/payload.rs", "ConnectionPayload")],
    "Engagement": [("dispatch/payload.rs", "EngagementPayload")],
    # Quotes are told with the post they are of, and with less of their own.
    "InboundPost": [("dispatch/social.rs", "PostPayload"), ("dispatch/payload.rs", "QuotePayload")],
}

# Scenarios, and where the server reads them.
READ = {
    "given": ("host/mock/initial_state.rs", "InitialState"),
    "events": ("../../plugin-tools/src/scenario/file.rs", "StepFields"),
    "expect": ("../../plugin-tools/src/scenario/expect.rs", "Expect"),
}


def server(file):
    return (reference.SERVER / file).read_text()


def fields(file, name):
    """Fields of a Rust struct; those the wire calls otherwise under that name."""
    body = re.search(r"struct %s(?:<'a>)? \{\n(.*?)^\}" % name, server(file), re.M | re.S).group(1)
    found = re.findall(r'(?:rename = "(\w+)"\)\]\n)?^    (?:pub(?:\(super\))? )?(\w+): ', body, re.M)
    return [renamed or field for renamed, field in found]


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def named_calls():
    """Every name the SDK asks the server with."""
    for file in ("_service.py", "_storage.py"):
        for node in ast.walk(ast.parse((reference.SDK / "service_plugin" / file).read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                owner, first = getattr(node.func.value, "id", ""), node.args[0]
                asks = (owner, node.func.attr) == ("self", "_ask") or owner == "wire"
                if asks and isinstance(first, ast.Constant):
                    yield first.value


class Page(unittest.TestCase):
    def test_the_committed_page_is_what_the_tables_make(self):
        reference.main(["--check"])

    def test_a_page_that_is_out_of_step_is_refused_and_shown(self):
        with tempfile.TemporaryDirectory() as scratch:
            stale = pathlib.Path(scratch) / "page.md"
            stale.write_text(reference.PAGE.read_text().replace("`chat.send`", "`chat.shout`"))
            said = io.StringIO()
            with mock.patch.object(reference, "PAGE", stale), contextlib.redirect_stdout(said):
                with self.assertRaises(SystemExit):
                    reference.main(["--check"])
                self.assertIn("+| `chat.send` |", said.getvalue())
                reference.main([])
                reference.main(["--check"])

    def test_every_call_says_what_it_does_what_it_needs_and_how_it_fails(self):
        host = reference.functions()
        for group, method, names, fails in reference.calls(host):
            with self.subTest(f"{group}.{method.name}"):
                self.assertTrue(names)
                self.assertEqual(len({host[name] for name in names}), 1)
                self.assertTrue(reference.first_line(method))
                self.assertTrue(fails)


class SameOnAllSides(unittest.TestCase):
    def test_the_sdk_calls_every_function_of_the_server_and_no_other(self):
        host = reference.functions()
        self.assertEqual(len(host), 50)
        self.assertEqual(set(named_calls()), set(host))
        self.assertEqual({name for _, _, names, _ in reference.calls(host) for name in names}, set(host))

    def test_the_sdk_has_a_decorator_for_every_event_of_the_server_and_no_other(self):
        listed = re.search(r"BUILT_IN: .*?= \[(.*?)\];", server("dispatch/built_in.rs"), re.S).group(1)
        events = [name for _, name, _ in reference.events()]
        self.assertEqual(len(events), len(set(events)))
        self.assertEqual(set(events) | INTERNAL | BY_NAME, set(re.findall(r'"([^"]+)"', listed)))

    def test_payloads_have_the_attributes_that_the_server_sends(self):
        shapes = {name: [field for field, _ in found] for name, _, found in reference.shapes()}
        for shape, structs in SENT.items():
            with self.subTest(shape):
                sent = {name for file, struct in structs for name in fields(file, struct)}
                self.assertEqual({name.rstrip("_") for name in shapes[shape]}, sent)

    def test_the_engine_answers_every_kind_of_call_that_the_server_makes(self):
        kinds = re.findall(r'Self::\w+ => "(\w+)"', server("engine/limits.rs"))
        guest = (reference.SDK / "service_plugin" / "_guest.py").read_text()
        table = re.search(r"^_KINDS.*?= \{(.*?)^\}", guest, re.M | re.S).group(1)
        self.assertEqual(kinds, re.findall(r'^    "(\w+)": ', table, re.M))

    def test_the_engine_has_what_its_interface_promises(self):
        world = (engine.GUEST / "world.wit").read_text()
        glue = ast.parse((engine.GUEST / "app.py").read_text())
        made = next(node for node in glue.body if isinstance(node, ast.ClassDef))
        has = {name: [one.arg for one in method.args.args[1:]] for name, method in reference.methods(made).items()}
        exports = re.findall(r"^  export (\w+): func\((.*?)\)", world, re.M)
        self.assertEqual(has, {name: re.findall(r"(\w+): string", given) for name, given in exports})

    def test_the_engine_is_made_of_the_very_module_that_authors_install(self):
        inside = {file for file in engine.inputs() if file.parent == engine.SDK / engine.PACKAGE}
        self.assertEqual(inside, set((reference.SDK / "service_plugin").glob("*.py")))

    def test_permissions_mean_the_same_to_the_author_and_to_the_operator(self):
        table = re.findall(r'^    \w+ = "([a-z.]+)", "(.*)";$', server("permission.rs"), re.M)
        told = {name: meaning.replace("this server", "the server") for name, meaning in table}
        self.assertEqual(reference.permissions(), told)

    def test_what_authors_are_told_to_ask_for_is_what_the_server_asks_for(self):
        host = reference.functions()
        wanted = {
            f"service.{group}.{method.name}": host[name]
            for group, method, names, _ in reference.calls(host)
            for name in names
            if host[name]
        }
        needs = runpy.run_path(str(reference.SDK / "service_plugin_cli" / "needs.py"))["NEEDS"]
        self.assertEqual({name: one for name, one in needs.items() if name.startswith("service.")}, wanted)
        # What the server refuses to load without its permission.
        fediverse = {method.name for method, name, _ in reference.events() if name.startswith("fediverse.")}
        gated = dict.fromkeys(fediverse, "fediverse.inbound") | {"filter_chat_message": "chat.filter"}
        handlers = reference.handlers()
        self.assertEqual({name: handlers[name] for name in gated}, gated)
        known = {method.name for method, _, _ in reference.events()}
        known |= {method.name for method in reference.decorators()}
        self.assertLessEqual(set(handlers), known)
        self.assertLessEqual(set(handlers.values()), set(reference.permissions()))

    def test_every_key_of_a_scenario_is_documented(self):
        told = (reference.ROOT / "docs" / "plugin-sdk.md").read_text()
        for part, (file, struct) in READ.items():
            for name in fields(file, struct):
                with self.subTest(f"{part}.{name}"):
                    self.assertRegex(told, r'[`"]%s[`"]' % camel(name))


if __name__ == "__main__":
    unittest.main()
