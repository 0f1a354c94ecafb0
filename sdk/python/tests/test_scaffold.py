"""``service-plugin-py new``."""

import json
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

from service_plugin_cli import slug as slugs

from .cli import InFolder, run

SDK = pathlib.Path(__file__).resolve().parents[1]

FILES = [
    ".agents/skills/write-plugin/SKILL.md",
    ".gitignore",
    "AGENTS.md",
    "INSTRUCTIONS.md",
    "README.md",
    "__tests__/plugin.test.json",
    "plugin.manifest.json",
    "src/plugin.py",
]


class New(InFolder):
    def files(self, slug):
        folder = self.folder / slug
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

    def test_a_new_plugin_has_everything_it_needs(self):
        outcome = run("new", self.folder / "door-bell")
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.assertEqual(self.files("door-bell"), FILES)

    def test_what_is_made_from_the_rest_is_left_out_of_git(self):
        run("new", self.folder / "door-bell")
        lines = (self.folder / "door-bell/.gitignore").read_text().split()
        self.assertEqual(lines, ["/door-bell.py", "/door-bell.ocpkg", ".service-dev-data/"])

    def test_slug_and_name_are_filled_in_everywhere(self):
        run("new", self.folder / "door-bell")
        folder = self.folder / "door-bell"
        manifest = json.loads((folder / "plugin.manifest.json").read_text())
        self.assertEqual((manifest["slug"], manifest["name"]), ("door-bell", "Door Bell"))
        self.assertEqual((manifest["api"], manifest["version"]), ("1", "0.1.0"))
        self.assertEqual(manifest["permissions"], ["chat.send"])
        self.assertEqual(manifest["bot"], {"displayName": "Door Bell"})
        self.assertTrue(manifest["description"])
        for name in FILES:
            self.assertNotIn("{{", (folder / name).read_text(), name)

    def test_what_was_made_and_what_comes_next_is_said(self):
        out = run("new", self.folder / "door-bell").out
        for said in ["created ", "door-bell", "Door Bell", "cd ", " test\n", " package\n"]:
            self.assertIn(said, out)

    def test_who_does_not_have_the_command_on_the_path_is_told_another_way(self):
        with mock.patch.dict(os.environ, PATH=str(self.folder)):
            self.assertIn("-m service_plugin_cli test", run("new", self.folder / "a").out)
        command = self.write("service-plugin-py", "#!/bin/sh\n")
        command.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=str(self.folder)):
            self.assertIn("  service-plugin-py test", run("new", self.folder / "b").out)

    def test_a_folder_that_exists_is_left_alone(self):
        kept = self.write("bell/kept.txt", "mine")
        said = self.refused("new", self.folder / "bell")
        self.assertIn("exists already", said)
        self.assertEqual(self.files("bell"), ["kept.txt"])
        self.assertEqual(kept.read_text(), "mine")

    def test_a_name_that_is_no_slug_is_refused_with_the_rule_and_an_example(self):
        for bad in ["Bell", "2bells", "-bell", "door_bell", "bell.", "b" * 65, "glöckchen"]:
            said = self.refused("new", self.folder / bad)
            self.assertIn(repr(bad), said)
            self.assertIn("such as door-bell", said)
            self.assertFalse((self.folder / bad).exists())

    def test_a_folder_that_cannot_be_made_is_named(self):
        self.write("file")
        self.assertIn("cannot be made", self.refused("new", self.folder / "file" / "bell"))

    def test_without_a_slug_the_use_is_shown(self):
        outcome = run("new")
        self.assertEqual(outcome.code, 2)
        self.assertIn("usage: service-plugin-py new", outcome.err)

    def test_whoever_stops_reading_is_not_bothered_with_a_traceback(self):
        command = [sys.executable, "-m", "service_plugin_cli", "new", str(self.folder / "bell")]
        process = subprocess.Popen(command, cwd=str(SDK), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        said = process.stderr.read()
        process.stderr.close()
        self.assertEqual((process.wait(30), said), (141, b""))

    def test_without_a_command_the_use_is_shown(self):
        self.assertEqual(run().code, 2)
        self.assertEqual(run("dance").code, 2)


class Slugs(unittest.TestCase):
    def test_a_slug_is_derived_from_the_name_as_the_server_does_it(self):
        for name, slug in [
            ("Awesome Echo Bot", "awesome-echo-bot"),
            ("Café Helper", "caf-helper"),
            ("  --A__b!! ", "a-b"),
            ("日本", None),
            ("3 Wishes", None),
            ("\u212aelvin", "elvin"),
            ("a" * 64, "a" * 64),
            ("a" * 65, None),
        ]:
            self.assertEqual(slugs.derive(name), slug, name)

    def test_a_slug_begins_with_a_small_letter_and_has_no_others_but_digits_and_hyphens(self):
        for good in ["a", "door-bell", "x2", "a-"]:
            self.assertTrue(slugs.is_slug(good), good)
        for bad in ["", "A", "2x", "-a", "a_b", "a.b", "a/b", "ä", "a\n"]:
            self.assertFalse(slugs.is_slug(bad), bad)
