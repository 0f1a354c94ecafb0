"""Code that was compiled by an earlier load: when it is taken, and when it is not."""

import ast
import binascii
import json
import marshal
import pathlib
import random
import sys
import textwrap
import unittest

from service_plugin_cli.bundle import with_modules
from service_plugin_cli.sources import Module

from .fake import Engine, Host

MANIFEST = json.dumps({"api": "1", "name": "Test", "version": "1"})
HELPER = "WORDS = ['a', 'b']\ndef fail():\n    raise ValueError('as asked')\n"
ENTRY = """\
from service_plugin import plugin
import helper

@plugin.on_page_styles
def styles():
    helper.fail()
"""


def bundle(entry=ENTRY, helper=HELPER):
    return with_modules(module("plugin", entry), [module("helper", helper)])


def module(name, text):
    file = "src/%s.py" % name
    return Module(name, file, pathlib.Path(file), False, text, ast.Module([], []), [])


class Kept(unittest.TestCase):
    def load(self, source, kept=""):
        """Texts that were compiled, what is to be kept, and the engine."""
        engine = Engine()
        sys.modules.pop("helper", None)
        sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Bundle"]
        from service_plugin._compiler import Compiler

        compiler = self.compiler = Compiler(kept)
        engine.guest.load("test", MANIFEST, textwrap.dedent(source), Host(), compiler)
        return compiler.compiled, compiler.to_keep(), engine

    def test_the_second_load_of_a_bundle_compiles_nothing_and_keeps_nothing_new(self):
        compiled, kept, _ = self.load(bundle())
        self.assertEqual(compiled, 3)
        self.assertEqual(self.load(bundle(), kept)[:2], (0, ""))

    def test_the_texts_of_modules_are_written_once(self):
        helper = "TEXT = 1\n" + "# a remark\n" * 2000
        kept = binascii.a2b_base64(self.load(bundle(helper=helper))[1])
        self.assertLess(len(kept), len(helper) * 1.5)

    def test_a_module_with_another_text_is_compiled_anew(self):
        # The server does not hand this in: the source is another one as well.
        _, kept, _ = self.load(bundle())
        entry, modules = marshal.loads(binascii.a2b_base64(kept))
        modules = {(file, text + "#"): code for (file, text), code in modules.items()}
        changed = binascii.b2a_base64(marshal.dumps((entry, modules))).decode()
        self.assertEqual(self.load(bundle(), changed)[0], 2)

    def test_errors_are_told_with_the_same_lines_whether_the_code_was_kept_or_not(self):
        _, kept, first = self.load(bundle())
        told = []
        for engine in (first, self.load(bundle(), kept)[2]):
            with self.assertRaises(Exception) as raised:
                engine.guest.call("styles", "{}")
            told.append(str(raised.exception))
        self.assertEqual(told[0], told[1])
        self.assertIn('File "src/helper.py", line 3, in fail\n    raise ValueError(', told[1])

    def test_a_mistake_in_a_module_is_told_as_before(self):
        with self.assertRaises(Exception) as raised:
            self.load(bundle(helper="WORDS = [\n"))
        self.assertIn('File "src/helper.py", line 1', str(raised.exception))
        self.assertIn("SyntaxError", str(raised.exception))
        self.assertNotIn("_compiler.py", str(raised.exception))

    def test_what_cannot_be_read_is_compiled(self):
        _, kept, _ = self.load("x = 1")
        wrong = ["!", "\u20ac", kept[:-8], kept[: len(kept) // 2], "AAAA"]
        values = (None, 1, (1, {}), (compile("", "a", "exec"), []), (1, 2, 3))
        wrong += [binascii.b2a_base64(marshal.dumps(value)).decode() for value in values]
        draw = random.Random(5)
        wrong += [binascii.b2a_base64(bytes(draw.randrange(128) for _ in range(40))).decode() for _ in range(50)]
        for one in wrong:
            with self.subTest(one):
                compiler = type(self.compiler)(one)
                compiler.entry("x = 1", "plugin.py")
                self.assertEqual((compiler.compiled, bool(compiler.to_keep())), (1, True))

    def test_a_plugin_that_is_very_large_is_not_kept(self):
        self.assertEqual(self.load("x = 1\n" + "# long\n" * 400_000)[:2], (1, ""))

    def test_modules_that_are_made_up_without_end_are_not_kept(self):
        source = "for n in range(%d):\n    compile('n = %%d' %% n, 'made-up.py', 'exec', dont_inherit=True)\n"
        compiled, kept, _ = self.load(source % 400)
        self.assertEqual((compiled, bool(kept)), (401, True))
        self.assertEqual(self.load(source % 600)[:2], (601, ""))
        self.assertEqual(self.compiler._used, {})

    def test_compile_is_pythons_own_for_everything_else(self):
        source = """
            from __future__ import annotations
            import ast, builtins, inspect
            names = {}
            exec(compile("def f(x: nowhere): pass", "here.py", "exec"), names)
            assert names["f"].__annotations__ == {"x": "nowhere"}
            assert isinstance(compile("1", "here.py", "eval", ast.PyCF_ONLY_AST), ast.Expression)
            assert eval(compile("1 + 1", "here.py", "eval")) == 2
            try:
                compile("def f(x: nowhere): pass", "here.py", "exec", flags=1 << 30)
            except ValueError:
                pass
            else:
                raise AssertionError
            def later():
                return compile is builtins.compile and "compile" not in globals()
            @plugin.on_page_styles
            def styles():
                return str(later())
        """
        compiled, _, engine = self.load(source)
        self.assertEqual(compiled, 1)
        self.assertEqual(engine.guest.call("styles", "{}"), "True")

    def test_a_name_of_the_author_is_left_alone(self):
        source = "def compile(x): return 'mine'\n@plugin.on_page_styles\ndef styles(): return compile(1)"
        self.assertEqual(self.load(source)[2].guest.call("styles", "{}"), "mine")

    def test_a_plugin_that_has_a_compile_of_its_own_for_all_is_asked_every_time(self):
        source = """
            import builtins
            real, seen = builtins.compile, []
            def mine(*args, **more):
                seen.append(args[1])
                return real(*args, **more)
            builtins.compile = mine
            try:
                compile("x = 1", "generated.py", "exec", dont_inherit=True)
            finally:
                builtins.compile = real
            @plugin.on_page_styles
            def styles():
                return ",".join(seen)
        """
        _, kept, _ = self.load(source)
        compiled, _, engine = self.load(source, kept)
        self.assertEqual(compiled, 0)
        self.assertEqual(engine.guest.call("styles", "{}"), "generated.py")


if __name__ == "__main__":
    unittest.main()
