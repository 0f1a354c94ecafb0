"""Types for editors: all of them have a public name, and none of them exists while a plugin runs."""

import ast
import importlib
import pathlib
import unittest

import service_plugin
from service_plugin import _shapes, types

FOLDER = pathlib.Path(service_plugin.__file__).parent


def public(module):
    return [name for name in vars(module) if not name.startswith("_")]


class Types(unittest.TestCase):
    def test_the_module_is_empty_at_run_time_and_says_how_it_is_imported(self):
        self.assertEqual(public(types), [])
        with self.assertRaisesRegex(ImportError, "import it below `if TYPE_CHECKING:`"):
            from service_plugin.types import ChatMessage  # noqa: F401
        self.assertFalse(hasattr(types, "__path__"))

    def test_the_sdk_itself_keeps_its_five_names(self):
        fresh = importlib.import_module("service_plugin")
        self.assertEqual(fresh.__all__, ["plugin", "service", "filter", "auth_check", "CommandContext"])
        names = [name for name in public(fresh) if name not in ("types",)]
        self.assertEqual(sorted(names), sorted(fresh.__all__))

    def test_every_shape_has_its_public_name(self):
        tree = ast.parse((FOLDER / "types.pyi").read_text())
        named = {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        shapes = {
            name
            for name, value in vars(_shapes).items()
            if isinstance(value, type) and issubclass(value, _shapes.Record)
        }
        self.assertLessEqual(shapes, named)
        for name in ("Request", "Response", "CommandContext", "FilterVerdict", "AuthVerdict", "HttpAnswer", "Result"):
            self.assertIn(name, named)


if __name__ == "__main__":
    unittest.main()
