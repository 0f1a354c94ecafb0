"""The ring is proven by what it must reject: a checker that cannot fail checks nothing."""

import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import e2e
import ring
from counting import COUNTERS
from stages import RINGS, Stage

OK_LINE = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"
CLOSING_LINE = re.compile(r"\d+ passed, \d+ failed")


def python(code):
    return (sys.executable, "-c", code)


def stage(code, name="stage", timeout=30, **options):
    return Stage(name, python(code), timeout, **options)


def run(*stages):
    """Exit code and output lines of a whole run."""
    out = io.BytesIO()
    code = ring.run(list(stages), out)
    return code, out.getvalue().decode("utf-8", "replace").splitlines()


def outcome_of(one_stage):
    return ring.run_stage(one_stage, io.BytesIO())


def counted(runner, *lines):
    counter = COUNTERS[runner]()
    for line in lines:
        counter.feed(line)
    return counter.totals()


def is_alive(pid):
    """Whether the process runs; a zombie nobody collected does not."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def eventually(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


class Judgement(unittest.TestCase):
    def test_a_good_run_ends_in_the_closing_line_and_exits_with_zero(self):
        code, lines = run(stage(f"print({OK_LINE!r})", runner="cargo"))
        self.assertEqual((code, lines[-1]), (0, "2 passed, 0 failed"))

    def test_a_stage_that_exits_with_an_error_fails_the_run(self):
        code, lines = run(stage("raise SystemExit(3)"))
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))
        self.assertTrue(any("FAILED (exit code 3)" in line for line in lines))

    def test_the_last_words_of_a_failed_stage_stand_below_the_table_and_those_of_others_do_not(self):
        failing = stage("[print('word', n) for n in range(99)]; raise SystemExit(3)", name="loud")
        _, lines = run(stage("print('all is well')", name="calm"), failing)
        table = lines.index(next(line for line in lines if line.startswith("total")))
        words = [f"word {n}" for n in range(99 - ring.LAST_LINES, 99)]
        self.assertEqual(lines[table + 1 :], ["-- how loud ended", *words, "0 passed, 1 failed"])

    def test_an_error_exit_counts_although_every_counted_test_passed(self):
        outcome = outcome_of(stage(f"print({OK_LINE!r}); raise SystemExit(101)", runner="cargo"))
        self.assertEqual((outcome.passed, outcome.failed), (2, 1))

    def test_failed_tests_count_although_the_stage_exits_with_zero(self):
        failing = "test result: FAILED. 1 passed; 2 failed; 0 ignored"
        outcome = outcome_of(stage(f"print({failing!r})", runner="cargo"))
        self.assertEqual((outcome.passed, outcome.failed), (1, 2))

    def test_a_stage_that_should_test_but_ran_no_test_fails(self):
        nothing = "test result: ok. 0 passed; 0 failed; 0 ignored"
        for code in (f"print({nothing!r})", "pass"):
            outcome = outcome_of(stage(code, runner="cargo"))
            self.assertEqual((outcome.failed, outcome.reason), (1, "ran no test"))

    def test_garbage_output_is_passed_on_and_counts_nothing(self):
        garbage = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 500)"
        out = io.BytesIO()
        outcome = ring.run_stage(stage(garbage, runner="node"), out)
        self.assertEqual(out.getvalue(), bytes(range(256)) * 500 + b"\n")
        self.assertEqual((outcome.passed, outcome.failed), (0, 1))

    def test_a_verdict_without_a_final_newline_is_read(self):
        code, lines = run(stage(f"print({OK_LINE!r}, end='')", runner="cargo"))
        self.assertEqual((code, lines[-1]), (0, "2 passed, 0 failed"))
        self.assertIn(OK_LINE, lines)

    def test_a_command_that_does_not_exist_fails(self):
        outcome = outcome_of(Stage("missing", ("/nonexistent/program",), 5))
        self.assertEqual(outcome.failed, 1)
        self.assertIn("could not start", outcome.reason)

    def test_a_stage_killed_by_a_signal_says_so(self):
        outcome = outcome_of(stage("import os; os.kill(os.getpid(), 9)"))
        self.assertEqual((outcome.failed, outcome.reason), (1, "killed by signal 9"))

    def test_only_a_stage_that_may_skip_can_skip(self):
        skip = f"raise SystemExit({ring.SKIPPED})"
        self.assertEqual(outcome_of(stage(skip)).failed, 1)
        allowed = outcome_of(stage(skip, may_skip=True))
        self.assertEqual((allowed.failed, allowed.skipped), (0, True))

    def test_a_run_without_a_single_passed_test_is_no_success(self):
        code, _ = run(stage("pass"))
        self.assertEqual(code, 1)


class Order(unittest.TestCase):
    def test_the_stage_after_a_failing_one_still_runs(self):
        code, lines = run(stage("raise SystemExit(1)"), stage(f"print({OK_LINE!r})", runner="cargo"))
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed"))

    def test_nothing_runs_after_a_fatal_failure(self):
        code, lines = run(stage("raise SystemExit(1)", fatal=True), stage("print('reached')", name="later"))
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))
        self.assertNotIn("reached", lines)
        self.assertTrue(any(line.startswith("later") and "not run" in line for line in lines))

    def test_the_closing_line_stands_alone_and_once(self):
        _, lines = run(stage(f"print({OK_LINE!r})", runner="cargo"), stage("raise SystemExit(1)"))
        self.assertEqual([line for line in lines if CLOSING_LINE.fullmatch(line)], lines[-1:])

    def test_a_stage_gets_its_own_environment_and_no_input(self):
        code = "import os, sys; print(os.environ['COLOUR'], repr(sys.stdin.read()))"
        _, lines = run(stage(code, env=(("COLOUR", "green"),)))
        self.assertIn("green ''", lines)


class Timeouts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.pid_file = pathlib.Path(self.folder.name) / "pid"

    def leaves_children(self, then):
        """Code that starts two sleeping children, one in a session of its own, and goes on with `then`."""
        return (
            "import subprocess, sys, time, pathlib\n"
            "sleep = [sys.executable, '-c', 'import time; time.sleep(300)']\n"
            "pids = [subprocess.Popen(sleep, start_new_session=alone).pid for alone in (False, True)]\n"
            f"pathlib.Path({str(self.pid_file)!r}).write_text(' '.join(map(str, pids)) + '.')\n"
            f"{then}\n"
        )

    def assert_children_are_gone(self):
        for child in self.pid_file.read_text().rstrip(".").split():
            self.assertTrue(eventually(lambda: not is_alive(child)), "a child is still alive")

    def test_a_hanging_stage_is_ended_with_its_children(self):
        outcome = outcome_of(stage(self.leaves_children("time.sleep(300)"), timeout=3))
        self.assertEqual((outcome.failed, outcome.reason), (1, "timed out after 3 s"))
        self.assert_children_are_gone()

    def test_a_stage_that_ignores_the_polite_signal_is_killed(self):
        deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf'); time.sleep(300)"
        with mock.patch.object(ring, "GRACE_SECONDS", 0.2):
            outcome = outcome_of(stage(deaf, timeout=1))
        self.assertEqual(outcome.failed, 1)

    def test_a_hanging_stage_may_clean_up_before_it_is_killed(self):
        tidy = (
            "import signal, sys, time, pathlib\n"
            f"def leave(*_): pathlib.Path({str(self.pid_file)!r}).write_text('clean'); sys.exit(1)\n"
            "signal.signal(signal.SIGTERM, leave)\n"
            "time.sleep(300)\n"
        )
        outcome_of(stage(tidy, timeout=3))
        self.assertEqual(self.pid_file.read_text(), "clean")

    def test_a_child_left_in_the_background_does_not_hold_the_run(self):
        outcome = outcome_of(stage(self.leaves_children("print('done')"), timeout=60))
        self.assertEqual((outcome.failed, outcome.reason), (0, ""))
        self.assert_children_are_gone()

    def test_a_stage_that_closes_its_output_is_still_waited_for(self):
        silent = "import os, sys, time; os.close(1); os.close(2); time.sleep(0.3); os._exit(4)"
        self.assertEqual(outcome_of(stage(silent)).reason, "exit code 4")

    def test_an_interrupted_run_takes_its_stage_along(self):
        script = (
            "import sys, signal, ring, stages\n"
            f"ring.RINGS = {{'only': lambda: [stages.Stage('s', (sys.executable, '-c', {self.leaves_children('time.sleep(300)')!r}), 60)]}}\n"
            "sys.exit(ring.main(['only']))\n"
        )
        here = pathlib.Path(ring.__file__).parent
        process = subprocess.Popen(python(script), cwd=here, stdout=subprocess.DEVNULL)
        self.assertTrue(eventually(lambda: self.pid_file.is_file() and self.pid_file.read_text().endswith('.')))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGTERM)
        self.assert_children_are_gone()


class Scratch(unittest.TestCase):
    def setUp(self):
        without = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
        patched = mock.patch.dict(os.environ, without, clear=True)
        patched.start()
        self.addCleanup(patched.stop)

    def test_stages_write_into_memory_where_there_is_enough_and_nothing_stays(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(ring, "MEMORY_WANTED", 1):
            with ring.scratch(folder):
                _, lines = run(stage("import tempfile; print(tempfile.mkdtemp())"))
                self.assertTrue(any(line.startswith(f"{folder}/rillcast-") for line in lines), lines)
                self.assertEqual(os.stat(os.environ["TMPDIR"]).st_mode & 0o777, 0o711, "others find their own folders")
            self.assertEqual(os.listdir(folder), [])
            self.assertNotIn("TMPDIR", os.environ)

    def test_stages_write_where_they_always_do_when_memory_is_short_or_somebody_said_where(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(ring, "MEMORY_WANTED", 1 << 60):
            with ring.scratch(folder):
                self.assertNotIn("TMPDIR", os.environ)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(ring, "MEMORY_WANTED", 1):
            with mock.patch.dict(os.environ, TMPDIR="/said"), ring.scratch(folder):
                self.assertEqual(os.environ["TMPDIR"], "/said")

    def test_a_folder_that_is_not_there_is_no_place(self):
        self.assertFalse(ring.has_room("/nowhere/at/all"))


class Counting(unittest.TestCase):
    def test_cargo_sums_up_all_binaries(self):
        failing = "test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured"
        self.assertEqual(counted("cargo", OK_LINE, failing, "noise" + OK_LINE), (7, 1))

    def test_cargo_counts_no_single_test_line(self):
        self.assertEqual(counted("cargo", "test a ... ok", "running 5 tests", "5 passed; 0 failed"), (0, 0))

    def test_vitest_is_read_through_colours(self):
        coloured = "\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[31m1 failed\x1b[39m\x1b[22m\x1b[2m | \x1b[22m\x1b[32m11 passed\x1b[39m\x1b[90m (12)\x1b[39m"
        self.assertEqual(counted("vitest", coloured), (11, 1))
        self.assertEqual(counted("vitest", "      Tests  12 passed | 1 skipped (13)"), (12, 0))

    def test_vitest_files_and_names_are_not_tests(self):
        lines = (" Test Files  3 passed (3)", "      Tests  no tests", " ✓ Tests 4 passed in a name")
        self.assertEqual(counted("vitest", *lines), (0, 0))

    def test_node_is_read_in_both_reporters(self):
        self.assertEqual(counted("node", "# pass 4", "# fail 1", "# cancelled 2"), (4, 3))
        self.assertEqual(counted("node", "ℹ tests 4", "ℹ pass 4", "ℹ fail 0", "ℹ cancelled 0"), (4, 0))
        self.assertEqual(counted("node", "✔ # pass 4 (1ms)", "# pass around", "    # pass 3"), (0, 0))

    def test_unittest_needs_a_verdict(self):
        self.assertEqual(counted("unittest", "Ran 5 tests in 0.1s"), (0, 0))
        self.assertEqual(counted("unittest", "Ran 5 tests in 0.1s", "", "OK (skipped=2)"), (3, 0))
        self.assertEqual(counted("unittest", "Ran 1 test in 0.1s", "OK"), (1, 0))
        self.assertEqual(counted("unittest", "OK"), (0, 0))

    def test_unittest_failures_and_errors_are_failed(self):
        verdict = "FAILED (failures=1, errors=2, skipped=1)"
        self.assertEqual(counted("unittest", "Ran 6 tests in 0.1s", verdict), (2, 3))

    def test_unittest_without_tests_has_passed_nothing(self):
        self.assertEqual(counted("unittest", "Ran 0 tests in 0.000s", "NO TESTS RAN"), (0, 0))

    def test_pytest_counts_errors_as_failed(self):
        self.assertEqual(counted("pytest", "=== 1 failed, 5 passed, 2 errors in 0.12s ==="), (5, 3))
        self.assertEqual(counted("pytest", "5 passed in 0.12s"), (5, 0))
        self.assertEqual(counted("pytest", "=== no tests ran in 0.01s ==="), (0, 0))

    def test_operations_are_counted_by_the_closing_line_alone(self):
        self.assertEqual(counted("operations", "85 operations passed, 2 failed"), (85, 2))
        self.assertEqual(counted("operations", "  1806 generated, 1806 passed", "✅ 85 passed"), (0, 0))


class Rings(unittest.TestCase):
    def test_timeouts_sum_up_to_less_than_ninety_minutes(self):
        for name, stages in RINGS.items():
            with self.subTest(ring=name):
                self.assertLess(sum(one.timeout for one in stages()), 90 * 60)

    def test_every_runner_is_known_and_every_script_is_there(self):
        for stages in RINGS.values():
            for one in stages():
                self.assertIn(one.runner, ["", *COUNTERS])
                for word in one.command:
                    if word.startswith("scripts/"):
                        self.assertTrue((ring.ROOT / word).is_file() or word == "scripts", word)

    def test_the_binary_under_test_follows_a_moved_target_folder(self):
        with mock.patch.dict(os.environ, {"CARGO_TARGET_DIR": "/elsewhere"}):
            self.assertEqual(e2e.dev_build(), "/elsewhere/debug/rillcast")

    def test_long_end_to_end_tests_wait_for_the_long_ring(self):
        files = ["b.test.mjs", "a.long.test.mjs"]
        self.assertEqual(e2e.chosen(files, is_long_ring=False), ["b.test.mjs"])
        self.assertEqual(e2e.chosen(files, is_long_ring=True), ["a.long.test.mjs", "b.test.mjs"])


if __name__ == "__main__":
    unittest.main()
