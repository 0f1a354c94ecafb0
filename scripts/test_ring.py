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
import supervise
from stages import RINGS, Stage

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


def reporting(*failures, seconds=0, then=""):
    """Code of a stage that leaves a report: a case for each, failed where there is a text. `then` follows."""
    cases = [f"reports.Case('test {n}', {seconds}, {why!r})" for n, why in enumerate(failures)]
    here = str(pathlib.Path(ring.__file__).parent)
    return f"import sys; sys.path.insert(0, {here!r}); import reports; reports.write('r', [{', '.join(cases)}])\n{then}"


TWO_PASS = reporting("", "")


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
        code, lines = run(stage(TWO_PASS, tests=True))
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
        outcome = outcome_of(stage(reporting("", "", then="raise SystemExit(101)"), tests=True))
        self.assertEqual((outcome.passed, outcome.failed), (2, 1))

    def test_failed_tests_count_although_the_stage_exits_with_zero(self):
        outcome = outcome_of(stage(reporting("", "no", "no"), tests=True))
        self.assertEqual((outcome.passed, outcome.failed), (1, 2))

    def test_a_stage_that_should_test_but_ran_no_test_fails(self):
        for code in (reporting(), "pass"):
            outcome = outcome_of(stage(code, tests=True))
            self.assertEqual((outcome.failed, outcome.reason), (1, "ran no test"))

    def test_garbage_output_is_passed_on_and_counts_nothing(self):
        garbage = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 500)"
        out = io.BytesIO()
        outcome = ring.run_stage(stage(garbage, tests=True), out)
        self.assertEqual(out.getvalue(), bytes(range(256)) * 500 + b"\n")
        self.assertEqual((outcome.passed, outcome.failed), (0, 1))

    def test_a_last_line_without_an_end_does_not_run_into_the_next(self):
        _, lines = run(stage("print('words', end='')"))
        self.assertIn("words", lines)

    def test_a_torn_report_is_a_failed_test(self):
        torn = "import os, pathlib; pathlib.Path(os.environ['RILLCAST_REPORTS'], 'a.xml').write_text('<testsuite>')"
        outcome = outcome_of(stage(torn, tests=True))
        self.assertEqual((outcome.passed, outcome.failed), (0, 1))

    def test_failed_and_slow_tests_are_named(self):
        _, lines = run(stage(reporting("", "why", seconds=ring.SLOW_SECONDS), tests=True))
        self.assertIn("   failed: test 1", lines)
        self.assertIn(f"   {ring.SLOW_SECONDS:7.1f} s  test 0", lines)

    def test_only_the_ten_slowest_tests_are_named(self):
        _, lines = run(stage(reporting(*[""] * 30, seconds=2), tests=True))
        self.assertEqual(len([line for line in lines if line.startswith("       2.0 s")]), ring.SLOWEST)

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
        code, lines = run(stage("raise SystemExit(1)"), stage(TWO_PASS, tests=True))
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed"))

    def test_nothing_runs_after_a_fatal_failure(self):
        code, lines = run(stage("raise SystemExit(1)", fatal=True), stage("print('reached')", name="later"))
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))
        self.assertNotIn("reached", lines)
        self.assertTrue(any(line.startswith("later") and "not run" in line for line in lines))

    def test_lanes_run_beside_each_other_and_their_stages_in_order(self):
        with tempfile.TemporaryDirectory() as folder:
            # Each waits for what the other lane leaves: in sequence none of them would end.
            wait = (
                "import pathlib, sys, time\n"
                f"here = pathlib.Path({folder!r})\n"
                "def leave(name): (here / name).touch()\n"
                "def wait(name):\n"
                "    while not (here / name).exists(): time.sleep(0.01)\n"
            )
            first = stage(wait + "leave('a'); wait('b'); print('first')", name="first")
            second = stage(wait + "wait('a'); leave('b'); print('second')", name="second")
            third = stage(wait + "print('third'); assert (here / 'b').exists()", name="third")
            _, lines = run(([first], [second, third]), stage(TWO_PASS, tests=True))
        self.assertEqual(lines[-1], "2 passed, 0 failed")
        self.assertLess(lines.index("second"), lines.index("third"))

    def test_what_a_lane_beside_another_says_comes_in_one_piece(self):
        talk = "import sys, time\nfor n in range(20): print('LANE', n, flush=True); time.sleep(0.01)"
        _, lines = run(([stage(talk.replace("LANE", "a"))], [stage(talk.replace("LANE", "b"), name="quiet")]))
        at = lines.index("== quiet")
        self.assertEqual(lines[at + 1 : at + 21], [f"b {n}" for n in range(20)])

    def test_a_fatal_failure_in_a_lane_ends_the_run_after_the_step(self):
        code, lines = run(([stage("pass")], [stage("raise SystemExit(1)", fatal=True)]), stage("print('reached')"))
        self.assertEqual(code, 1)
        self.assertNotIn("reached", lines)

    def test_the_closing_line_stands_alone_and_once(self):
        _, lines = run(stage(TWO_PASS, tests=True), stage("raise SystemExit(1)"))
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
        ended = supervise.run(python(deaf), 1, lambda _: None, grace=0.2)
        self.assertEqual((ended.in_time, ended.code), (False, -signal.SIGKILL))

    def test_processor_time_of_orphans_is_counted(self):
        burn = "import time\nwhile time.process_time() < 0.5: pass"
        orphan = (
            "import subprocess, sys, time\n"
            f"child = subprocess.Popen([sys.executable, '-c', {burn!r}], start_new_session=True)\n"
            "time.sleep(2)\n"
            "import os; os._exit(0)\n"
        )
        ended = supervise.run(python(orphan), 30, lambda _: None)
        self.assertEqual(ended.code, 0)
        self.assertGreater(ended.cpu_seconds, 0.4)

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

    def interrupt(self, steps):
        """The exit code of a run of these steps that is told to stop once there are children."""
        script = (
            "import sys, ring, stages\n"
            "def stage(code): return stages.Stage('s', (sys.executable, '-c', code), 60)\n"
            f"ring.RINGS = {{'only': lambda: [{steps}]}}\n"
            "sys.exit(ring.main(['only']))\n"
        )
        here = pathlib.Path(ring.__file__).parent
        process = subprocess.Popen(python(script), cwd=here, stdout=subprocess.DEVNULL)
        self.assertTrue(eventually(lambda: self.pid_file.is_file() and self.pid_file.read_text().endswith(".")))
        process.send_signal(signal.SIGTERM)
        return process.wait(timeout=30)

    def test_an_interrupted_run_takes_its_stage_along(self):
        self.assertEqual(self.interrupt(f"stage({self.leaves_children('time.sleep(300)')!r})"), 128 + signal.SIGTERM)
        self.assert_children_are_gone()

    def test_an_interrupted_run_takes_the_stages_of_all_lanes_along_and_begins_none(self):
        reached = pathlib.Path(self.folder.name) / "reached"
        hangs = f"stage({self.leaves_children('time.sleep(300)')!r})"
        touches = f"import time, pathlib; time.sleep(1); pathlib.Path({str(reached)!r}).touch()"
        later = f"stage({touches!r})"
        self.assertEqual(self.interrupt(f"([{hangs}], [stage('import time; time.sleep(300)'), {later}])"), 128 + signal.SIGTERM)
        self.assert_children_are_gone()
        self.assertFalse(reached.exists())


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


