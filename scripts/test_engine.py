"""The engine's build, without building it."""

import os
import pathlib
import re
import sys
import tempfile
import unittest
import zlib
from unittest import mock

import engine
import pinned

sys.path.insert(0, str(engine.GUEST))

import book  # noqa: E402


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

    def test_another_tool_compiler_or_other_zones_make_another_engine(self):
        before = engine.engine()
        for part in ("TOOL", "COMPILER", "ZONES"):
            with mock.patch.object(engine, part, "other==0"):
                self.assertNotEqual(engine.engine(), before)

    def test_the_compiler_has_the_major_version_of_the_servers_wasmtime(self):
        """Whoever changes one has to change the other, and to run `make engine-proof`."""
        locked = re.search(r'name = "wasmtime"\nversion = "(\d+)\.', (engine.ROOT / "Cargo.lock").read_text())
        self.assertEqual(engine.COMPILER.version.split(".")[0], locked[1])

    def test_every_architecture_has_its_wheels(self):
        for package in (engine.TOOL, engine.COMPILER):
            self.assertEqual(set(package.sha256), set(engine.MACHINES))

    def test_an_architecture_without_a_compiler_is_told_what_to_do(self):
        with mock.patch("platform.machine", return_value="riscv64"):
            with self.assertRaisesRegex(SystemExit, "no compiler for riscv64.*tools/engine-compiler"):
                engine.build()

    def test_only_the_wheel_of_this_architecture_is_installed(self):
        package = pinned.Package("thing", "1", {"x86_64": "12", "aarch64": "34"})
        with mock.patch("platform.machine", return_value="aarch64"):
            self.assertEqual(package.requirement(), "thing==1 --hash=sha256:34")
        self.assertEqual(pinned.Package("thing", "1", "56").requirement(), "thing==1 --hash=sha256:56")

    def test_an_engine_that_is_there_is_not_built_again(self):
        for file in (engine.engine(), engine.deflated(), engine.recorded()):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        with mock.patch.object(pinned, "python_with", side_effect=AssertionError("it was built")):
            self.assertEqual(engine.build(), engine.engine())

    def test_a_build_that_fails_leaves_nothing_that_looks_finished(self):
        def componentize(scratch):
            made = scratch / "engine.wasm"
            made.write_bytes(b"\0asm")
            return made

        parts = {"componentize": componentize, "run": mock.Mock(side_effect=OSError)}
        with mock.patch.multiple(engine, **parts), mock.patch.object(pinned, "python_with"):
            with self.assertRaises(OSError):
                engine.build()
        self.assertEqual(list(pathlib.Path(pinned.cache()).iterdir()), [])

    def test_the_library_is_compiled_by_an_engine_before_the_one_that_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.multiple(engine, run=mock.DEFAULT, zone_module=mock.Mock(return_value="")) as parts:
                engine.componentize(pathlib.Path(folder))
        apps = [command[command.index("-o") - 1] for (command,), _ in parts["run"].call_args_list]
        self.assertEqual(apps, ["compiler", "app"])

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

    def test_what_is_told_by_variables_has_readers(self):
        for (name, _), reader in (
            (engine.variables()[0], "crates/server/src/config/options.rs"),
            (engine.build_variables()[0], "crates/server/build.rs"),
        ):
            known = (engine.ROOT / reader).read_text()
            self.assertTrue(name in known or name.removeprefix("RILLCAST_").lower() in known, name)


class Books(unittest.TestCase):
    """The standard library as one file."""

    SOURCES = {
        "plain.py": b"WHAT = 'plain'\n",
        "tree/__init__.py": b"",
        "tree/leaf.py": b"WHAT = 'leaf'\nraise ValueError\n",
        "tree/__main__.py": b"WHAT = 'a command'\n",
        "test/__init__.py": b"WHAT = 'no library'\n",
        "folder/without_init.py": b"WHAT = 'no package'\n",
    }

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name) / "library"
        for name, source in self.SOURCES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source)
        patched = mock.patch.object(book, "ROOT", str(root))
        patched.start()
        self.addCleanup(patched.stop)
        written = pathlib.Path(folder.name) / "library.bin"
        book.write(written)
        self.root, self.book = root, book.Book(written)

    def test_a_book_has_every_module_with_its_code_and_source(self):
        self.assertEqual(self.book.names(), ["plain", "tree", "tree.leaf"])
        self.assertTrue(self.book.is_package("tree"))
        self.assertFalse(self.book.is_package("plain"))
        self.assertFalse(self.book.is_package("nowhere"))
        self.assertNotIn("folder.without_init", self.book)
        made = {}
        exec(self.book.code("plain"), made)
        self.assertEqual(made["WHAT"], "plain")
        self.assertEqual(self.book.source("tree.leaf"), self.SOURCES["tree/leaf.py"])
        self.assertEqual(self.book.source("tree"), b"")

    def test_code_out_of_a_book_tells_errors_with_the_file_it_came_from(self):
        self.assertEqual(self.book.code("tree.leaf").co_filename, f"{self.root}/tree/leaf.py")
        self.assertEqual(self.book.code("tree").co_filename, f"{self.root}/tree/__init__.py")


if __name__ == "__main__":
    unittest.main()
