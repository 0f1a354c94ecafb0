"""The SDK is tried on the Pythons that are here, and on nothing that only looks like one."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import pinned
import sdk


class Pythons(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = pathlib.Path(scratch.name)

    def program(self, path, said):
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\necho '{said}'\n")
        file.chmod(0o755)
        return str(file)

    def test_each_version_is_found_once_on_the_path_and_where_others_keep_them(self):
        first = self.program("bin/python3.12", "3.12 final")
        kept = self.program(".pyenv/versions/3.13.0/bin/python3", "3.13 final")
        self.program(".pyenv/versions/3.12.1/bin/python3", "3.12 final")
        found = sdk.installed({"PATH": str(self.home / "bin")}, self.home)
        self.assertEqual(found, {(3, 12): first, (3, 13): kept})

    def test_what_is_too_old_not_finished_or_no_python_is_left_out(self):
        self.program("bin/python3.7", "3.7 final")
        self.program("bin/python3.15", "3.15 alpha")
        self.program("bin/python3.14", "pyenv: command not found")
        self.program("bin/python3.14-config", "3.14 final")
        self.assertEqual(sdk.installed({"PATH": str(self.home / "bin")}, self.home), {})

    def test_this_one_and_the_newest_are_chosen_and_in_the_long_ring_the_oldest(self):
        programs = {(3, 8): "old", (3, 11): "same", (3, 12): "between", (3, 13): "new"}
        self.assertEqual(sdk.chosen(programs, (3, 11), False), {(3, 11): sys.executable, (3, 13): "new"})
        self.assertEqual(list(sdk.chosen(programs, (3, 11), True)), [(3, 11), (3, 13), (3, 8)])
        self.assertEqual(sdk.chosen({}, (3, 11), True), {(3, 11): sys.executable})


class Pins(unittest.TestCase):
    def test_every_tool_is_one_version_with_a_checksum(self):
        tools = (pinned.SETUPTOOLS, pinned.VERMIN, pinned.MYPY, pinned.PYRIGHT)
        for package in (*tools, *pinned.MYPY.needs):
            self.assertRegex(package.version, r"^\d+(\.\d+)+$")
            for checksum in package.checksums():
                self.assertRegex(checksum, r"^[0-9a-f]{64}$")

    def test_another_wheel_of_the_same_version_is_installed_anew(self):
        made = []

        def run(command, env=None):
            made.append(pathlib.Path(command[-1]).read_text())

        def create(folder, with_pip):
            python = folder / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.touch(0o755)

        with tempfile.TemporaryDirectory() as cache, mock.patch.dict(os.environ, XDG_CACHE_HOME=cache):
            parts = {"run": run, "venv": mock.Mock(create=create)}
            with mock.patch.multiple(pinned, **parts), contextlib.redirect_stderr(io.StringIO()):
                for checksum in ("12", "12", "34"):
                    pinned.python_with(pinned.Package("thing", "1", checksum))
        self.assertEqual(made, ["thing==1 --hash=sha256:12\n", "thing==1 --hash=sha256:34\n"])


if __name__ == "__main__":
    unittest.main()
