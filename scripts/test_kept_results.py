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
import kept_stage
import reports
import ring
import rust_tests
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

    def results(self, versions=("node 20",), ignoring=kept_results.PROSE):
        return kept_results.Results(self.root, [str(self.program)], self.kept, list(versions), ignoring)

    def documents(self, file=FILE):
        return kept_results.named_by(self.root / "e2e" / file)

    def keep(self, names):
        self.results().keep(FILE, self.documents(), names)

    def passed_before(self, **options):
        return self.results(**options).passed_before(FILE, self.documents())


class Results(Project):
    def setUp(self):
        super().setUp()
        self.keep(["one", "two"])

    def test_what_passed_need_not_run_again(self):
        self.assertEqual(self.passed_before(), ["one", "two"])

    def test_another_file_has_not_passed(self):
        self.write("e2e/else.test.mjs", TEST)
        self.assertEqual(self.results().passed_before("else.test.mjs", self.documents("else.test.mjs")), [])

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
                self.keep(["one"])
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
        self.keep(["one"])
        self.assertFalse(old.exists())

    def test_a_torn_result_is_none(self):
        for entry in self.kept.iterdir():
            entry.write_text('{"passed": ["one"')
        self.assertEqual(self.passed_before(), [])


def variables(folder, ring_name):
    return {reports.FOLDER: folder, "RILLCAST_RING": ring_name}


class Ring(Project):
    """The runner of end-to-end files with results that are kept."""

    def run_files(self, passes, ring_name="test"):
        ran = []

        def run_file(file, environment, limit):
            ran.append(file)
            reports.write(file.replace("/", "-"), [reports.Case("one", failure="" if passes else "no")])
            return passes

        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, variables(folder, ring_name)):
            above = mock.patch.object(e2e, "FOLDER", self.root / "e2e")
            queue = mock.Mock(take=mock.Mock(side_effect=[FILE, None]))
            with above, mock.patch.object(e2e, "run_file", run_file), contextlib.redirect_stdout(io.StringIO()):
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
        self.assertFalse(kept_results.may_spare({"RILLCAST_RING": "test", "RILLCAST_KEPT_RESULTS": "off"}))
        self.assertFalse(kept_results.is_ring({"RILLCAST_RING": "test"}))
        self.assertFalse(kept_results.is_ring({reports.FOLDER: "/"}))

    def test_kept_tests_are_not_counted_as_passed(self):
        here = str(pathlib.Path(ring.__file__).parent)
        code = f"import sys; sys.path.insert(0, {here!r}); import reports; "
        code += "reports.write('r', [reports.Case('a', kept=True), reports.Case('b', kept=True)])"
        out = io.BytesIO()
        outcome = ring.run_stage(stages.Stage("s", (stages.PYTHON, "-c", code), 30, tests=True), out)
        self.assertEqual((outcome.passed, outcome.failed, outcome.kept), (0, 0, 2))
        ring.report([outcome], [], 1.0, out)
        self.assertIn(b"2 not run: they passed before with the same inputs", out.getvalue())


class RustRing(Project):
    """The runner of Rust test programs with results that are kept."""

    def setUp(self):
        super().setUp()
        self.write("crates/chat/tests/it/page.rs", 'read("../../docs/guide.md");\n')
        self.built = self.write_program("it-1", "chat it")

    def write_program(self, file, name):
        path = self.root.parent / file
        path.write_bytes(name.encode())
        return rust_tests.Program(name, str(path), str(self.root / "crates" / "chat"))

    def run_programs(self, ring_name="test", failure=""):
        ran = []

        def run_shared(program):
            ran.append(program.name)
            return [reports.Case("one"), reports.Case("two", failure=failure)]

        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, variables(folder, ring_name)):
            results = kept_results.Results(self.root, (), self.kept, ["psql 15"], kept_results.COMPILED_OR_PROSE)
            with mock.patch.object(rust_tests, "run_shared", run_shared), contextlib.redirect_stdout(io.StringIO()):
                with mock.patch.object(rust_tests, "run_alone", lambda program: []):
                    cases = rust_tests.run_programs([self.built], rust_tests.Spared(results))
        return ran, cases

    def test_a_program_runs_once_and_its_tests_are_told_as_kept_afterwards(self):
        self.assertEqual(self.run_programs()[0], ["chat it"])
        kept = [reports.Case("one", kept=True), reports.Case("two", kept=True)]
        self.assertEqual(self.run_programs(), ([], kept))

    def test_a_program_that_failed_runs_again(self):
        for _ in range(2):
            self.assertEqual(self.run_programs(failure="no")[0], ["chat it"])

    def test_other_bytes_and_files_that_it_may_read_have_to_be_tried(self):
        for path in (self.built.path, self.root / "fuzz/corpus/a", self.root / "docs/guide.md"):
            with self.subTest(path=path):
                self.run_programs()
                path = pathlib.Path(path)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("other")
                self.assertEqual(self.run_programs()[0], ["chat it"])

    def test_sources_that_are_not_compiled_into_it_change_nothing(self):
        self.run_programs()
        self.write("crates/a.rs", "fn b() {}\n")
        self.write("docs/other.md", "# Another\n")
        self.assertEqual(self.run_programs()[0], [])

    def test_the_program_that_reads_the_project_always_runs(self):
        self.built = self.write_program("tidy-1", rust_tests.READS_THE_PROJECT)
        for _ in range(2):
            self.assertEqual(self.run_programs()[0], [rust_tests.READS_THE_PROJECT])

    def test_the_long_ring_runs_all_and_what_passes_there_is_spared_afterwards(self):
        for _ in range(2):
            self.assertEqual(self.run_programs("all")[0], ["chat it"])
        self.assertEqual(self.run_programs()[0], [])


