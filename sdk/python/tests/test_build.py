"""``service-plugin-py build``: the rules for what a server is given."""

import contextlib
import sys
import textwrap
import traceback
import unittest

from service_plugin_cli.project import Project

from .cli import InFolder, run
from .fake import Engine, Host

CHAT = "chat.message.received"


@contextlib.contextmanager
def imports_undone():
    """What a plugin puts among the modules of this process is taken out again."""
    finders, modules = list(sys.meta_path), set(sys.modules)
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        for name in set(sys.modules) - modules:
            if not name.startswith("service_plugin"):
                del sys.modules[name]


class Building(InFolder):
    def built(self, source, manifest=None, **modules):
        """The text that is built from these sources."""
        self.plugin(
            textwrap.dedent(source), manifest, **{name: textwrap.dedent(text) for name, text in modules.items()}
        )
        outcome = run("build", self.folder)
        self.assertEqual(outcome.code, 0, outcome.err)
        self.outcome = outcome
        return (self.folder / "door-bell.py").read_text(encoding="utf-8")

    def why_not(self, source, manifest=None, **modules):
        """The line in which these sources are refused."""
        self.plugin(textwrap.dedent(source), manifest, **modules)
        said = self.refused("build", self.folder)
        self.assertFalse((self.folder / "door-bell.py").exists())
        return said

    def said(self, source, **modules):
        """What the plugin built from these sources says in chat while it is loaded and when somebody writes."""
        text = self.built(source, **modules)
        with imports_undone():
            host = Host()
            engine = Engine(host=host)
            engine.guest.load("door-bell", "{}", text, host)
            engine.event(CHAT, {"body": "hi"})
        return host.texts()


class Finding(Building):
    def test_a_folder_without_a_manifest_is_refused(self):
        self.assertIn("there is no plugin.manifest.json in", self.refused("build", self.folder))

    def test_a_wrong_manifest_is_refused_by_its_place(self):
        said = self.why_not("", {"tabs": {"a": {}}, "permissions": ["ui.modify"]})
        self.assertIn("plugin.manifest.json: tabs.a.title: is missing", said)
        self.write("plugin.manifest.json", "{")
        self.assertEqual(self.refused("build", self.folder).count("plugin.manifest.json"), 1)

    def test_the_slug_of_the_manifest_names_the_file(self):
        self.built("", {"slug": "door-bell"})
        self.assertEqual(self.outcome.out, "built door-bell.py\n")

    def test_without_a_slug_it_follows_from_the_name(self):
        self.plugin("", {"slug": None, "name": "Café Helper"})
        self.assertEqual(run("build", self.folder).out, "built caf-helper.py\n")

    def test_a_plugin_with_neither_slug_nor_a_name_to_make_it_of_is_refused(self):
        self.assertIn("slug: cannot be made from the name", self.why_not("", {"slug": None, "name": "日本"}))

    def test_the_entry_may_lie_beside_the_manifest(self):
        self.plugin("")
        (self.folder / "src/plugin.py").unlink()
        self.write("plugin.py", "from words import WORD\n")
        self.write("words.py", "WORD = 1\n")
        self.assertEqual(run("build", self.folder).out, "built door-bell.py (1 module bundled)\n")

    def test_the_entry_in_src_goes_before_the_one_beside_the_manifest(self):
        self.plugin("x = 'from src'")
        self.write("plugin.py", "x = 'from here'")
        run("build", self.folder)
        self.assertEqual((self.folder / "door-bell.py").read_text(), "x = 'from src'")

    def test_a_plugin_without_an_entry_is_told_both_places(self):
        self.plugin("")
        (self.folder / "src/plugin.py").unlink()
        said = self.refused("build", self.folder)
        self.assertIn("src/plugin.py", said)
        self.assertIn(" plugin.py", said)

    def test_a_source_is_never_overwritten_by_what_is_built(self):
        self.plugin("", {"slug": "words"})
        (self.folder / "src/plugin.py").unlink()
        self.write("plugin.py", "import words")
        self.write("words.py", "mine = True")
        self.assertIn("words.py is a source", self.refused("build", self.folder))
        self.assertEqual((self.folder / "words.py").read_text(), "mine = True")

    def test_the_folder_is_this_one_unless_another_is_given(self):
        self.plugin("")
        self.assertEqual(run("build", self.folder).code, 0)
        self.assertIn("this folder", self.refused("build"))


