"""What ``build`` refuses or warns of in how the sources use the SDK: all of it at once, with file and line."""

import unittest

from .cli import InFolder, run

IMPORT = "from service_plugin import plugin, service\n"
EVERYTHING = ["chat.send", "chat.filter", "http.serve", "ui.modify", "auth.gate", "storage.kv"]


class Building(InFolder):
    def build(self, source, manifest=None, **modules):
        self.plugin(IMPORT + source, dict({"permissions": EVERYTHING}, **(manifest or {})), **modules)
        return run("build", self.folder)

    def refused(self, source, manifest=None, **modules):
        """What is wrong, without the words that are the same every time."""
        outcome = self.build(source, manifest, **modules)
        self.assertEqual(outcome.code, 1, outcome.err)
        self.assertFalse((self.folder / "door-bell.py").exists())
        return [line.replace("service-plugin-py: ", "") for line in outcome.err.splitlines()]

    def warnings(self, source, manifest=None, **modules):
        outcome = self.build(source, manifest, **modules)
        self.assertEqual(outcome.code, 0, outcome.err)
        return [line.replace("warning: ", "") for line in outcome.err.splitlines()]


class Commands(Building):
    def test_an_unknown_option_is_refused_with_the_one_that_was_meant_at_its_own_line(self):
        said = self.refused(
            "plugin.commands({\n    'lock': {\n        'modOnly': True,\n        'run': print,\n    }\n})\n"
        )
        wanted = "src/plugin.py, line 4: command 'lock': there is no option `modOnly`: did you mean `mod_only`? "
        self.assertEqual(said, [wanted + "Without that everybody could use the command"])
        said = self.refused("plugin.commands({'a': {'cooldown': 1, 'zzz': 2}})")
        self.assertEqual(
            said,
            [
                "src/plugin.py, line 2: command 'a': there is no option `cooldown`: did you mean `cooldown_ms`?",
                "src/plugin.py, line 2: command 'a': there is no option `zzz`",
            ],
        )

    def test_tables_and_entries_under_a_name_are_read(self):
        for source in [
            "LOCK = {'modonly': True}\nplugin.commands({'lock': LOCK})",
            "TABLE = {'lock': {'modonly': True}}\nplugin.commands(TABLE)",
            "TABLE: dict = {'lock': dict(modonly=True)}\nx = plugin.commands(TABLE, prefix='?')",
            "def later():\n    plugin.commands({'lock': {'modonly': True}})",
            "if service:\n    plugin.commands({'lock': {'modonly': True}})",
        ]:
            with self.subTest(source):
                said = self.refused(source)
                self.assertEqual(len(said), 1)
                self.assertIn("there is no option `modonly`: did you mean `mod_only`?", said[0])

    def test_what_cannot_be_read_is_left_to_the_server(self):
        for source in [
            "entry = {}\nentry = {'modonly': 1}\nplugin.commands({'a': entry})",
            "plugin.commands({name: {'run': print} for name in 'ab'})",
            "plugin.commands({**{'a': {}}, 'b': {**{}, 'run': print}})",
            "import words\nplugin.commands(words.TABLE)",
        ]:
            with self.subTest(source):
                self.assertEqual(self.warnings(source, words="TABLE = {}"), [])

    def test_an_unknown_option_of_the_table_is_refused(self):
        said = self.refused("plugin.commands({}, prefx='?')")
        self.assertEqual(said, ["src/plugin.py, line 2: plugin.commands has no option `prefx`: did you mean `prefix`?"])

    def test_a_command_that_is_declared_twice_is_refused(self):
        said = self.refused("plugin.commands({'a': {}})\nplugin.commands({'b': {},\n    'a': {}})")
        self.assertEqual(
            said, ["src/plugin.py, line 4: the command !a is declared twice, and only the last one counts"]
        )
        self.assertEqual(self.warnings("plugin.commands({'a': {}})\nplugin.commands({'a': {}}, prefix='?')"), [])

    def test_a_function_that_cannot_take_the_context_is_refused(self):
        said = self.refused("def lock(): pass\nplugin.commands({'lock': {'run': lock}, 'b': {'run': lambda a, b: 1}})")
        self.assertEqual(
            said,
            [
                "src/plugin.py, line 3: `lock` takes no arguments, and the command 'lock' calls it with one argument",
                "src/plugin.py, line 3: `<lambda>` takes two arguments, and the command 'b' calls it with one argument",
            ],
        )


