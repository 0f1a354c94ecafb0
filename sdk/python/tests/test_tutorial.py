"""The tutorial of docs/plugin-sdk.md, done step by step with the real command and the real host.

As the story it is told only where SERVICE_PLUGIN_HOST names a `rillcast`. SERVICE_PLUGIN_WHEEL names the wheel that the
reader installs; without it there is none to begin with.
"""

import os
import pathlib
import shutil
import unittest

from .cli import InFolder
from .tutorial import Block, Reader, blocks, exchanges, missing

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "plugin-sdk.md"

needs_host = unittest.skipUnless(
    os.environ.get("SERVICE_PLUGIN_HOST") and os.environ.get("SERVICE_PLUGIN_WHEEL"),
    "SERVICE_PLUGIN_HOST names no host, or SERVICE_PLUGIN_WHEEL no wheel",
)


class Tutorial(InFolder):
    @needs_host
    def test_the_tutorial_works_step_by_step_in_an_empty_folder(self):
        steps = blocks(PAGE.read_text(encoding="utf-8"), "Tutorial")
        self.assertGreater(len(steps), 12)
        reader = Reader(self.folder, self.environment())
        self.addCleanup(reader.leaves)
        for step in steps:
            wrong = reader.does(step)
            self.assertIsNone(wrong, "docs/plugin-sdk.md, line %d: %s" % (step.line, wrong))

    def environment(self):
        """A reader has the wheel where `make build` leaves it, `rillcast` on the PATH, and no network."""
        wheel = pathlib.Path(os.environ["SERVICE_PLUGIN_WHEEL"])
        (self.folder / "dist").mkdir()
        shutil.copy(str(wheel), str(self.folder / "dist" / wheel.name))
        programs = self.folder / ".programs"
        programs.mkdir()
        (programs / "rillcast").symlink_to(pathlib.Path(os.environ["SERVICE_PLUGIN_HOST"]).resolve())
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SERVICE_PLUGIN", "PYTHON"))}
        offline = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        return dict(kept, PATH="%s%s%s" % (programs, os.pathsep, kept["PATH"]), **offline)


class Reading(InFolder):
    def reader(self):
        return Reader(self.folder, dict(os.environ))

    def test_a_promise_that_is_not_kept_is_found(self):
        self.assertIsNone(missing(["a", "…", "d … f"], "a\nb\nc\nd 12 f\n"))
        self.assertEqual(missing(["b", "a"], "a\nb\n"), "a")
        self.assertEqual(missing(["2/2 passed"], "1/2 passed"), "2/2 passed")

    def test_a_step_that_fails_is_found_and_one_that_should_and_does_not_as_well(self):
        reader = self.reader()
        self.assertIsNone(reader.does(Block("sh", "true\n", 1)))
        self.assertIn("ended with 1", reader.does(Block("sh", "false\ntrue\n", 1)))
        self.assertIsNone(reader.does(Block("console fails", "$ echo no; false\nno\n", 1)))
        self.assertIn("ended with 0", reader.does(Block("console fails", "$ true\n", 1)))
        self.assertIn("did not print", reader.does(Block("console", "$ echo a\nb\n", 1)))
        self.assertIn("nobody knows", reader.does(Block("toml", "", 1)))

    def test_the_shell_remembers_its_folder_and_what_was_exported(self):
        reader = self.reader()
        for block in [
            Block("sh", "mkdir inside\ncd inside\nexport WORD=remembered\n", 1),
            Block('text title="deeper/file"', "here\n", 1),
            Block("console", "$ cat deeper/file\nhere\n$ echo $WORD\nremembered\n", 1),
        ]:
            self.assertIsNone(reader.does(block))
        self.assertEqual((self.folder / "inside/deeper/file").read_text(), "here\n")

    def test_commands_are_told_from_what_they_print(self):
        self.assertEqual(exchanges("$ a\nb\nc\n$ d\n"), [("a", ["b", "c"]), ("d", [])])
