"""The scenario runner as the SDK relies on it: what it says and how it ends. It is the real one, as in the story."""

import json
import os
import re
import subprocess
import unittest

from .cli import MANIFEST, InFolder

SECONDS = 300


@unittest.skipUnless(os.environ.get("SERVICE_PLUGIN_HOST"), "SERVICE_PLUGIN_HOST names no host")
class Runner(InFolder):
    def setUp(self):
        super().setUp()
        self.host = os.environ["SERVICE_PLUGIN_HOST"]

    def runner(self, *arguments, program=None):
        command = [str(program)] if program else [self.host, "plugin", "test"]
        told = subprocess.run(
            command + list(arguments),
            cwd=str(self.folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
        )
        return told.returncode, told.stdout.decode(), told.stderr.decode()

    def project(self, code="", **tests):
        self.write("plugin.manifest.json", json.dumps(MANIFEST))
        self.write("door-bell.py", code)
        for name, text in tests.items():
            self.write("__tests__/%s.test.json" % name, text)

    def test_what_cannot_be_tested_is_said_in_one_line_with_exit_code_2(self):
        steps = [
            (lambda: None, "plugin.manifest.json"),
            (lambda: self.write("plugin.manifest.json", "{"), "is not JSON"),
            (lambda: self.write("plugin.manifest.json", json.dumps(MANIFEST)), "build"),
            (lambda: self.write("door-bell.py"), "__tests__"),
            (lambda: (self.folder / "__tests__").mkdir(), ".test.json"),
        ]
        for prepare, said in steps:
            prepare()
            code, out, err = self.runner()
            with self.subTest(said):
                self.assertEqual((code, out), (2, ""))
                self.assertIn(said, err)
                self.assertEqual(err.count("\n"), 1, err)

    def test_load_only_stops_after_the_plugin_was_loaded(self):
        self.project()
        self.assertEqual(self.runner("--load-only", ".")[0], 0)
        self.write("door-bell.py", "boom()\n")
        code, out, err = self.runner("--load-only")
        self.assertEqual(code, 1)
        self.assertIn("NameError", out + err)

    def test_each_scenario_has_its_line_and_the_last_one_counts_them(self):
        self.project(
            a='[{"name": "one"}, {"name": "two", "expect": {"chatSends": ["x"]}}]',
            b="no test file",
        )
        code, out, _ = self.runner(".")
        lines = out.splitlines()
        self.assertEqual(code, 1)
        self.assertIn("ok    a.test.json :: one", lines)
        failed = lines.index("FAIL  a.test.json :: two")
        self.assertTrue(lines[failed + 1].startswith("  "), "the reasons are indented below it")
        # A file that cannot be read counts as one.
        self.assertTrue(any(re.match(r"FAIL  b\.test\.json", line) for line in lines))
        self.assertEqual(lines[-1], "1/3 passed")

    def test_without_a_failure_the_exit_code_is_0(self):
        self.project(a='[{"name": "one"}]')
        code, out, _ = self.runner(str(self.folder))
        self.assertEqual((code, out), (0, "ok    a.test.json :: one\n1/1 passed\n"))

    def test_the_runner_under_its_own_name_tells_its_version(self):
        program = self.folder / "service-plugin-test"
        program.symlink_to(self.host)
        code, out, _ = self.runner("--version", program=program)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"\d+\.\d+\.\d+")
        self.project(a='[{"name": "one"}]')
        self.assertEqual(self.runner(".", program=program)[0], 0)


if __name__ == "__main__":
    unittest.main()