class Scanning(Building):
    def test_a_syntax_error_in_the_entry_is_told_as_one_of_the_plugin_entry(self):
        said = self.why_not("x = 1\ndef (:\n")
        self.assertIn("syntax error in plugin entry (src/plugin.py, line 2)", said)

    def test_a_syntax_error_in_a_module_names_the_module(self):
        said = self.why_not("import tools.words", tools____init__="", tools__words="x =")
        self.assertIn("syntax error in module tools.words (src/tools/words.py, line 1)", said)

    def test_a_mistake_that_is_found_when_it_is_compiled_is_a_syntax_error_as_well(self):
        said = self.why_not("import words\n", words="x = 1\nreturn x\n")
        self.assertIn("syntax error in src/words.py, line 2: 'return' outside function", said)
        self.assertIn("__future__", self.why_not("import re\nfrom __future__ import annotations\n"))

    def test_a_source_that_is_no_text_is_a_syntax_error(self):
        self.plugin("")
        for content in [b"x = '\xff'", b"x = 1\0", b"# coding: nonsense\n"]:
            self.write("src/plugin.py", content)
            self.assertIn("syntax error in plugin entry", self.refused("build", self.folder))

    def test_imports_inside_functions_count(self):
        said = self.said(
            """
            from service_plugin import plugin, service

            @plugin.on_chat_message
            def answer(msg):
                from words import WORD
                service.chat.send(WORD)
            """,
            words="WORD = 'late'",
        )
        self.assertEqual(said, ["late"])

    def test_sources_that_nest_deeply_are_read(self):
        self.built("x = " + "+".join(["1"] * 500) + "\nimport words", words="")
        self.assertIn("1 module bundled", self.outcome.out)


class Locality(Building):
    def bundled(self, source, **modules):
        self.built(source, **modules)
        return [module.name for module in Project(self.folder).sources().local_modules()]

    def test_a_name_is_local_when_its_file_or_package_exists(self):
        names = self.bundled(
            "import one, two.three, four\nfrom five import six",
            one="",
            two____init__="",
            two__three="",
            five____init__="",
            five__six="",
            five__seven="",
        )
        self.assertEqual(names, ["five", "five.six", "one", "two", "two.three"])

    def test_what_local_modules_import_is_local_too(self):
        self.assertEqual(self.bundled("import a", a="import b", b="import c", c=""), ["a", "b", "c"])

    def test_names_of_the_standard_library_are_never_local(self):
        said = self.said(
            """
            import json, random, collections.abc
            from service_plugin import service
            service.chat.send(json.dumps([1]))
            """,
            json="def dumps(x): return 'mine'",
            random="raise ValueError",
        )
        self.assertEqual(said, ["[1]"])
        self.assertIn("warning: src/json.py is ignored", self.outcome.err)
        self.assertEqual(self.outcome.out, "built door-bell.py\n")

    def test_a_module_that_left_the_standard_library_can_be_brought_along(self):
        self.assertEqual(self.bundled("import imghdr", imghdr=""), ["imghdr"])

    def test_a_folder_without_init_is_a_package(self):
        source = "from tools.words import WORD\nfrom service_plugin import service\nservice.chat.send(WORD)"
        self.assertEqual(self.said(source, tools__words="WORD = 'x'"), ["x"])

    def test_a_package_goes_before_a_module_of_its_name(self):
        source = "import a\nfrom service_plugin import service\nservice.chat.send(a.WHO)"
        self.assertEqual(self.said(source, a="WHO = 'module'", a____init__="WHO = 'package'"), ["package"])

    def test_third_party_imports_are_left_alone_with_a_warning(self):
        text = self.built("try:\n    import nobody\nexcept ImportError:\n    nobody = None\n")
        self.assertEqual(self.outcome.err, "")
        self.assertIn("import nobody", text)
        self.built("import nobody.there")
        self.assertIn("warning: src/plugin.py, line 1: nobody is neither in src/ nor in the standard", self.outcome.err)

    def test_parts_of_the_standard_library_that_do_not_work_inside_plugins_are_warned_of(self):
        self.built(
            "import os, urllib.parse, sqlite3\nimport socket\nfrom urllib import request\nfrom ctypes import c_int"
        )
        lines = self.outcome.err.splitlines()
        self.assertEqual(len(lines), 3, lines)
        self.assertIn("line 2: socket does not work inside plugins: plugins have no sockets", lines[0])
        self.assertIn("line 3: urllib.request", lines[1])
        self.assertIn("line 4: ctypes", lines[2])

    def test_imports_from_the_future_are_pythons(self):
        self.built(
            "from __future__ import annotations\nimport _thread, words", words="from __future__ import annotations"
        )
        self.assertEqual(self.outcome.err, "")

    def test_the_sdk_is_never_local(self):
        self.assertEqual(self.bundled("import service_plugin", service_plugin="raise ValueError"), [])