def all_stages(steps):
    return [one for step in steps for one in ring.stages_of(step)]


class Rings(unittest.TestCase):
    def test_every_script_is_there(self):
        for steps in RINGS.values():
            for one in all_stages(steps()):
                for word in one.command:
                    if word.startswith("scripts/"):
                        self.assertTrue((ring.ROOT / word).is_file(), word)

    def test_no_two_stages_share_a_name(self):
        for steps in RINGS.values():
            names = [one.name for one in all_stages(steps())]
            self.assertEqual(len(names), len(set(names)))

    def test_the_binary_under_test_follows_a_moved_target_folder(self):
        with mock.patch.dict(os.environ, {"CARGO_TARGET_DIR": "/elsewhere"}):
            self.assertEqual(e2e.dev_build(), "/elsewhere/debug/rillcast")

    def test_long_end_to_end_tests_wait_for_the_long_ring(self):
        files = ["b.test.mjs", "a.long.test.mjs"]
        self.assertEqual(e2e.chosen(files, is_long_ring=False), ["b.test.mjs"])
        self.assertEqual(e2e.chosen(files, is_long_ring=True), ["a.long.test.mjs", "b.test.mjs"])

    def test_every_end_to_end_file_is_taken_by_one_lane(self):
        queue = e2e.Queue(e2e.all_files())
        taken = {}
        for lane, workers in e2e.LANES.items():
            for kinds in workers:
                while file := queue.take(kinds):
                    taken.setdefault(lane, []).append(file)
        self.assertEqual(queue.files, [])
        self.assertEqual(set(taken), set(e2e.LANES))
        self.assertIn("federation/pages.test.mjs", taken["browsers"], "its browser is begun by a library")

    def test_a_worker_takes_what_it_prefers_first_and_nothing_of_other_kinds(self):
        kinds = {"a": "pages", "b": "watching", "c": "encoding"}
        with mock.patch.object(e2e, "kind_of", kinds.get), mock.patch.object(e2e, "size_of", lambda _: 0):
            queue = e2e.Queue(kinds)
            self.assertEqual([queue.take(["watching", "pages"]) for _ in range(3)], ["b", "a", None])
            self.assertEqual(queue.files, ["c"])


if __name__ == "__main__":
    unittest.main()