class WholeStage(Project):
    """A stage that runs in one piece."""

    def run_stage(self, ring_name="test", failure=""):
        ran = []
        inputs = kept_stage.Inputs(names_documents=("e2e/lib",), sources=("crates",))

        def subprocess_run(command, cwd):
            ran.append(command)
            reports.write("inner", [reports.Case("one"), reports.Case("two", failure=failure)])
            return mock.Mock(returncode=1 if failure else 0)

        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, variables(folder, ring_name)):
            results = self.results(ignoring=kept_results.COMPILED_OR_PROSE)
            runner = mock.patch.object(kept_stage.subprocess, "run", subprocess_run)
            with runner, contextlib.redirect_stdout(io.StringIO()):
                code = kept_stage.run("api", ["st"], self.root, results, inputs)
            return code, len(ran), reports.read(folder)

    def test_a_stage_runs_once_and_its_tests_are_told_as_kept_afterwards(self):
        self.assertEqual(self.run_stage()[:2], (0, 1))
        kept = [reports.Case("one", kept=True), reports.Case("two", kept=True)]
        self.assertEqual(self.run_stage(), (0, 0, kept))

    def test_a_stage_that_failed_runs_again(self):
        for _ in range(2):
            self.assertEqual(self.run_stage(failure="no")[:2], (1, 1))

    def test_other_bytes_of_what_it_runs_or_reads_have_to_be_tried(self):
        for path in ("../program", "docs/guide.md", "crates/a.rs", "e2e/new.mjs"):
            with self.subTest(path=path):
                self.run_stage()
                self.write(path, "// another\n")
                self.assertEqual(self.run_stage()[1], 1)

    def test_prose_changes_nothing(self):
        self.run_stage()
        self.write("docs/other.md", "# Another\n")
        self.assertEqual(self.run_stage()[1], 0)

    def test_the_long_ring_runs_it_and_what_passes_there_is_spared_afterwards(self):
        for _ in range(2):
            self.assertEqual(self.run_stage("all")[1], 1)
        self.assertEqual(self.run_stage()[1], 0)

    def test_every_stage_that_may_be_spared_is_one_of_the_ring(self):
        of_ring = {stage.name for step in stages.test() for stage in ring.stages_of(step)}
        self.assertLessEqual(set(kept_stage.STAGES), of_ring)
        for inputs in kept_stage.STAGES.values():
            for folder in (*inputs.names_documents, *inputs.sources):
                self.assertTrue((e2e.ROOT / folder).is_dir(), folder)


class Documents(unittest.TestCase):
    def test_every_document_that_end_to_end_files_name_is_there(self):
        named = set()
        for file in e2e.all_files():
            named |= kept_results.named_by(e2e.FOLDER / file)
        self.assertIn("docs/operations.md", named)
        named |= kept_results.named_in(e2e.ROOT / "crates" / "server")
        self.assertIn("docs/openapi.json", named)
        for document in named:
            self.assertTrue((e2e.ROOT / document).exists(), document)


if __name__ == "__main__":
    unittest.main()
