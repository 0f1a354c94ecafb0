"""A result is kept while all stays as it was, and forgotten with the first byte that differs where it matters."""

import contextlib
import io
import os
import pathlib
import tempfile
import time
import unittest
from unittest import mock

import e2e
import kept_results
import reports
import ring
import stages

TEST = "import { guide } from './lib/guide.mjs';\n"
GUIDE = "export const guide = new URL('../../docs/guide.md', import.meta.url);\n"
FILE = "some.test.mjs"


class Project(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name, "project")
        self.kept = pathlib.Path(scratch.name, "kept")
        self.program = pathlib.Path(scratch.name, "program")
        self.program.write_bytes(b"\x7fELF")
        self.write(".gitignore", "node_modules\n/target/\n")
        self.write(f"e2e/{FILE}", TEST)
        self.write("e2e/lib/guide.mjs", GUIDE)
        self.write("docs/guide.md", "# Guide\n")
        self.write("docs/other.md", "# Other\n")
        self.write("crates/a.rs", "fn a() {}\n")
        self.write("README.md", "# Project\n")

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def results(self, versions=("node 20",)):
        return kept_results.Results(self.root, [str(self.program)], self.kept, list(versions))

    def passed_before(self, **options):
        return self.results(**options).passed_before(FILE)


class Results(Project):
    def setUp(self):
        super().setUp()
        self.results().keep(FILE, ["one", "two"])

    def test_what_passed_need_not_run_again(self):
        self.assertEqual(self.passed_before(), ["one", "two"])

    def test_another_file_has_not_passed(self):
        self.write("e2e/else.test.mjs", TEST)
        self.assertEqual(self.results().passed_before("else.test.mjs"), [])

    def test_prose_that_nobody_names_changes_nothing(self):
        self.write("docs/other.md", "# Another\n")
        self.write("README.md", "# Another\n")
        self.write("docs/adr/0001.md", "# New\n")
        self.assertEqual(self.passed_before(), ["one", "two"])

    def test_installed_packages_and_builds_are_no_input(self):
        self.write("e2e/node_modules/a.js", "")
        self.write("target/a", "")
        self.assertEqual(self.passed_before(), ["one", "two"])

    def test_a_document_that_an_import_names_is_an_input(self):
        self.write("docs/guide.md", "# Another\n")
        self.assertEqual(self.passed_before(), [])

    def test_any_other_file_is_an_input(self):
        for path in ("crates/a.rs", "e2e/lib/guide.mjs", f"e2e/{FILE}", "crates/new.rs", "crates/a.md"):
            with self.subTest(path=path):
                self.results().keep(FILE, ["one"])
                self.write(path, "// another\n" + TEST)
                self.assertEqual(self.passed_before(), [])

    def test_a_file_that_went_is_missed(self):
        (self.root / "crates/a.rs").unlink()
        self.assertEqual(self.passed_before(), [])

    def test_a_file_that_may_be_run_now_is_another(self):
        (self.root / "crates/a.rs").chmod(0o755)
        self.assertEqual(self.passed_before(), [])

    def test_another_program_and_another_tool_have_proven_nothing(self):
        self.assertEqual(self.passed_before(versions=["node 22"]), [])
        self.program.write_bytes(b"\x7fELF2")
        self.assertEqual(self.passed_before(), [])

    def test_a_result_is_old_after_some_days_and_one_from_the_future_counts_for_nothing(self):
        day = 86400
        for seconds in (kept_results.DAYS * day + 1, -day):
            with self.subTest(seconds=seconds), mock.patch("time.time", lambda now=time.time(): now + seconds):
                self.assertEqual(self.passed_before(), [])

    def test_old_results_are_deleted(self):
        old = self.kept / "0123"
        old.write_text("{}")
        os.utime(old, (1, 1))
        self.results().keep(FILE, ["one"])
        self.assertFalse(old.exists())

    def test_a_torn_result_is_none(self):
        for entry in self.kept.iterdir():
            entry.write_text('{"passed": ["one"')
        self.assertEqual(self.passed_before(), [])


class Ring(Project):
    """The runner of end-to-end files with results that are kept."""

    def variables(self, folder, ring_name):
        return {reports.FOLDER: folder, "RILLCAST_RING": ring_name}

    def run_files(self, passes, ring_name="test"):
        ran = []

        def run_file(file, environment, limit):
            ran.append(file)
            reports.write(file.replace("/", "-"), [reports.Case("one", failure="" if passes else "no")])
            return passes

        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, self.variables(folder, ring_name)):
            queue = mock.Mock(take=mock.Mock(side_effect=[FILE, None]))
            with mock.patch.object(e2e, "run_file", run_file), contextlib.redirect_stdout(io.StringIO()):
                answer = e2e.run_lane([["others"]], queue, {}, self.results())
            return answer, ran, reports.read(folder)

    def test_a_file_runs_once_and_its_tests_are_told_as_kept_afterwards(self):
        self.assertEqual(self.run_files(True), (True, [FILE], [reports.Case("one")]))
        self.assertEqual(self.run_files(True), (True, [], [reports.Case("one", kept=True)]))

    def test_a_file_that_failed_runs_again(self):
        self.assertEqual(self.run_files(False)[:2], (False, [FILE]))
        self.assertEqual(self.run_files(False)[:2], (False, [FILE]))

    def test_the_long_ring_runs_everything_and_what_passes_there_is_spared_afterwards(self):
        for _ in range(2):
            self.assertEqual(self.run_files(True, "all")[:2], (True, [FILE]))
        self.assertEqual(self.run_files(True)[:2], (True, []))

    def test_all_files_run_for_whoever_asks_for_it_or_runs_them_by_hand(self):
        self.assertFalse(e2e.may_spare({"RILLCAST_RING": "test", "RILLCAST_KEPT_RESULTS": "off"}))
        self.assertIsNone(e2e.results_of([], {"RILLCAST_RING": "test"}))
        self.assertIsNone(e2e.results_of([], {reports.FOLDER: "/"}))

    def test_kept_tests_are_not_counted_as_passed(self):
        here = str(pathlib.Path(ring.__file__).parent)
        code = f"import sys; sys.path.insert(0, {here!r}); import reports; "
        code += "reports.write('r', [reports.Case('a', kept=True), reports.Case('b', kept=True)])"
        out = io.BytesIO()
        outcome = ring.run_stage(stages.Stage("s", (stages.PYTHON, "-c", code), 30, tests=True), out)
        self.assertEqual((outcome.passed, outcome.failed, outcome.kept), (0, 0, 2))
        ring.report([outcome], [], 1.0, out)
        self.assertIn(b"2 not run: they passed before with the same inputs", out.getvalue())


class Documents(unittest.TestCase):
    def test_every_document_that_end_to_end_files_name_is_there(self):
        named = set()
        for file in e2e.all_files():
            named |= kept_results.named_by(e2e.FOLDER / file)
        self.assertIn("docs/operations.md", named)
        for document in named:
            self.assertTrue((e2e.ROOT / document).exists(), document)


if __name__ == "__main__":
    unittest.main()
