#!/usr/bin/env python3
"""Run one ring of tests: the steps of `stages.py`, in order, each stage under its own limit.

Output is passed through as it comes; of stages that run beside others it comes in one piece when they end. Every stage
ends in its slowest tests and one line with its verdict and its seconds, the run ends in a table, the last words of the
stages that failed, and one line `N passed, N failed`. A failing stage does not hide the next one, except where that
cannot work without it (set-up, builds).

Only the standard library is used: this has to run before anything is installed.
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import io
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

import reports
import supervise
from stages import RINGS, ROOT

# What a stage that may be left out answers when it left itself out, as in automake's test protocol.
SKIPPED = 77

# What is shown again of a failed stage: after half an hour of output nobody should have to look for it.
LAST_LINES = 30

# How many of a stage's slowest tests are named, if they took long enough to matter.
SLOWEST = 10
SLOW_SECONDS = 1.0

# Where scratch files go when nobody said where: thousands of small databases wait for a disk, and some disks take a
# second for what others do in a millisecond.
MEMORY = pathlib.Path("/dev/shm")
MEMORY_WANTED = 6 << 30


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a stage ended. `reason` is empty when all is well."""

    name: str
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    passed: int = 0
    failed: int = 0
    kept: int = 0  # tests that passed before with the same inputs, and did not run
    reason: str = ""
    skipped: bool = False
    fatal: bool = False
    cases: tuple = ()
    last_lines: tuple = ()


class Interrupted(Exception):
    """The run was asked to stop; the running stages have been ended."""


def run_stage(stage, out):
    """Run one stage to its end or its limit and judge it."""
    last_lines = collections.deque(maxlen=LAST_LINES)
    hear_lines, finish = supervise.lines(last_lines.append)
    ends_in_newline = True

    def hear(chunk):
        nonlocal ends_in_newline
        ends_in_newline = chunk.endswith(b"\n")
        out.write(chunk)
        out.flush()
        hear_lines(chunk)

    with tempfile.TemporaryDirectory(prefix="rillcast-reports-") as folder:
        env = {**os.environ, **dict(stage.env), reports.FOLDER: folder}
        try:
            ended = supervise.run(stage.command, stage.timeout, hear, cwd=ROOT, env=env)
        except supervise.NotStarted as error:
            return Outcome(stage.name, failed=1, reason=f"could not start: {error}", fatal=stage.fatal)
        cases = reports.read(folder)
    finish()
    if not ends_in_newline:
        out.write(b"\n")
    outcome = judge(stage, ended, cases)
    return dataclasses.replace(outcome, last_lines=tuple(last_lines)) if outcome.failed else outcome


def judge(stage, ended, cases):
    """Turn the end and the reports into an outcome; whatever is doubtful is a failure."""
    passed = sum(case.passed for case in cases)
    failed = sum(bool(case.failure) for case in cases)
    kept = sum(case.kept for case in cases)
    times = (ended.seconds, ended.cpu_seconds)
    known = Outcome(stage.name, *times, passed, failed, kept, fatal=stage.fatal, cases=tuple(cases))
    if ended.code == SKIPPED and stage.may_skip and ended.in_time and not failed:
        return dataclasses.replace(known, skipped=True)
    reason = ended.reason(stage.timeout)
    if not reason and failed:
        reason = f"{failed} failed"
    if not reason and stage.tests and not passed and not kept:
        reason = "ran no test"
    return dataclasses.replace(known, reason=reason, failed=max(failed, 1)) if reason else known


def run(steps, out):
    """Run all steps; print verdicts, table and totals; answer the exit code."""
    started = time.monotonic()
    outcomes = []
    not_run = []
    for position, step in enumerate(steps):
        outcomes += run_step(step, out)
        if any(outcome.failed and outcome.fatal for outcome in outcomes):
            not_run = [stage.name for later in steps[position + 1 :] for stage in stages_of(later)]
            break
    return report(outcomes, not_run, time.monotonic() - started, out)


def stages_of(step):
    """The stages of a step: one, or those of all its lanes."""
    return [stage for lane in step for stage in lane] if isinstance(step, tuple) else [step]


def run_step(step, out):
    """A stage, or a tuple of lanes: lists of stages that run in order, each list beside the others."""
    if not isinstance(step, tuple):
        return [tell(step, out, threading.Lock(), is_live=True)]
    lock = threading.Lock()

    def run_lane(number):
        return [tell(stage, out, lock, is_live=number == 0) for stage in step[number]]

    with concurrent.futures.ThreadPoolExecutor(len(step)) as pool:
        try:
            return [outcome for lane in pool.map(run_lane, range(len(step))) for outcome in lane]
        except Interrupted:
            supervise.end_all()
            raise