class Decorators(Building):
    def test_an_unknown_option_is_refused_with_the_one_that_was_meant(self):
        said = self.refused("@plugin.route('/a', method=['GET'])\ndef page(req): pass")
        self.assertEqual(said, ["src/plugin.py, line 2: plugin.route has no option `method`: did you mean `methods`?"])

    def test_brackets_are_refused_where_none_belong(self):
        said = self.refused("@plugin.on_chat_message()\ndef hear(msg): pass")
        wanted = "plugin.on_chat_message takes the handler itself: write @plugin.on_chat_message without brackets"
        self.assertEqual(said, ["src/plugin.py, line 2: " + wanted])

    def test_brackets_are_asked_for_where_they_belong(self):
        said = self.refused("@plugin.get\ndef page(req): pass\n@plugin.on_tab_content\ndef tab(req): pass")
        self.assertEqual(
            said,
            [
                "src/plugin.py, line 2: plugin.get takes what it is for: write @plugin.get('/')",
                "src/plugin.py, line 4: plugin.on_tab_content takes what it is for: write @plugin.on_tab_content('name')",
            ],
        )

    def test_two_handlers_where_one_counts_are_refused(self):
        tabs = {"tabs": {"a": {"title": "A"}}}
        for decorator, what in [
            ("on_tick", "the event tick"),
            ("on('a.b')", "the event a.b"),
            ("filter_chat_message", "filter_chat_message"),
            ("on_http_request", "on_http_request"),
            ("on_tab_content('a')", "on_tab_content('a')"),
            ("on_auth_check", "on_auth_check"),
        ]:
            with self.subTest(decorator):
                said = self.refused(
                    "@plugin.%s\ndef one(x): pass\n@plugin.%s\ndef two(x): pass" % (decorator, decorator), tabs
                )
                wanted = "src/plugin.py, line 4: there are two handlers for %s, and only `two` is called"
                self.assertEqual(said, [wanted % what])

    def test_two_handlers_are_found_in_two_files_and_by_both_ways_to_register(self):
        source = "import more\ndef two(t): pass\nplugin.on_tick(two)"
        said = self.refused(source, more=IMPORT + "@plugin.on_tick\ndef one(t): pass")
        self.assertEqual(len(said), 1)
        self.assertIn("there are two handlers for the event tick", said[0])
        said = self.refused("@plugin.on_tick\ndef own(t): pass\n@plugin.on('tick')\ndef custom(t): pass")
        self.assertIn("only `own` is called", said[0])

    def test_handlers_of_which_one_is_chosen_are_taken(self):
        source = (
            "if service:\n    @plugin.on_tick\n    def one(t): pass\nelse:\n    @plugin.on_tick\n    def two(t): pass"
        )
        self.assertEqual(self.warnings(source), [])
        self.assertEqual(
            self.warnings("@plugin.on_tick\n@plugin.on_chat_message\n@plugin.on('a.b')\ndef all(x): pass"), []
        )

    def test_a_route_that_another_one_answers_always_is_refused(self):
        source = "@plugin.get('/a/{x}')\ndef one(r): pass\n@plugin.%s\ndef two(r): pass"
        said = self.refused(source % "get('/a/{y}')")
        self.assertEqual(
            said, ["src/plugin.py, line 4: there are two handlers for the route '/a/{y}', and only `one` is called"]
        )
        for other in ["post('/a/{x}')", "get('/a/b')", "route('/a/{x}')", "route('/a/{x}', methods=service)"]:
            self.assertEqual(self.warnings(source % other), [], other)

    def test_a_route_without_its_slash_is_refused(self):
        for decorator in ["get('songs')", "route(path='songs')", "on_http_request('songs')"]:
            said = self.refused("@plugin.%s\ndef page(req): pass" % decorator)
            self.assertEqual(said, ["src/plugin.py, line 2: the route 'songs' has no slash in front: write '/songs'"])

    def test_content_for_what_the_manifest_does_not_have_is_refused(self):
        manifest = {"tabs": {"schedule": {"title": "When"}}}
        said = self.refused("@plugin.on_tab_content('ghost')\ndef tab(req): return ''", manifest)
        self.assertEqual(said, ["src/plugin.py, line 2: on_tab_content('ghost'): the manifest has no tab `ghost`"])
        said = self.refused("@plugin.on_tab_content('shedule')\ndef tab(req): return ''", manifest)
        self.assertIn("did you mean `schedule`?", said[0])
        said = self.refused("@plugin.on_page_content('b')\ndef page(req): return ''", manifest)
        self.assertIn("no `extraPageContent` of the manifest has the slug `b`", said[0])
        good = "@plugin.on_tab_content('schedule')\n@plugin.on_page_content('b')\ndef both(req): return ''"
        self.assertEqual(self.warnings(good, dict(manifest, extraPageContent={"slug": "b"})), [])

    def test_a_handler_with_the_wrong_number_of_arguments_is_refused(self):
        for source, wanted in [
            ("@plugin.on_tick\ndef f(): pass", "`f` takes no arguments, and the event tick calls it with one argument"),
            (
                "@plugin.on_page_styles\ndef f(a): pass",
                "`f` takes one argument, and on_page_styles calls it with no arguments",
            ),
            (
                "@plugin.get('/')\ndef f(a, b, *c): pass",
                "`f` takes at least two arguments, and the route '/' calls it with one argument",
            ),
            (
                "plugin.on_tick(lambda: 1)",
                "`<lambda>` takes no arguments, and the event tick calls it with one argument",
            ),
            (
                "plugin.get('/')(lambda: 1)",
                "`<lambda>` takes no arguments, and the route '/' calls it with one argument",
            ),
        ]:
            with self.subTest(source):
                self.assertEqual(self.refused(source), ["src/plugin.py, line 2: " + wanted])
        good = "import functools\n@plugin.on_tick\n@functools.lru_cache\ndef f(): pass\n"
        self.assertEqual(self.warnings(good + "@plugin.get('/')\ndef g(a, b=1, *c): pass"), [])

    def test_all_that_is_wrong_is_told_at_once_in_the_order_of_the_files(self):
        said = self.refused(
            "import words\n@plugin.get('a')\ndef page(req): pass\nplugin.commands({'x': {'usge': ''}})",
            words=IMPORT + "@plugin.on_tick\ndef tick(): pass",
        )
        self.assertEqual(
            [line.split(":")[0] for line in said],
            ["src/plugin.py, line 3", "src/plugin.py, line 5", "src/words.py, line 2"],
        )

    def test_test_and_package_refuse_it_as_well(self):
        self.plugin(IMPORT + "@plugin.get('a')\ndef page(req): pass", {"permissions": EVERYTHING})
        for command in ["test", "package", "serve"]:
            outcome = run(command, self.folder)
            self.assertEqual(outcome.code, 1)
            self.assertIn("the route 'a' has no slash in front", outcome.err)


