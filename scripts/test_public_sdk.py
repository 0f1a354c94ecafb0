"""The public SDK is installed in a known version only, and left out where it cannot be had."""

import pathlib
import subprocess
import unittest
import unittest.mock

import pinned
import public_sdk


class PublicSdk(unittest.TestCase):
    def test_the_package_is_pinned(self):
        self.assertRegex(public_sdk.SDK.version, r"^\d+(\.\d+)+$")
        self.assertRegex(public_sdk.SDK.sha256, r"^[0-9a-f]{64}$")

    def test_its_command_is_beside_its_python(self):
        installed = unittest.mock.patch("pinned.python_with", return_value=pathlib.Path("/cache/bin/python"))
        with installed:
            self.assertEqual(public_sdk.command(), "/cache/bin/owncast-plugin-py")

    def test_what_cannot_be_installed_is_left_out(self):
        self.assert_left_out(SystemExit("no way there"))

    def test_a_python_without_pip_has_none(self):
        self.assert_left_out(subprocess.CalledProcessError(1, ["python3", "-m", "ensurepip"]))

    def test_an_archive_with_another_checksum_is_a_failure(self):
        said = b"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
        done = subprocess.CompletedProcess([], 1, said)
        with unittest.mock.patch("pinned.sys.stderr"), unittest.mock.patch("subprocess.run", return_value=done):
            with self.assertRaises(pinned.OtherArchive):
                pinned.run(["python3"])
        with unittest.mock.patch("pinned.python_with", side_effect=pinned.OtherArchive):
            with self.assertRaises(pinned.OtherArchive):
                public_sdk.command()

    def assert_left_out(self, problem):
        with unittest.mock.patch("pinned.python_with", side_effect=problem):
            self.assertIsNone(public_sdk.command())
