"""The pages' types are made from the API's description."""

import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class ApiTypes(unittest.TestCase):
    def test_the_types_are_in_step_with_the_description(self):
        command = ["node", "scripts/api-types.mjs", "--check"]
        answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