class Names(Building):
    def test_a_name_that_nobody_defines_is_warned_of_with_file_and_line(self):
        said = self.warnings(
            "import words\n@plugin.on_tick\ndef tick(t):\n    servce.chat.send(words)\n",
            words="WORDS = []\n\ndef all(): return WRODS\n",
        )
        self.assertEqual(
            said,
            [
                "src/plugin.py, line 5: `servce` is not defined: did you mean service?",
                "src/words.py, line 3: `WRODS` is not defined: did you mean WORDS?",
            ],
        )

    def test_the_body_of_a_module_is_looked_at_as_well(self):
        said = self.warnings(
            "plugin.commands({'a': {'run': rnu}})\ndef run(ctx): pass\nclass A:\n    b = 1\n    c = b, __name__"
        )
        self.assertEqual(said, ["src/plugin.py, line 2: `rnu` is not defined: did you mean run?"])

    def test_what_may_be_defined_is_not_warned_of(self):
        for source in [
            "from os.path import *\nx = join",
            "try:\n    x = unheard\nexcept NameError:\n    pass",
            "from service_plugin import *\ndef f(): return auth_check, CommandContext",
            "def f(): return owncast",
            "import words\nwords.later = 1",
            "async def f(): return [x async for x in aiter([])], ExceptionGroup",
            "def f(x):\n    exec('y = 1', globals())\n    return y",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from service_plugin.types import ChatMessage\n"
            "def f(m: 'ChatMessage', n: 'Nobody') -> None: pass",
        ]:
            with self.subTest(source):
                self.assertEqual(self.warnings(source, words="def f(): return later"), [])

    def test_types_are_imported_for_type_checkers_only(self):
        said = self.refused("from service_plugin.types import ChatMessage")
        self.assertEqual(len(said), 1)
        self.assertIn("src/plugin.py, line 2: service_plugin.types is for type checkers", said[0])
        self.assertIn("below `if TYPE_CHECKING:`", said[0])


