"""`make build` says what it does, what failed and what to do, and little when there is nothing to do."""

import io
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import build


def python(code):
    return (sys.executable, "-c", code)


def step(code, name="a step", **options):
    return build.Step(name, python(code), "a moment", "Try again.", **options)


def say(*lines, then=""):
    """Code of a tool that says something on standard error."""
    return f"import sys, time; sys.stderr.write({''.join(lines)!r}); sys.stderr.flush(); {then or 'pass'}"


def run(*groups):
    """Exit code and lines of a build of these steps, as if it took no time."""
    out = io.StringIO()
    code = build.build([list(group) for group in groups], out)
    return code, re.sub(r"\b\d+ s\b", "0 s", out.getvalue()).splitlines()


BAR = "    Building [===>    ] {}/9: a, b     \r"


class Lines(unittest.TestCase):
    def test_a_step_has_a_line_before_and_a_line_after(self):
        code, lines = run([step(say("compiling it\n"), name="the pages")])
        self.assertEqual(code, 0)
        self.assertEqual(lines, ["[1/1] the pages · usually a moment", "[1/1] the pages: done in 0 s"])

    def test_a_step_with_nothing_to_do_takes_one_line(self):
        _, lines = run([step("pass", name="idle")], [step(say("work\n"), name="busy")])
        self.assertEqual(lines[0], "[1/2] idle: already there")
        self.assertEqual(lines[1:], ["[2/2] busy · usually a moment", "[2/2] busy: done in 0 s"])

    def test_a_build_with_nothing_to_do_takes_one_line(self):
        fresh = step(say("    Finished `dev` profile in 0.1s\n"), name="cargo", shows_progress=True)
        self.assertEqual(run([step("pass"), step("pass", name="b")], [fresh]), (0, ["everything is built already"]))

    def test_what_a_tool_answers_to_scripts_is_no_work(self):
        self.assertEqual(run([step("print('/path')", prints_result=True)]), (0, ["everything is built already"]))

    def test_numbers_rise_whatever_begins_first(self):
        late = step("import time; time.sleep(0.3); " + say("late\n"), name="late")
        _, lines = run([late, step(say("early\n"), name="early")])
        self.assertTrue(lines[0].startswith("[1/2] early"), lines)
        self.assertTrue(lines[-1].startswith("[2/2] late"), lines)

    def test_a_long_time_is_said_in_minutes(self):
        self.assertEqual([build.duration(s) for s in (0.2, 59.4, 61, 3600)], ["0 s", "59 s", "1 min 1 s", "60 min 0 s"])


class Failing(unittest.TestCase):
    def test_a_failing_step_is_named_with_its_output_and_advice(self):
        code, lines = run([step(say("no such crate\n", then="sys.exit(7)"), name="the server")], [step(say("later\n"))])
        self.assertEqual(code, 1)
        self.assertEqual(lines[1:], ["no such crate", "[1/2] the server: FAILED after 0 s (exit code 7)", "Try again."])

    def test_what_a_tool_printed_on_either_output_is_shown(self):
        _, lines = run([step("print('types are wrong'); raise SystemExit(2)")])
        self.assertIn("types are wrong", lines)

    def test_progress_is_no_part_of_what_is_shown(self):
        _, lines = run([step(say(BAR.format(1), "error: wrong\n", then="sys.exit(1)"), shows_progress=True)])
        self.assertIn("error: wrong", lines)
        self.assertNotIn("Building", "".join(lines))

    def test_a_program_that_is_missing_is_a_failure(self):
        missing = build.Step("the pages", ("/nonexistent/npm",), "a moment", "Install it.")
        code, lines = run([missing])
        self.assertEqual((code, lines[-1]), (1, "Install it."))
        self.assertIn("could not start", lines[0])

    def test_steps_beside_a_failing_one_are_ended_and_not_blamed(self):
        begun = time.monotonic()
        code, lines = run([step("import time; time.sleep(60)", name="slow"), step("raise SystemExit(1)", name="bad")])
        self.assertLess(time.monotonic() - begun, 30)
        self.assertEqual(code, 1)
        self.assertNotIn("slow", "".join(lines))

    def test_a_program_left_running_does_not_hold_the_build(self):
        left = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(40)'])"
        begun = time.monotonic()
        self.assertEqual(run([step(f"import subprocess, sys; {left}")])[0], 0)
        self.assertLess(time.monotonic() - begun, 30)


