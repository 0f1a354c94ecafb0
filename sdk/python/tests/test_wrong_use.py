"""Who uses the SDK wrongly is told what is wrong, where, and what to do. What takes a real host is in the story."""

import ast
import pathlib
import runpy
import sys
import unittest
from unittest import mock

import service_plugin_cli

from .cli import run
from .fakehost import WithHost


class WrongUse(WithHost):
    def warnings(self, source, manifest=None, **modules):
        self.plugin(source, manifest, **modules)
        outcome = run("build", self.folder)
        self.assertEqual(outcome.code, 0, outcome.err)
        return [line for line in outcome.err.split("\n") if line]

    def test_an_unknown_decorator_is_refused_with_the_one_that_was_meant(self):
        for decorator, meant in [
            ("on_chat_mesage", "did you mean on_chat_message?"),
            ("on_fediverse_folow", "did you mean on_fediverse_follow?"),
            ("filter_message('x')", "did you mean filter_chat_message?"),
            ("zzz", "there is no plugin.zzz"),
        ]:
            with self.subTest(decorator):
                self.plugin("from service_plugin import plugin\n\n@plugin.%s\ndef hear(msg): pass\n" % decorator)
                said = self.refused("build", self.folder)
                self.assertIn("src/plugin.py, line 3: there is no plugin.%s" % decorator.split("(")[0], said)
                self.assertIn(meant, said)

    def test_an_unknown_decorator_is_found_under_another_name_and_in_other_modules(self):
        self.plugin("import words", words="from service_plugin import plugin as p\n@p.on_tik\ndef tick(now): pass\n")
        said = self.refused("build", self.folder)
        self.assertIn("src/words.py, line 2: there is no plugin.on_tik: did you mean on_tick?", said)

    def test_an_unknown_call_is_warned_of_with_the_one_that_was_meant(self):
        said = self.warnings("from service_plugin import service\nservice.chat.sned('x')\nservice.storge.upload('a', b'')\n")
        self.assertEqual(
            said,
            [
                "warning: src/plugin.py, line 2: there is no service.chat.sned: did you mean send?",
                "warning: src/plugin.py, line 3: there is no service.storge: did you mean storage?",
            ],
        )

    def test_a_name_that_means_something_else_is_left_alone(self):
        said = self.warnings(
            "from service_plugin import plugin, service\nservice = object()\nservice.anything.at_all()\n"
            "def f(plugin): return plugin.whatever\n"
        )
        self.assertEqual(said, [])

    def test_a_permission_that_is_missing_is_named_once_with_the_line_that_needs_it(self):
        source = (
            "from service_plugin import plugin, service\n\n\n@plugin.get('/')\ndef page(req):\n"
            "    service.kv.set('a', 'b')\n    return service.kv.get('a')\n"
        )
        self.assertEqual(
            self.warnings(source, {"permissions": ["http.serve"]}),
            [
                "warning: src/plugin.py, line 6: service.kv.set needs the permission storage.kv: add it to "
                '"permissions" of plugin.manifest.json'
            ],
        )
        self.assertEqual(self.warnings(source, {"permissions": ["http.serve", "storage.kv"]}), [])
        self.assertIn("line 4: plugin.get needs the permission http.serve", self.warnings(source)[0])

    def test_a_permission_that_does_not_exist_is_told_with_the_one_that_was_meant(self):
        said = self.warnings("", {"permissions": ["chat.sned", "everything"]})
        self.assertEqual(len(said), 2)
        self.assertIn('"chat.sned" is not a permission and grants nothing: did you mean chat.send?', said[0])
        self.assertTrue(said[1].endswith("grants nothing"), said[1])

    def test_a_relative_import_in_the_entry_is_told_how_to_be_written(self):
        self.plugin("from .words import LIST\n", words="LIST = []")
        said = self.refused("build", self.folder)
        self.assertIn("src/plugin.py, line 1: a relative import does not work in the entry", said)
        self.assertIn("write `from words import LIST`", said)

    def test_a_file_named_json_py_is_ignored_with_a_warning(self):
        said = self.warnings("import json\n", json="x = 1")
        self.assertEqual(len(said), 1)
        self.assertIn("src/json.py is ignored", said[0])
        self.assertIn("give it another name", said[0])

    def test_a_library_with_c_extensions_is_refused_by_its_name(self):
        self.plugin("import numpy\n")
        said = self.refused("build", self.folder)
        self.assertIn("src/plugin.py, line 1: numpy needs compiled code", said)
        self.assertIn("use something that is pure Python", said)

    def test_a_python_that_is_too_old_is_told_which_is_needed(self):
        file = pathlib.Path(service_plugin_cli.__file__)
        with mock.patch.object(sys, "version_info", (3, 7, 16, "final", 0)):
            with self.assertRaises(SystemExit) as end:
                runpy.run_path(str(file))
        self.assertEqual(end.exception.code, "service-plugin-py needs Python 3.8 or newer, and this is Python 3.7")
        # It has to get that far on the old one: nothing but `sys` is imported before.
        before = ast.parse(file.read_text()).body[:3]
        self.assertEqual([type(node).__name__ for node in before], ["Expr", "Import", "If"])

    def test_without_a_host_the_ways_to_get_one_are_named(self):
        self.plugin("")
        said = self.refused("test", self.folder)
        for name in ["SERVICE_PLUGIN_HOST", "SERVICE_PLUGIN_HOST_BIN_DIR", "SERVICE_PLUGIN_RELEASES"]:
            self.assertIn(name, said)

    def test_a_host_of_another_version_is_told_with_both_versions(self):
        self.plugin("")
        self.use_host()
        self.set(FAKE_VERSION="0.0.9")
        said = self.refused("test", self.folder)
        self.assertIn("is version 0.0.9, and this SDK needs %s or newer" % service_plugin_cli.VERSION, said)


if __name__ == "__main__":
    unittest.main()