class Addresses(Building):
    def test_an_absolute_address_in_a_page_is_warned_of_with_the_relative_one(self):
        self.write(
            "public/index.html", '<p>\n<link href="look.css">\n<script src="/plugins/door-bell/app.js"></script>\n'
        )
        self.write("public/deep/er/page.html", "<a href='/plugins/door-bell/'>x</a><img src=/plugins/door-bell/a.png>")
        self.write("public/look.css", "a { background: url(/plugins/door-bell/img/a.png) }")
        self.write("public/app.js", "fetch(`/plugins/door-bell/api?x=1`)")
        wanted = (
            "%s: `/plugins/door-bell/%s` is an absolute address: viewers behind a login are strangers there; write %s"
        )
        self.assertEqual(
            self.warnings(""),
            [
                wanted % ("public/app.js:1", "api", "it relative to the page it is in, such as `api`"),
                wanted % ("public/deep/er/page.html:1", "", "`../../`"),
                wanted % ("public/deep/er/page.html:1", "a.png", "`../../a.png`"),
                wanted % ("public/index.html:3", "app.js", "`app.js`"),
                wanted % ("public/look.css:1", "img/a.png", "`img/a.png`"),
            ],
        )

    def test_one_in_a_text_of_the_sources_is_warned_of(self):
        said = self.warnings("PAGE = '''<p>\n<form action=\"/plugins/door-bell/ring\">'''\n")
        self.assertEqual(len(said), 1)
        self.assertIn("src/plugin.py:3: `/plugins/door-bell/ring` is an absolute address", said[0])

    def test_addresses_that_lead_elsewhere_or_have_to_be_absolute_are_not(self):
        self.write(
            "public/index.html", "https://a.example/plugins/door-bell/x /plugins/door-bell-two/x ../plugins/door-bell/x"
        )
        self.write("public/data.bin", "/plugins/door-bell/x")
        self.write("assets/script.js", "fetch('/plugins/door-bell/x')")
        source = "'''Serves /plugins/door-bell/x'''\nservice.actions.add({'title': 'x', 'url': '/plugins/door-bell/x'})"
        self.assertEqual(self.warnings(source), [])


if __name__ == "__main__":
    unittest.main()
