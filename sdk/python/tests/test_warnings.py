"""What a finished package is warned of when it is loaded: it may come from elsewhere, so it runs as well as it can."""

import json
import sys
import unittest

from service_plugin_cli.bundle import with_modules

from .fake import Engine, Host
from .test_build import imports_undone
from .test_compiler import module

TABS = {"api": "1", "name": "Test", "version": "1", "tabs": {"schedule": {"title": "When"}}}


class Registered(unittest.TestCase):
    """Lines of the sources begin with the second: the first is the import of the SDK."""

    def warnings(self, source, manifest=None):
        self.engine = Engine(source, manifest=manifest)
        return self.engine.registered.get("warnings")

    def test_a_plugin_without_mistakes_has_no_warnings(self):
        self.assertIsNone(self.warnings("@plugin.on_tick\ndef tick(t): pass"))

    def test_an_unknown_option_of_a_command_is_told_with_the_one_that_was_meant(self):
        said = self.warnings("plugin.commands({'ring': {'cooldownMs': 5, 'run': print}})")
        self.assertEqual(
            said, ["command 'ring': there is no option `cooldownMs`: did you mean `cooldown_ms`? (plugin.py:2)"]
        )
        self.assertEqual(self.engine.registered["commands"][0]["cooldownMs"], 0)

    def test_a_misspelt_mod_only_is_refused_because_everybody_could_use_the_command(self):
        for option in ["modOnly", "modonly", "mod-only", "mods_only", "moderator_only", "MOD_ONLY", "mod_onyl", "mod"]:
            with self.subTest(option), self.assertRaises(Exception) as caught:
                Engine("plugin.commands({'lock': {%r: True, 'run': print}})" % option)
            self.assertIn("there is no option `%s`: did you mean `mod_only`?" % option, str(caught.exception))
            self.assertIn('File "plugin.py", line 2', str(caught.exception))
        with self.assertRaisesRegex(Exception, "has no option `mod_only`"):
            Engine("plugin.commands({'lock': {'run': print}}, mod_only=True)")

    def test_words_that_only_begin_alike_are_no_mod_only(self):
        for option in ["mode", "model", "modal"]:
            self.assertEqual(len(self.warnings("plugin.commands({'a': {%r: 1, 'run': print}})" % option)), 1)

    def test_an_unknown_option_of_a_decorator_is_left_out(self):
        said = self.warnings("@plugin.route('/a', method=['GET'])\ndef page(req): return 'x'")
        self.assertEqual(said, ["plugin.route has no option `method`: did you mean `methods`? (plugin.py:2)"])
        self.assertEqual(self.engine.http("POST", "/a")["body"], "x")
        said = self.warnings("plugin.commands({}, prefx='?')")
        self.assertEqual(said, ["plugin.commands has no option `prefx`: did you mean `prefix`? (plugin.py:2)"])

    def test_brackets_behind_a_decorator_that_takes_the_handler_itself_do_no_harm(self):
        for decorator in ["on_tick", "on_chat_message", "on_page_styles", "on_http_request", "filter_chat_message"]:
            with self.subTest(decorator):
                arguments = "" if decorator == "on_page_styles" else "x"
                said = self.warnings("@plugin.%s()\ndef handler(%s): pass" % (decorator, arguments))
                wanted = "plugin.%s takes the handler itself: write @plugin.%s without brackets (plugin.py:2)"
                self.assertEqual(said, [wanted % (decorator, decorator)])
        self.warnings("@plugin.on_tick()\ndef tick(t): service.chat.send('tick')")
        self.engine.event("tick", {"now": 1})
        self.assertEqual(self.engine.host.texts(), ["tick"])

    def test_two_handlers_where_one_counts_are_told_with_the_one_that_does(self):
        for decorator, what in [
            ("on_tick", "the event tick"),
            ("on('a.b')", "the event a.b"),
            ("filter_chat_message", "filter_chat_message"),
            ("on_http_request", "on_http_request"),
            ("on_tab_content('schedule')", "on_tab_content('schedule')"),
            ("on_auth_check", "on_auth_check"),
        ]:
            with self.subTest(decorator):
                source = "@plugin.%s\ndef one(x): pass\n@plugin.%s\ndef two(x): pass" % (decorator, decorator)
                wanted = "there are two handlers for %s, and only `two` is called (plugin.py:4)" % what
                self.assertEqual(self.warnings(source, TABS), [wanted])

    def test_of_a_custom_and_a_built_in_handler_the_built_in_one_is_called(self):
        custom, built_in = "@plugin.on('tick')\ndef custom(x): pass\n", "@plugin.on_tick\ndef built_in(x): pass\n"
        for source in (custom + built_in, built_in + custom):
            self.assertIn("only `built_in` is called", self.warnings(source)[0])

    def test_one_function_may_be_registered_again(self):
        self.assertIsNone(
            self.warnings("def f(x): pass\nplugin.on_tick(f)\nplugin.on_tick(f)\nplugin.on_chat_message(f)")
        )

    def test_a_route_that_another_one_answers_always_is_told(self):
        source = "@plugin.get('/a/{x}')\ndef one(r): pass\n@plugin.%s\ndef two(r): pass"
        said = self.warnings(source % "get('/a/{y}')")
        self.assertEqual(
            said, ["there are two handlers for the route '/a/{y}', and only `one` is called (plugin.py:4)"]
        )
        for other in ["post('/a/{x}')", "get('/a/b')", "route('/a/{x}')", "get('/a/{x}/{y}')", "get('/a/*')"]:
            self.assertIsNone(self.warnings(source % other), other)

    def test_a_command_that_is_declared_twice_is_told(self):
        said = self.warnings("plugin.commands({'a': {'run': print}})\nplugin.commands({'a': {'run': repr}})")
        self.assertEqual(said, ["the command !a is declared twice, and only the last one counts (plugin.py:3)"])
        self.assertIsNone(self.warnings("plugin.commands({'a': {}})\nplugin.commands({'a': {}}, prefix='?')"))

    def test_a_route_without_its_slash_is_told_and_answers_all_the_same(self):
        said = self.warnings("@plugin.get('songs')\ndef songs(req): return 'x'")
        self.assertEqual(said, ["the route 'songs' has no slash in front: write '/songs' (plugin.py:2)"])
        self.assertEqual(self.engine.http("GET", "/songs")["status"], 200)

    def test_content_for_what_the_manifest_does_not_have_is_told(self):
        said = self.warnings("@plugin.on_tab_content('shedule')\ndef tab(req): return ''", TABS)
        wanted = "on_tab_content('shedule'): the manifest has no tab `shedule`: did you mean `schedule`? (plugin.py:2)"
        self.assertEqual(said, [wanted])
        said = self.warnings("@plugin.on_page_content('banner')\ndef page(req): return ''", TABS)
        self.assertIn("no `extraPageContent` of the manifest has the slug `banner`", said[0])
        good = "@plugin.on_tab_content('a')\n@plugin.on_page_content('b')\ndef both(req): return ''"
        for tabs in ({"a": {"title": "A"}}, [{"slug": "a", "title": "A"}]):
            self.assertIsNone(self.warnings(good, dict(TABS, tabs=tabs, extraPageContent={"slug": "b"})))

    def test_a_handler_with_the_wrong_number_of_arguments_is_told(self):
        for source, wanted in [
            ("@plugin.on_tick\ndef f(): pass", "`f` takes no arguments, and the event tick calls it with one argument"),
            (
                "@plugin.get('/')\ndef f(a, b): pass",
                "`f` takes two arguments, and the route '/' calls it with one argument",
            ),
            (
                "@plugin.get('/')\ndef f(a, b, c=1): pass",
                "`f` takes at least two arguments, and the route '/' calls it with one",
            ),
            (
                "@plugin.on_page_styles\ndef f(a): pass",
                "`f` takes one argument, and on_page_styles calls it with no arguments",
            ),
            (
                "plugin.commands({'a': {'run': lambda: 1}})",
                "`<lambda>` takes no arguments, and the command 'a' calls it with",
            ),
        ]:
            with self.subTest(source):
                said = self.warnings(source)
                self.assertEqual(len(said), 1)
                self.assertTrue(said[0].startswith(wanted), said[0])
                self.assertTrue(said[0].endswith("(plugin.py:2)"), said[0])

    def test_what_takes_the_right_number_is_not_told(self):
        self.assertIsNone(
            self.warnings(
                """
                import functools
                class Bot:
                    def hear(self, msg): pass
                    def __call__(self, tick): pass
                plugin.on_chat_message(Bot().hear)
                plugin.on_tick(Bot())
                plugin.on_chat_user_joined(functools.partial(lambda a, b: None, 1))
                plugin.on_chat_user_parted(lambda user, extra=None: None)
                plugin.on_stream_started(lambda *args: None)
                plugin.on_stream_stopped(print)
                plugin.on_page_styles(lambda text="": text)
                """
            )
        )

    def test_a_warning_is_one_line(self):
        said = self.warnings("plugin.commands({'a': {'x\\n2026 ERROR \\x1b': 1}})")
        self.assertEqual(said, ["command 'a': there is no option `x?2026 ERROR ?` (plugin.py:2)"])

    def test_warnings_are_few_and_short(self):
        said = self.warnings("plugin.commands({'a': {'%d%s' % (n, 'x' * 500): 1 for n in range(30)}})")
        self.assertEqual(len(said), 20)
        self.assertEqual({len(one) for one in said}, {300})
        self.assertTrue(said[0].endswith("(plugin.py:2)"))


