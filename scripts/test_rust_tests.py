"""What a Rust test program says is read to the letter, and what it does not say counts against it."""

import json
import pathlib
import tempfile
import unittest
from unittest import mock

import reports
import rust_tests


def event(kind, what, **more):
    return json.dumps({"type": kind, "event": what, **more})


def judged(*lines, reason=""):
    verdicts = rust_tests.Verdicts()
    for line in lines:
        verdicts.take(line)
    return verdicts.judged(reason)


OVER = event("suite", "ok")


class Reading(unittest.TestCase):
    def test_each_test_is_a_case_with_its_time(self):
        lines = (event("test", "started", name="a"), event("test", "ok", name="a", exec_time=1.5), OVER)
        self.assertEqual(judged(*lines), [reports.Case("a", 1.5)])

    def test_a_failed_test_brings_what_it_said(self):
        lines = (event("test", "failed", name="a", exec_time=0.1, stdout="assertion failed"), event("suite", "failed"))
        self.assertEqual(judged(*lines, reason="exit code 101"), [reports.Case("a", 0.1, "assertion failed")])

    def test_an_ignored_test_has_not_passed(self):
        self.assertFalse(judged(event("test", "ignored", name="a"), OVER)[0].passed)

    def test_a_test_that_never_ended_failed(self):
        cases = judged(event("test", "started", name="a"), reason="timed out after 5 s")
        self.assertIn(reports.Case("a", failure="timed out after 5 s"), cases)

    def test_a_program_without_a_verdict_failed(self):
        for lines in ((), ("words",), (event("test", "ok", name="a", exec_time=0),)):
            self.assertTrue(judged(*lines)[-1].failure)

    def test_an_error_exit_counts_although_every_test_passed(self):
        cases = judged(event("test", "ok", name="a", exec_time=0), OVER, reason="exit code 1")
        self.assertEqual([bool(case.failure) for case in cases], [False, True])

    def test_events_are_found_behind_and_before_words_that_children_write(self):
        passed = event("test", "ok", name="a", exec_time=0)
        cases = judged("ffmpeg says " + passed + " and more", '{ "type": broken', '{"type": "song"}', OVER)
        self.assertEqual(cases, [reports.Case("a")])

    def test_examples_in_documentation_are_counted(self):
        said = (
            "running 3 tests\n"
            "test crates/a/src/lib.rs - one (line 3) ... ok\n"
            "test crates/a/src/lib.rs - two (line 9) - compile fail ... FAILED\n"
            "test crates/a/src/lib.rs - three (line 12) ... ignored\n"
        )
        self.assertEqual([case.passed for case in rust_tests.doc_cases(said)], [True, False, False])


class Programs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def program(self, text):
        path = self.folder / "program"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return rust_tests.Program("crate it", str(path), str(self.folder))

    def test_tests_in_a_module_named_alone_are_kept_apart(self):
        names = ["alone::a", "b::alone::c", "standalone::d", "alone", "e"]
        listing = "".join(f"echo '{name}: test'\n" for name in names) + "echo 'f: benchmark'"
        shared, alone = rust_tests.tests_of(self.program(listing))
        self.assertEqual((shared, alone), (["standalone::d", "alone", "e"], ["alone::a", "b::alone::c"]))

    def test_only_named_tests_run_and_with_the_threads_asked_for(self):
        said = self.folder / "said"
        program = self.program(f"echo \"$@\" >{said}\necho '{OVER}'")
        with mock.patch.object(rust_tests, "tell"):
            self.assertEqual(rust_tests.run_tests(program, ["a", "b"], 3), [])
            self.assertEqual(rust_tests.run_tests(program, [], 3), [])
        self.assertTrue(said.read_text().endswith("--test-threads=3 --exact a b\n"))

    def test_a_program_that_cannot_be_started_is_a_failed_test_and_takes_no_other_along(self):
        missing = rust_tests.Program("crate it", str(self.folder / "nowhere"), str(self.folder))
        with mock.patch("builtins.print"):
            cases = rust_tests.run_shared(missing)
        self.assertEqual([case.name for case in cases], ["crate it: the program itself"])
        self.assertTrue(cases[0].failure)

    def test_programs_are_those_cargo_built_for_tests(self):
        def artifact(name, is_test, executable):
            (self.folder / name).touch()
            return json.dumps(
                {
                    "reason": "compiler-artifact",
                    "manifest_path": str(self.folder / "crates" / "chat" / "Cargo.toml"),
                    "target": {"name": name},
                    "profile": {"test": is_test},
                    "executable": str(self.folder / name) if executable else None,
                }
            )

        messages = [artifact("it", True, True), artifact("bin", False, True), artifact("lib", True, False)]
        found = rust_tests.programs_in([*messages, '{"reason": "build-finished", "success": true}'])
        self.assertEqual([program.name for program in found], ["chat it"])


if __name__ == "__main__":
    unittest.main()
