"""The newer tools are installed in a known version only, and left out where there are none."""

import re
import subprocess
import unittest
import unittest.mock

import streaming_tools


class StreamingTools(unittest.TestCase):
    def test_the_package_is_pinned(self):
        self.assertTrue(re.fullmatch(r"[0-9.]+", streaming_tools.TOOLS.version))
        self.assertTrue(re.fullmatch(r"[0-9a-f]{64}", streaming_tools.TOOLS.sha256))

    def test_another_processor_has_none(self):
        with unittest.mock.patch("platform.machine", return_value="aarch64"):
            self.assertIsNone(streaming_tools.programs())

    def test_what_cannot_be_installed_is_left_out(self):
        self.assert_left_out(SystemExit("no way there"))

    def test_a_python_without_pip_has_none(self):
        self.assert_left_out(subprocess.CalledProcessError(1, ["python3", "-m", "ensurepip"]))

    def assert_left_out(self, problem):
        refusal = unittest.mock.patch("pinned.python_with", side_effect=problem)
        with refusal, unittest.mock.patch("platform.machine", return_value="x86_64"):
            self.assertIsNone(streaming_tools.programs())