class Relative(Building):
    def test_a_relative_import_in_the_entry_is_refused(self):
        for source in ["from .words import LIST", "from . import words", "def f():\n    from ..a import b"]:
            said = self.why_not(source, words="LIST = []")
            self.assertIn("src/plugin.py, line %d: a relative import" % (source.count("\n") + 1), said)
            self.assertIn("`from words import LIST`", said)

    def test_relative_imports_inside_packages_are_resolved(self):
        said = self.said(
            "from lib.deep.leaf import WORD\nfrom service_plugin import service\nservice.chat.send(WORD)",
            lib____init__="from . import base",
            lib__base="WORD = 'base'",
            lib__deep____init__="",
            lib__deep__leaf="from ..base import WORD as START\nfrom .more import END\nWORD = START + END",
            lib__deep__more="END = '!'",
        )
        self.assertEqual(said, ["base!"])
        self.assertIn("(5 modules bundled)", self.outcome.out)

    def test_climbing_above_the_source_root_resolves_to_nothing(self):
        self.plugin("import a.b", a____init__="", a__b="def f():\n    from ...c import d\n", c="d = 1")
        self.assertEqual(run("build", self.folder).out, "built door-bell.py (2 modules bundled)\n")


class Alone(Building):
    def test_without_local_modules_the_source_stays_with_the_imports_of_the_sdk_left_empty(self):
        text = self.built("import re\nfrom service_plugin import plugin, service  # the SDK\n\nx = 'ä'\n")
        self.assertEqual(text, "import re\n\n\nx = 'ä'\n")

    def test_line_numbers_are_preserved(self):
        text = self.built("from service_plugin import (\n    plugin,\n    service,\n)\nx = 1\n")
        self.assertEqual(text, "\n\n\n\nx = 1\n")

    def test_a_name_the_author_gave_stays(self):
        source = "from service_plugin import service as s, plugin as plugin\ns.chat.send('x')"
        self.assertEqual(self.said(source), ["x"])

    def test_a_block_does_not_become_empty(self):
        source = """
            def say():
                from service_plugin import service
            say()
            try:
                from service_plugin import (plugin,
                    service)
            except ImportError:
                plugin = None
            service.chat.send("x")
        """
        self.assertEqual(self.said(source), ["x"])

    def test_an_import_that_shares_its_line_stays(self):
        source = "import re; from service_plugin import service; service.chat.send('x')"
        self.assertEqual(self.built(source), source)

    def test_an_import_of_the_module_itself_stays(self):
        self.assertEqual(self.said("import service_plugin as sdk\nsdk.service.chat.send('x')"), ["x"])

    def test_a_name_the_sdk_does_not_have_is_told_by_the_sdk(self):
        self.assertIn("define_commands", self.built("from service_plugin import define_commands"))


class Bundled(Building):
    def test_local_modules_share_the_sdk_and_each_other(self):
        said = self.said(
            """
            import handlers, words
            words.LIST.append("entry")
            """,
            handlers="""
                from service_plugin import plugin, service
                from words import LIST

                @plugin.on_chat_message
                def answer(msg):
                    service.chat.send(" ".join(LIST))
            """,
            words="LIST = ['words']",
        )
        self.assertEqual(said, ["words entry"])

    def test_modules_run_in_the_order_of_their_dependencies_and_once(self):
        log = "from service_plugin import service\nservice.chat.send(__name__)\n"
        said = self.said("import b, a\n", a=log, b=log + "import c\n", c=log + "import a\n")
        self.assertEqual(said, ["b", "c", "a"])

    def test_modules_that_import_each_other_load(self):
        said = self.said(
            "import a\nfrom service_plugin import service\nservice.chat.send(a.both())",
            a="import b\nNAME = 'a'\ndef both(): return NAME + b.name()",
            b="import a\ndef name(): return 'b' + a.NAME",
        )
        self.assertEqual(said, ["aba"])

    def test_submodules_are_linked_to_their_parents(self):
        said = self.said(
            """
            import lib.part
            from service_plugin import service
            service.chat.send(lib.part.__package__ + lib.__name__)
            """,
            lib____init__="",
            lib__part="",
        )
        self.assertEqual(said, ["liblib"])

    def test_the_entry_can_be_imported_by_its_modules(self):
        said = self.said(
            "NAME = 'entry'\nimport words\nfrom service_plugin import service\nservice.chat.send(words.name())",
            words="def name():\n    import plugin\n    return plugin.NAME",
        )
        self.assertEqual(said, ["entry"])

    def test_a_server_that_only_gives_the_names_can_run_it(self):
        text = self.built(
            "from service_plugin import plugin\nimport words", words="from service_plugin import plugin\nx = plugin"
        )
        with imports_undone():
            kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "service_plugin"}
            hidden = [path for path in sys.path]
            try:
                sys.path[:] = []
                sys.path_importer_cache.clear()
                names = {"plugin": "the plugin", "__name__": "plugin"}
                exec(text, names)
                self.assertEqual(names["words"].x, "the plugin")
            finally:
                sys.path[:] = hidden
                sys.modules.pop("service_plugin", None)
                sys.modules.update(kept)

    def test_tracebacks_show_the_lines_of_the_author(self):
        text = self.built(
            "import words\n\nwords.fail()\n", words="# one\ndef fail():\n    raise ValueError('so')  # here\n"
        )
        with imports_undone():
            try:
                exec(text, {"__name__": "plugin"})
            except ValueError:
                told = traceback.format_exc()
        self.assertIn('File "src/plugin.py", line 3', told)
        self.assertIn("words.fail()", told)
        self.assertIn('File "src/words.py", line 3', told)
        self.assertIn("raise ValueError('so')  # here", told)

    def test_text_of_all_kinds_survives(self):
        word = '\u2028 \x0c \'quoted\' """ \\n ä 🎲'
        source = "from words import W\nfrom service_plugin import service\nservice.chat.send(W)"
        self.assertEqual(self.said(source, words="W = %r" % word), [word])

    def test_the_number_of_modules_is_told(self):
        self.built("import a", a="")
        self.assertEqual(self.outcome.out, "built door-bell.py (1 module bundled)\n")
        self.built("import a, b", a="", b="")
        self.assertEqual(self.outcome.out, "built door-bell.py (2 modules bundled)\n")

    def test_the_same_sources_make_the_same_text(self):
        self.assertEqual(self.built("import a, b", a="", b=""), self.built("import a, b", a="", b=""))

    def test_a_vendored_package_of_pure_python_is_bundled(self):
        said = self.said(
            "import slugger\nfrom service_plugin import service\nservice.chat.send(slugger.slug('A b'))",
            slugger____init__="from .core import slug\n__all__ = ['slug']",
            slugger__core="import re\ntry:\n    from ._speed import fast\nexcept ImportError:\n    fast = None\n"
            "def slug(text): return re.sub(r'\\W+', '-', text.lower())",
        )
        self.assertEqual(said, ["a-b"])


