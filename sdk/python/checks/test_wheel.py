"""The wheel: what is in it, and that it is all an author has to install."""

import email
import os
import pathlib
import tempfile
import unittest
import venv
import zipfile

from .project import SDK, run

import wheel

PACKAGES = ("service_plugin", "service_plugin_cli")


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="service-plugin-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.wheel = wheel.build(cls.folder / "dist")

    def text(self, name):
        with zipfile.ZipFile(str(self.wheel)) as archive:
            found = [one for one in archive.namelist() if one.endswith(".dist-info/" + name)]
            return archive.read(found[0]).decode()

    def test_it_holds_both_packages_with_types_and_templates_and_nothing_else(self):
        files = (file for package in PACKAGES for file in (SDK / package).rglob("*"))
        wanted = {file.relative_to(SDK).as_posix() for file in files if file.is_file() and file.suffix != ".pyc"}
        with zipfile.ZipFile(str(self.wheel)) as archive:
            names = archive.namelist()
            for name in wanted:
                self.assertEqual(archive.read(name), (SDK / name).read_bytes(), name)
        self.assertEqual({name for name in names if ".dist-info/" not in name}, wanted)
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("service_plugin/py.typed", wanted)
        self.assertIn("service_plugin_cli/templates/plugin.py", wanted)

    def test_it_names_its_command_its_oldest_python_and_no_dependency(self):
        about = email.message_from_string(self.text("METADATA"))
        self.assertEqual(about["Name"], "service-plugin")
        self.assertEqual(about["Requires-Python"], ">=3.8")
        self.assertIsNone(about["Requires-Dist"])
        commands = self.text("entry_points.txt").split("\n")
        self.assertIn("service-plugin-py = service_plugin_cli.main:main", commands)

    def test_the_same_sources_make_the_same_bytes(self):
        again = self.folder / "again" / self.wheel.name
        former = os.umask(0o077)
        try:
            wheel.make(again)
        finally:
            os.umask(former)
        self.assertEqual(again.read_bytes(), self.wheel.read_bytes())

    def test_a_wheel_that_is_there_is_left_alone_and_older_ones_are_removed(self):
        target = self.folder / "kept"
        target.mkdir()
        (target / "service_plugin-0.0.1-py3-none-any.whl").write_bytes(b"")
        first = wheel.build(target).stat()
        self.assertEqual([file.name for file in target.iterdir()], [self.wheel.name])
        second = wheel.build(target).stat()
        self.assertEqual((first.st_ino, first.st_mtime_ns), (second.st_ino, second.st_mtime_ns))

    def test_it_is_installed_without_a_network_and_its_command_begins_and_builds_a_plugin(self):
        venv.create(str(self.folder / "venv"), with_pip=True)
        bin = self.folder / "venv" / "bin"
        offline = {"PATH": "%s:/usr/bin:/bin" % bin, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        code, said = run([bin / "pip", "install", self.wheel], self.folder, **offline)
        self.assertEqual(code, 0, said)
        code, said = run(["service-plugin-py", "new", "door-bell"], self.folder, **offline)
        self.assertEqual(code, 0, said)
        self.assertNotIn("not on your PATH", said)
        code, said = run(["service-plugin-py", "build", "door-bell"], self.folder, **offline)
        self.assertEqual((code, said), (0, "built door-bell.py\n"))
        code, said = run([bin / "python", "-c", "from service_plugin import *; print(service.chat)"], self.folder, **offline)
        self.assertEqual(code, 0, said)