class Turns:
    """An output that several lanes write to: never in the middle of another's piece."""

    def __init__(self, out, lock):
        self.out = out
        self.lock = lock

    def write(self, chunk):
        with self.lock:
            self.out.write(chunk)

    def flush(self):
        with self.lock:
            self.out.flush()


def tell(stage, out, lock, is_live):
    """Run a stage and say all about it; at once, or in one piece at its end."""
    piece = Turns(out, lock) if is_live else io.BytesIO()
    say(piece, f"== {stage.name}")
    outcome = run_stage(stage, piece)
    for line in slowest(outcome.cases):
        say(piece, line)
    for case in outcome.cases:
        if case.failure:
            say(piece, f"   failed: {case.name}")
    say(piece, f"== {stage.name} {verdict(outcome)} {outcome.seconds:.1f} s, of processors {outcome.cpu_seconds:.1f} s")
    if not is_live:
        with lock:
            out.write(piece.getvalue())
            out.flush()
    return outcome


def slowest(cases):
    slow = sorted((case for case in cases if case.seconds >= SLOW_SECONDS), key=lambda case: -case.seconds)[:SLOWEST]
    return ["   slowest tests:", *(f"   {case.seconds:7.1f} s  {case.name}" for case in slow)] if slow else []


def verdict(outcome):
    if outcome.skipped:
        return "skipped"
    return f"FAILED ({outcome.reason})" if outcome.failed else "ok"


def report(outcomes, not_run, seconds, out):
    """The closing table and the one line that machines read."""
    names = [outcome.name for outcome in outcomes] + not_run + ["stage"]
    width = max(len(name) for name in names)
    say(out, "")
    say(out, f"{'stage':<{width}}  seconds  of processors  passed  failed")
    for o in outcomes:
        note = f"  {verdict(o)}" if o.failed or o.skipped else ""
        note += f"  {o.kept} not run: they passed before with the same inputs" if o.kept else ""
        say(out, f"{o.name:<{width}}  {o.seconds:7.1f}  {o.cpu_seconds:13.1f}  {o.passed:6}  {o.failed:6}{note}")
    for name in not_run:
        say(out, f"{name:<{width}}        -              -       -       -  not run")
    passed = sum(o.passed for o in outcomes)
    failed = sum(o.failed for o in outcomes)
    cpu_seconds = sum(o.cpu_seconds for o in outcomes)
    say(out, f"{'total':<{width}}  {seconds:7.1f}  {cpu_seconds:13.1f}  {passed:6}  {failed:6}")
    for o in outcomes:
        if o.last_lines:
            say(out, f"-- how {o.name} ended")
            for line in [f"failed: {case.name}" for case in o.cases if case.failure] + list(o.last_lines):
                say(out, line)
    say(out, f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def has_room(folder):
    """Whether the folder can take what tests write, and run the programs among it."""
    try:
        seen = os.statvfs(folder)
        info = pathlib.Path("/proc/meminfo").read_text()
    except OSError:
        return False
    lines = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)
    available = int(lines.get("MemAvailable", "0 kB").split()[0]) << 10
    free = min(available, seen.f_bavail * seen.f_frsize)
    return free >= MEMORY_WANTED and not seen.f_flag & os.ST_NOEXEC and os.access(folder, os.W_OK)


@contextlib.contextmanager
def scratch(folder=MEMORY):
    """Scratch files of every stage lie in memory where there is enough, and are gone afterwards."""
    if "TMPDIR" in os.environ or not has_room(folder):
        yield
        return
    path = tempfile.mkdtemp(prefix="rillcast-", dir=folder)
    # A database that is started by root runs as somebody else, and has to get to its own folder.
    os.chmod(path, 0o711)
    os.environ["TMPDIR"] = path
    try:
        yield
    finally:
        del os.environ["TMPDIR"]
        shutil.rmtree(path, ignore_errors=True)


def say(out, line):
    out.write(line.encode() + b"\n")
    out.flush()


def stop(number, _frame):
    raise Interrupted(number)


def main(arguments):
    if len(arguments) != 1 or arguments[0] not in RINGS:
        sys.exit(f"usage: ring.py {' | '.join(RINGS)}")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        with scratch():
            return run(RINGS[arguments[0]](), sys.stdout.buffer)
    except Interrupted as interrupted:
        return 128 + interrupted.args[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
