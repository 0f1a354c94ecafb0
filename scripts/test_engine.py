"""The engine's build, without building it."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

import engine


class Building(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patched = mock.patch.dict(os.environ, XDG_CACHE_HOME=folder.name)
        patched.start()
        self.addCleanup(patched.stop)

    def test_the_engine_is_made_of_the_interface_the_glue_and_the_sdk(self):
        names = {file.relative_to(engine.ROOT).as_posix() for file in engine.inputs()}
        self.assertLess(
            {"engine/python/world.wit", "engine/python/app.py", "sdk/python/service_plugin/_guest.py"}, names
        )

    def test_another_tool_makes_another_engine(self):
        before = engine.engine()
        with mock.patch.object(engine, "TOOL", "componentize-py==0"):
            self.assertNotEqual(engine.engine(), before)

    def test_an_engine_that_is_there_is_not_built_again(self):
        for file in (engine.engine(), engine.deflated()):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        with mock.patch.object(engine, "installed_tool", side_effect=AssertionError("it was built")):
            self.assertEqual(engine.build(), engine.engine())

    def test_a_build_that_fails_leaves_nothing_that_looks_finished(self):
        with mock.patch.object(engine, "installed_tool"), mock.patch.object(engine, "componentize", side_effect=OSError):
            with self.assertRaises(OSError):
                engine.build()
        self.assertEqual(list(pathlib.Path(engine.cache()).iterdir()), [])

    def test_servers_are_told_by_variables_they_know(self):
        names = {name for name, _ in engine.variables()}
        self.assertEqual(names, {"RILLCAST_PLUGIN_ENGINE", "RILLCAST_PLUGIN_ENGINE_CACHE"})


if __name__ == "__main__":
    unittest.main()
