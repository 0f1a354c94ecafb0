"""Reports of tests come back as they were written, whoever wrote them."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import reports

HERE = pathlib.Path(reports.__file__).parent


class WithFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        patched = mock.patch.dict(os.environ, {reports.FOLDER: scratch.name})
        patched.start()
        self.addCleanup(patched.stop)


class Reports(WithFolder):
    def test_cases_come_back_as_they_were_written(self):
        cases = [reports.Case("a <b> & c", 1.5), reports.Case("d", 0.0, "why\nnot"), reports.Case("e", skipped=True)]
        reports.write("some / name", cases)
        self.assertEqual(reports.read(self.folder), cases)

    def test_what_xml_cannot_hold_does_not_break_a_report(self):
        reports.write("r", [reports.Case("a\x00", failure="\x1b[31mred\x1b[0m \ud800")])
        self.assertEqual(reports.read(self.folder), [reports.Case("a\ufffd", failure="\ufffd[31mred\ufffd[0m \ufffd")])

    def test_a_torn_report_is_a_failed_test(self):
        (self.folder / "a.xml").write_text("<testsuites><testcase name='a'/>")
        self.assertTrue(reports.read(self.folder)[0].failure)

    def test_without_a_folder_nothing_is_written(self):
        del os.environ[reports.FOLDER]
        reports.write("r", [reports.Case("a")])
        self.assertEqual(os.listdir(self.folder), [])

    def test_cases_of_suites_within_suites_are_found(self):
        inner = "<testsuite name='s'><testcase name='b'><failure message='no'/></testcase></testsuite>"
        (self.folder / "a.xml").write_text(f"<testsuites><testcase name='a' time='2.5'/>{inner}</testsuites>")
        self.assertEqual(reports.read(self.folder), [reports.Case("a", 2.5), reports.Case("b", failure="no")])


class Unittest(WithFolder):
    """Every way in which Python's unittest can fail is a failed case of the report."""

    TESTS = """
import unittest
class Some(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.fail("bad")
    def test_broken(self): raise ValueError("broken")
    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n): self.assertNotEqual(n, 1)
    @unittest.skip("not now")
    def test_left_out(self): pass
    @unittest.expectedFailure
    def test_surprise(self): pass
class Never(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no ground")
    def test_unreached(self): pass
"""

    def run_tests(self, text):
        with tempfile.TemporaryDirectory() as tests:
            pathlib.Path(tests, "test_some.py").write_text(text)
            command = [sys.executable, HERE / "unittests.py", "some", tests]
            code = subprocess.run(command, stderr=subprocess.DEVNULL).returncode
        return code, {case.name.split(".")[-1]: case for case in reports.read(self.folder)}

    def test_failures_errors_subtests_and_set_ups_are_told_apart_from_what_passed(self):
        code, cases = self.run_tests(self.TESTS)
        self.assertEqual(code, 1)
        self.assertEqual([name for name, case in cases.items() if case.passed], ["test_good"])
        self.assertEqual([name for name, case in cases.items() if case.skipped], ["test_left_out"])
        self.assertEqual(sum(bool(case.failure) for case in cases.values()), 5)

    def test_a_folder_without_tests_has_proven_nothing(self):
        self.assertEqual(self.run_tests("")[0], 1)

    def test_files_that_cannot_be_imported_are_failed_tests(self):
        code, cases = self.run_tests("import nothing_of_this_name")
        self.assertEqual((code, [bool(case.failure) for case in cases.values()]), (1, [True]))


if __name__ == "__main__":
    unittest.main()