class Progress(unittest.TestCase):
    def test_a_log_hears_how_far_cargo_is(self):
        slow = say("   Compiling a v1\n", BAR.format(4), then="time.sleep(0.5)")
        with mock.patch.object(build, "LOG_SECONDS", 0.2), mock.patch.object(build, "LOOK_SECONDS", 0.05):
            _, lines = run([step(slow, name="cargo", shows_progress=True)])
        self.assertRegex("\n".join(lines), r"\[1/1\] cargo: 4 of 9 parts after \d+ s")

    def test_a_log_hears_why_cargo_waits(self):
        slow = say("    Blocking waiting for file lock\n", then="time.sleep(0.5)")
        with mock.patch.object(build, "LOG_SECONDS", 0.2), mock.patch.object(build, "LOOK_SECONDS", 0.05):
            _, lines = run([step(slow, name="cargo", shows_progress=True)])
        self.assertRegex("\n".join(lines), r"\[1/1\] cargo: Blocking waiting for file lock after \d+ s")

    def test_a_terminal_shows_progress_in_place(self):
        controller, terminal = pty.openpty()
        self.addCleanup(os.close, controller)
        with os.fdopen(terminal, "w") as out:
            build.build([[step(say(BAR.format(4), BAR.format(5)), name="cargo", shows_progress=True)]], out)
            shown = ""
            # A terminal hands out what was written piece by piece.
            while not re.search(r"done in \d+ s\s*$", shown):
                shown += os.read(controller, 65536).decode()
        self.assertIn("Building [===>    ] 4/9: a, b\r\x1b[KBuilding [===>    ] 5/9", shown)
        self.assertRegex(shown.rpartition("\x1b[K")[2].strip(), r"^\[1/1\] cargo: done in \d+ s$")

    def test_real_cargo_tells_a_pipe_how_far_it_is(self):
        environment = dict(build.cargo_output())
        self.assertEqual(environment["CARGO_TERM_PROGRESS_WHEN"], "always")
        with tempfile.TemporaryDirectory() as folder:
            crate = pathlib.Path(folder)
            (crate / "src").mkdir()
            (crate / "Cargo.toml").write_text('[package]\nname = "a"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n')
            (crate / "src" / "lib.rs").write_text("")
            (crate / "build.rs").write_text("fn main() { std::thread::sleep(std::time::Duration::from_millis(900)) }")
            flags = ("--offline", "--manifest-path", str(crate / "Cargo.toml"), "--target-dir", str(crate / "target"))
            compile_it = build.Step("a", ("cargo", "build", *flags), "", "", env=tuple(environment.items()), shows_progress=True)
            with mock.patch.object(build, "LOG_SECONDS", 0.1), mock.patch.object(build, "LOOK_SECONDS", 0.05):
                code, lines = run([compile_it])
            self.assertEqual(code, 0)
            self.assertTrue(any("of 3 parts" in line for line in lines), lines)
            self.assertEqual(run([compile_it]), (0, ["everything is built already"]))


class Interrupting(unittest.TestCase):
    def test_a_build_that_is_interrupted_ends_quietly_with_all_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = pathlib.Path(folder) / "pid"
            tool = (
                "import os, pathlib, signal, sys, time\n"
                f"mark = pathlib.Path({str(mark)!r})\n"
                "signal.signal(signal.SIGTERM, lambda *_: sys.exit(mark.with_name('tidy').touch()))\n"
                "mark.write_text(str(os.getpid()) + '.')\n"
                "time.sleep(60)\n"
            )
            script = (
                "import sys, build\n"
                f"slow = build.Step('slow', (sys.executable, '-c', {tool!r}), '', '')\n"
                "build.parts, build.crates, build.server = lambda: [], lambda: slow, lambda: slow\n"
                "sys.exit(build.main([]))\n"
            )
            here = pathlib.Path(build.__file__).parent
            process = subprocess.Popen(python(script), cwd=here, stderr=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 10
            while not (mark.is_file() and mark.read_text().endswith(".")) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=10)
            self.assertEqual((process.returncode, said), (128 + signal.SIGINT, ""))
            self.assertTrue(mark.with_name("tidy").exists(), "it was asked before it was killed")
            self.assertFalse(pathlib.Path("/proc", mark.read_text().rstrip(".")).exists())

    def test_a_tool_that_does_not_listen_is_killed(self):
        deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + say("deaf\n", then="time.sleep(60)")
        out, processes = io.StringIO(), build.Processes()
        screen = build.Screen(out, 1)
        with mock.patch.object(build, "GRACE_SECONDS", 0.2):
            thread = threading.Thread(target=build.run, args=(step(deaf), screen, processes))
            thread.start()
            while "usually" not in out.getvalue():
                time.sleep(0.02)
            processes.end_all()
            thread.join(10)
        self.assertFalse(thread.is_alive())


class Steps(unittest.TestCase):
    def test_every_script_is_there(self):
        for one in (*build.parts(), build.crates(), build.server()):
            for word in one.command:
                if word.startswith("scripts/"):
                    self.assertTrue((build.ROOT / word).is_file(), word)

    def test_the_server_is_told_where_the_engine_is(self):
        self.assertIn("RILLCAST_ENGINE", dict(build.server().env))


if __name__ == "__main__":
    unittest.main()
