"""The engine's build, without building it."""

import os
import pathlib
import tempfile
import unittest
import zlib
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

    def test_the_command_for_authors_is_no_part_of_the_engine(self):
        self.assertTrue((engine.SDK / "service_plugin_cli").is_dir())
        self.assertFalse([file for file in engine.inputs() if "service_plugin_cli" in file.parts])

    def test_another_tool_or_other_zones_make_another_engine(self):
        before = engine.engine()
        for part in ("TOOL", "ZONES", "ZONES_SHA256"):
            with mock.patch.object(engine, part, "other==0"):
                self.assertNotEqual(engine.engine(), before)

    def test_an_engine_that_is_there_is_not_built_again(self):
        for file in (engine.engine(), engine.deflated()):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        with mock.patch.object(engine, "installed_tool", side_effect=AssertionError("it was built")):
            self.assertEqual(engine.build(), engine.engine())

    def test_a_build_that_fails_leaves_nothing_that_looks_finished(self):
        parts = {"installed_tool": mock.DEFAULT, "fetched_zones": mock.DEFAULT}
        with mock.patch.multiple(engine, **parts, componentize=mock.Mock(side_effect=OSError)):
            with self.assertRaises(OSError):
                engine.build()
        self.assertEqual(list(pathlib.Path(engine.cache()).iterdir()), [])

    def test_every_zone_is_kept_once_under_all_its_names(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            root = folder / "tzdata" / "zoneinfo"
            (root / "Europe").mkdir(parents=True)
            for name, content in {
                "Europe/Berlin": b"TZif1",
                "Europe/Oslo": b"TZif1",
                "UTC": b"TZif2",
                "zone.tab": b"# for people",
                "__init__.py": b"",
            }.items():
                (root / name).write_bytes(content)
            made = {}
            exec(engine.zone_module(folder), made)
        self.assertEqual(made["NAMES"], {"Europe/Berlin": 0, "Europe/Oslo": 0, "UTC": 1})
        self.assertEqual([zlib.decompress(zone) for zone in made["ZONES"]], [b"TZif1", b"TZif2"])

    def test_servers_are_told_by_variables_they_know(self):
        names = {name for name, _ in engine.variables()}
        self.assertEqual(names, {"RILLCAST_PLUGIN_ENGINE", "RILLCAST_PLUGIN_ENGINE_CACHE"})


if __name__ == "__main__":
    unittest.main()