class Refusing(Building):
    def test_compiled_code_among_the_sources_is_refused_by_name(self):
        for name in ["fast.cpython-311-x86_64-linux-gnu.so", "lib/fast.pyd"]:
            self.plugin("")
            file = self.write("src/" + name, b"\x7fELF")
            self.assertIn("src/%s is compiled code" % name, self.refused("build", self.folder))
            file.unlink()

    def test_a_library_that_needs_compiled_code_is_refused_by_name(self):
        said = self.why_not("import re\nfrom numpy.linalg import norm")
        self.assertIn("src/plugin.py, line 2: numpy needs compiled code", said)

    def test_such_a_library_may_be_tried_for(self):
        self.built("try:\n    import orjson\nexcept ImportError:\n    import json as orjson\n")
        self.assertEqual(self.outcome.err, "")

    def test_a_pure_copy_of_such_a_library_is_the_authors_choice(self):
        self.built("import regex", regex="")
        self.assertIn("1 module bundled", self.outcome.out)

    def test_a_handler_that_is_a_coroutine_is_refused(self):
        said = self.why_not("from service_plugin import plugin\n\n@plugin.get('/')\nasync def page(req): pass")
        self.assertIn("line 4: page is `async def`", said)
        self.assertIn("@plugin.get", said)
        self.built("async def helper(): pass")

    def test_more_code_than_a_server_reads_is_refused(self):
        self.assertIn("more than 8 MiB", self.why_not("x = '%s'" % ("y" * 8 * 1024 * 1024)))


class Warning(Building):
    def test_a_function_named_like_a_standard_module_is_warned_of(self):
        self.built("def json(x): pass\nclass time: pass\ndef other():\n    def re(): pass\n")
        lines = self.outcome.err.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertIn("warning: src/plugin.py, line 1: json is the name of a standard module", lines[0])
        self.assertIn("line 2: time", lines[1])

    def test_fields_of_the_manifest_that_are_not_known_are_warned_of(self):
        self.built("", {"homepage": "x"})
        self.assertEqual(self.outcome.err, "warning: plugin.manifest.json: homepage: is unknown and ignored\n")


class Checking(Building):
    def test_a_plugin_that_was_never_built_is_stale(self):
        self.plugin("")
        self.assertIn("door-bell.py is not what the sources make now", self.refused("build", "--check", self.folder))
        self.assertFalse((self.folder / "door-bell.py").exists())

    def test_what_was_just_built_is_up_to_date_until_a_source_changes(self):
        self.built("import words", words="x = 1")
        self.assertEqual(run("build", "--check", self.folder).out, "door-bell.py is up to date\n")
        self.write("src/words.py", "x = 2")
        self.refused("build", "--check", self.folder)


if __name__ == "__main__":
    unittest.main()