class Names(unittest.TestCase):
    def warnings(self, source):
        return Engine(source).registered.get("warnings")

    def test_a_name_that_nobody_defines_is_told_with_its_line(self):
        source = "@plugin.on_tick\ndef tick(t):\n    x = [t]\n    owncst.chat.send(x)"
        self.assertEqual(self.warnings(source), ["`owncst` is not defined (plugin.py:5)"])

    def test_it_is_found_wherever_code_is(self):
        for source in [
            "class A:\n    def f(self): return nobody",
            "plugin.on_tick(lambda t: nobody)",
            "def f():\n    return [nobody for _ in range(3)]",
            "def f():\n    def g():\n        nobody()\n    return g",
            "def f(): return nobody.%s" % ".".join("a%d" % n for n in range(600)),
            "def f():\n%s    return nobody" % "".join("    print(a.b%d)\n" % n for n in range(600)) + "\na = None",
        ]:
            with self.subTest(source[:40]):
                self.assertIn("`nobody` is not defined", (self.warnings(source) or [""])[0])

    def test_names_of_the_sdk_and_of_packages_for_other_servers_are_there(self):
        self.assertIsNone(
            self.warnings("def f():\n    return owncast, service, plugin, filter, auth_check, ChatMessage")
        )

    def test_what_is_or_may_be_defined_later_is_not_told(self):
        for source in [
            "def f(): return later\nlater = 1",
            "def f(): return later\ndef g():\n    global later\n    later = 1",
            "def f(): return gone\ngone = 1\ndel gone",
            "if False:\n    maybe = 1\nif not len('x'):\n    other = 1\ndef f(): return other",
            "try:\n    import no_such_thing\nexcept ImportError:\n    pass\ndef f(): return no_such_thing",
            "from os.path import *\ndef f(): return join('a', 'b')",
            "exec('made = 1')\ndef f(): return made",
            "def g(): exec('made = 1', globals())\ndef f(): return made",
            "globals()['made'] = 1\ndef f(): return made",
            "def g(): globals().update(made=1)\ndef f(): return made",
            "import sys\ndef g(): setattr(sys.modules[__name__], 'made', 1)\ndef f(): return made",
            "import builtins\nbuiltins.__dict__['made_too'] = 1\ndef f(): return made_too\ndel builtins.made_too",
            "def f():\n    try:\n        return unheard\n    except NameError:\n        return 1",
            "def f(): return unicode('x') if str is bytes else str('x')",
            "def f(): return __name__, __file__, __doc__, __debug__, NotImplemented",
            "class A:\n    x = 1\n    y = [x for _ in range(1)] if False else x\n    def f(self): return __class__",
            "def f(x: 'Nobody') -> 'Nobody': pass",
            "def f(xs): return {x: y for x, y in xs}, (lambda z: z), [a for a in xs if a]",
            "def __getattr__(name): raise AttributeError(name)\ndef f(): return 1",
            "def f():\n    import json as j\n    class A:\n        b = 1\n        c = b\n    return j, A",
            "compile('x = unknown_to_all', 'made-up.py', 'exec', dont_inherit=True)",
        ]:
            with self.subTest(source):
                self.assertIsNone(self.warnings(source))

    def load(self, source, kept=""):
        engine = Engine()
        from service_plugin._compiler import Compiler

        compiler = Compiler(kept)
        with imports_undone():
            told = engine.guest.load("test", "{}", source, Host(), compiler)
        return json.loads(told).get("warnings"), compiler

    def test_modules_of_a_bundle_are_looked_at_with_their_own_names(self):
        entry = "import helper\nNAME = 1\ndef f(): return NAME, helper\nhelper.given = 2\n"
        helper = "\nKNOWN = 1\ndef g():\n    return KNOWN, given, NAME\n"
        source = with_modules(module("plugin", entry), [module("helper", helper)])
        said, compiler = self.load(source)
        self.assertEqual(said, ["`NAME` is not defined (src/helper.py:4)"])
        self.assertEqual(compiler.compiled, 3)

    def test_code_that_an_earlier_load_has_compiled_is_looked_at_as_well(self):
        source = with_modules(module("plugin", "import helper\ndef f():\n    return nobody\n"), [module("helper", "")])
        said, compiler = self.load(source)
        again, second = self.load(source, compiler.to_keep())
        self.assertEqual((second.compiled, again), (0, said))
        self.assertEqual(said, ["`nobody` is not defined (src/plugin.py:3)"])

    def test_modules_that_are_made_in_other_ways_are_looked_at_by_their_functions(self):
        source = (
            "import sys, types\nmade = types.ModuleType('made')\nsys.modules['made'] = made\n"
            "exec('def f():\\n    return nobody', made.__dict__)\n"
        )
        self.assertEqual(self.load(source)[0], ["`nobody` is not defined (<string>:2)"])

    def test_the_library_is_not_looked_at(self):
        sys.modules.pop("colorsys", None)
        sys.modules.pop("this", None)
        self.assertIsNone(self.warnings("import colorsys, xmlrpc.client, http.cookiejar, tarfile, doctest, optparse"))


if __name__ == "__main__":
    unittest.main()
