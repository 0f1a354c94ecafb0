"""Nothing is installed or built twice, and nothing changed is missed."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

import npm

# Stands in for npm: writes down how it was called, and builds when told to.
FAKE_NPM = """#!/bin/sh
if [ "$1" = --version ]; then echo "$FAKE_VERSION"; exit; fi
echo "$1 $2 $3" >>"$FAKE_LOG"
mkdir -p node_modules
case "$*" in *build) test -z "$FAKE_FAILS" || exit 9; mkdir -p dist; echo page >dist/index.html ;; esac
"""


class Stamps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.ui = self.root / "ui"
        (self.ui / "src").mkdir(parents=True)
        (self.ui / "package.json").write_text("{}")
        (self.ui / "package-lock.json").write_text("{}")
        (self.ui / "src" / "main.ts").write_text("1")
        program = self.root / "bin" / "npm"
        program.parent.mkdir()
        program.write_text(FAKE_NPM)
        program.chmod(0o755)
        self.log = self.root / "log"
        path = f"{program.parent}:{os.environ['PATH']}"
        fake = {"PATH": path, "FAKE_LOG": str(self.log), "FAKE_VERSION": "11.2.0", "FAKE_FAILS": ""}
        for patch in (mock.patch.dict(os.environ, fake), mock.patch.object(npm, "ROOT", self.root), mock.patch.object(npm, "say")):
            patch.start()
            self.addCleanup(patch.stop)

    def calls(self):
        """What npm was asked to do since the last look."""
        lines = self.log.read_text().splitlines() if self.log.is_file() else []
        self.log.unlink(missing_ok=True)
        return [line.split()[0] for line in lines]

    def test_a_second_build_does_nothing(self):
        npm.build(self.ui)
        self.assertEqual(self.calls(), ["install", "run"])
        npm.build(self.ui)
        self.assertEqual(self.calls(), [])

    def test_a_changed_new_renamed_or_deleted_source_is_built(self):
        main, other = self.ui / "src" / "main.ts", self.ui / "src" / "other.ts"
        changes = (
            lambda: main.write_text("2"),
            lambda: other.write_text(""),
            lambda: other.rename(self.ui / "src" / "third.ts"),
            main.unlink,
        )
        npm.build(self.ui)
        self.calls()
        for change in changes:
            change()
            npm.build(self.ui)
            self.assertEqual(self.calls(), ["run"])

    def test_a_changed_lock_is_installed(self):
        npm.install(self.ui)
        (self.ui / "package-lock.json").write_text('{"new": 1}')
        npm.install(self.ui)
        self.assertEqual(self.calls(), ["install", "install"])

    def test_a_deleted_output_is_built_again(self):
        npm.build(self.ui)
        self.calls()
        (self.ui / "dist" / "index.html").unlink()
        npm.build(self.ui)
        self.assertEqual(self.calls(), ["run"])

    def test_a_failed_build_is_not_taken_for_done(self):
        with mock.patch.dict(os.environ, {"FAKE_FAILS": "yes"}), self.assertRaises(SystemExit) as failure:
            npm.build(self.ui)
        self.assertEqual(failure.exception.code, 9)
        self.calls()
        npm.build(self.ui)
        self.assertEqual(self.calls(), ["run"])

    def test_an_old_npm_is_replaced_inside_the_tree(self):
        own = self.root / ".tools" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        own.parent.mkdir(parents=True)
        own.write_text("")
        with mock.patch.dict(os.environ, {"FAKE_VERSION": "10.9.9"}):
            self.assertEqual(npm.npm_command(), ["node", str(own)])
        self.assertEqual(npm.npm_command(), ["npm"])


if __name__ == "__main__":
    unittest.main()
