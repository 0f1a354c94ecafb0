"""The oldest Python that is promised, as a tool that is not ours sees it."""

import pathlib
import tempfile
import unittest

from .project import SDK, run

import pinned

PROMISED = "3.8"
# Annotations count as well: an author's tools may evaluate them.
FLAGS = ["--violations", "--no-tips", "--eval-annotations", "--target=%s-" % PROMISED]


def judged(*paths):
    return run([pinned.python_with(pinned.VERMIN).with_name("vermin")] + FLAGS + list(paths), SDK)


class Oldest(unittest.TestCase):
    def test_vermin_finds_nothing_in_the_sdk_that_python_3_8_does_not_have(self):
        code, said = judged("service_plugin", "service_plugin_cli")
        self.assertEqual(code, 0, said)
        self.assertIn("Minimum required versions: %s" % PROMISED, said)
        self.assertIn('requires-python = ">=%s"' % PROMISED, (SDK / "pyproject.toml").read_text())

    def test_vermin_would_find_what_came_later(self):
        later = {"match": "match 1:\n    case _: pass\n", "names": "'a'.removeprefix('a')\n", "library": "import tomllib\n"}
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in later.items():
                with self.subTest(name):
                    file = pathlib.Path(scratch) / (name + ".py")
                    file.write_text(text)
                    code, said = judged(file)
                    self.assertEqual(code, 1, said)
                    self.assertIn("Target versions not met", said)
