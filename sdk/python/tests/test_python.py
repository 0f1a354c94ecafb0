"""The SDK runs on the oldest Python it promises, and everything it needs is installed with it."""

import ast
import pathlib
import re
import unittest

SDK = pathlib.Path(__file__).resolve().parents[1]
PACKAGES = ("service_plugin", "service_plugin_cli")

# What came after Python 3.8 without a syntax of its own.
LATER = {"removeprefix", "removesuffix", "zoneinfo", "graphlib", "tomllib", "pairwise", "batched", "is_relative_to"}


def files():
    return sorted(file for package in PACKAGES for file in (SDK / package).rglob("*.py"))


class OldPython(unittest.TestCase):
    def test_every_file_is_python_3_8(self):
        self.assertGreater(len(files()), 20)
        for file in files() + sorted((SDK / "tests").glob("*.py")):
            with self.subTest(file.name):
                ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 8))

    def test_nothing_is_used_that_came_later(self):
        for file in files():
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                name = getattr(node, "attr", None) or getattr(node, "module", None)
                self.assertNotIn(name, LATER, file.name)

    def test_annotations_are_written_as_3_8_reads_them(self):
        # Built-in types in brackets and unions with a bar are later; in quotes they are text.
        for file in files():
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                for annotation in [getattr(node, "annotation", None), getattr(node, "returns", None)]:
                    for part in ast.walk(annotation) if annotation is not None else ():
                        self.assertFalse(isinstance(part, ast.BinOp), "%s:%s" % (file.name, getattr(part, "lineno", 0)))
                        if isinstance(part, ast.Subscript):
                            name = getattr(part.value, "id", "")
                            self.assertNotIn(name, {"list", "dict", "tuple", "set", "frozenset", "type"}, file.name)


class Installing(unittest.TestCase):
    def setUp(self):
        self.project = (SDK / "pyproject.toml").read_text()

    def test_every_package_is_installed(self):
        listed = re.findall(r'"([\w.]+)"', re.search(r"^packages = \[(.*?)\]", self.project, re.M | re.S).group(1))
        folders = {file.parent.relative_to(SDK).as_posix().replace("/", ".") for file in files()}
        self.assertEqual(sorted(listed), sorted(folders - {"service_plugin_cli.templates"}))

    def test_the_command_is_installed(self):
        self.assertIn('service-plugin-py = "service_plugin_cli.main:main"', self.project)

    def test_nothing_else_has_to_be_installed(self):
        self.assertNotIn("dependencies", self.project)
