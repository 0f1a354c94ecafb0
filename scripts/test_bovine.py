"""The foreign peer is installed in known versions only."""

import re
import unittest

import bovine


class Bovine(unittest.TestCase):
    def test_every_requirement_is_pinned(self):
        lines = bovine.REQUIREMENTS.read_text().splitlines()
        pins = [line for line in lines if line and not line.startswith("#")]
        self.assertIn("bovine", [pin.split("==")[0] for pin in pins])
        for pin in pins:
            self.assertTrue(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*", pin), pin)
