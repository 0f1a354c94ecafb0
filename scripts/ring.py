#!/usr/bin/env python3
"""Run one ring of tests: the stages of `stages.py`, in order, each under its own timeout.

Output is passed through as it comes. Every stage ends in one line with its verdict and its seconds,
the run ends in a table, the last words of the stages that failed, and one line `N passed, N failed`.
A failing stage does not hide the next one, except where that cannot work without it (set-up, builds).

Only the standard library is used: this has to run before anything is installed.
"""

import collections
import contextlib
import dataclasses
import os
import pathlib
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from counting import COUNTERS
from stages import RINGS, ROOT

# What a stage that may be left out answers when it left itself out, as in automake's test protocol.
SKIPPED = 77

# Time for a stage to put its own house in order (stop a database, delete its folder) before it is killed.
GRACE_SECONDS = 10.0

# Time to read what an ended stage had still to say; a child it left behind may go on writing for ever.
DRAIN_SECONDS = 2.0

# What is shown again of a failed stage: after half an hour of output nobody should have to look for it.
LAST_LINES = 30

# Marks every process of a stage, so that children which left its process group are found as well.
MARK = "RILLCAST_STAGE_MARK"

# Where scratch files go when nobody said where: thousands of small databases wait for a disk, and some disks take a
# second for what others do in a millisecond.
MEMORY = pathlib.Path("/dev/shm")
MEMORY_WANTED = 6 << 30


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a stage ended. `reason` is empty when all is well."""

    name: str
    seconds: float
    passed: int
    failed: int
    reason: str = ""
    skipped: bool = False
    last_lines: tuple = ()


class Interrupted(Exception):
    """The run was asked to stop; the running stage has been ended."""


def run_stage(stage, out):
    """Run one stage to its end or its timeout and judge it."""
    mark = uuid.uuid4().hex
    env = {**os.environ, **dict(stage.env), MARK: mark}
    counter = COUNTERS[stage.runner]() if stage.runner else None
    ear = Ear(counter)
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            stage.command,
            cwd=ROOT,
            env=env,
            bufsize=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Outcome(stage.name, 0.0, 0, 1, f"could not start: {error}")
    try:
        ended_in_time = pump(process, started + stage.timeout, ear, out)
    finally:
        if process.poll() is None:
            end_group(process)
        end_strays(mark)
        process.stdout.close()
    seconds = time.monotonic() - started
    outcome = judge(stage, process.returncode, ended_in_time, counter, seconds)
    return dataclasses.replace(outcome, last_lines=tuple(ear.last_lines)) if outcome.failed else outcome


class Ear:
    """Hears every line of a stage: counts what it says, and remembers how it ended."""

    def __init__(self, counter):
        self.counter = counter
        self.last_lines = collections.deque(maxlen=LAST_LINES)

    def hear(self, line):
        text = line.decode("utf-8", "replace")
        self.last_lines.append(text)
        if self.counter is not None:
            self.counter.feed(text)


def pump(process, deadline, ear, out):
    """Pass output on until the process ends; False when the deadline came first.

    The end of the process counts, not the end of its output: a child left in the background keeps
    the pipe open for as long as it lives.
    """
    os.set_blocking(process.stdout.fileno(), False)
    unfinished_line = b""
    drained_by = None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            has_ended = process.poll() is not None
            chunk = b""
            if selector.select(timeout=0 if has_ended else 0.1):
                chunk = process.stdout.read(65536) or b""
            out.write(chunk)
            out.flush()
            *lines, unfinished_line = (unfinished_line + chunk).split(b"\n")
            for line in lines:
                ear.hear(line)
            now = time.monotonic()
            if has_ended:
                drained_by = drained_by or now + DRAIN_SECONDS
            is_drained = has_ended and (not chunk or now >= drained_by)
            is_late = not has_ended and now >= deadline
            if is_drained or is_late:
                break
            if not chunk and not has_ended:
                wait_a_moment(process)
    if unfinished_line:
        ear.hear(unfinished_line)
        out.write(b"\n")
    return is_drained


def wait_a_moment(process):
    """Do not spin when the stage has closed its output but still runs."""
    try:
        process.wait(timeout=0.02)
    except subprocess.TimeoutExpired:
        pass


def end_group(process):
    """End the stage's process group: politely, then for good."""
    signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    signal_group(process.pid, signal.SIGKILL)
    process.wait()


def signal_group(pid, number):
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        pass


def end_strays(mark):
    """Kill what the stage left running, also in sessions of its own (browsers do that)."""
    needle = f"{MARK}={mark}".encode()
    for entry in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if needle in entry.read_bytes().split(b"\0"):
                os.kill(int(entry.parent.name), signal.SIGKILL)
        except (OSError, ValueError):
            continue  # gone already, or not ours to see


def judge(stage, code, ended_in_time, counter, seconds):
    """Turn exit code and counts into an outcome; whatever is doubtful is a failure."""
    passed, failed = counter.totals() if counter else (0, 0)
    reason = ""
    if not ended_in_time:
        reason = f"timed out after {stage.timeout:g} s"
    elif code == SKIPPED and stage.may_skip and failed == 0:
        return Outcome(stage.name, seconds, passed, 0, skipped=True)
    elif code != 0:
        reason = f"exit code {code}" if code > 0 else f"killed by signal {-code}"
    elif failed:
        reason = f"{failed} failed"
    elif counter and passed == 0:
        reason = "ran no test"
    if reason:
        failed = max(failed, 1)
    return Outcome(stage.name, seconds, passed, failed, reason)


def run(stages, out):
    """Run all stages; print verdicts, table and totals; answer the exit code."""
    outcomes = []
    not_run = []
    for position, stage in enumerate(stages):
        say(out, f"== {stage.name}")
        outcome = run_stage(stage, out)
        outcomes.append(outcome)
        say(out, f"== {stage.name} {verdict(outcome)} {outcome.seconds:.1f} s")
        if outcome.failed and stage.fatal:
            not_run = [later.name for later in stages[position + 1 :]]
            break
    return report(outcomes, not_run, out)


def verdict(outcome):
    if outcome.skipped:
        return "skipped"
    return f"FAILED ({outcome.reason})" if outcome.failed else "ok"


def report(outcomes, not_run, out):
    """The closing table and the one line that machines read."""
    names = [outcome.name for outcome in outcomes] + not_run + ["stage"]
    width = max(len(name) for name in names)
    say(out, "")
    say(out, f"{'stage':<{width}}  seconds  passed  failed")
    for o in outcomes:
        note = f"  {verdict(o)}" if o.failed or o.skipped else ""
        say(out, f"{o.name:<{width}}  {o.seconds:7.1f}  {o.passed:6}  {o.failed:6}{note}")
    for name in not_run:
        say(out, f"{name:<{width}}        -       -       -  not run")
    passed = sum(o.passed for o in outcomes)
    failed = sum(o.failed for o in outcomes)
    seconds = sum(o.seconds for o in outcomes)
    say(out, f"{'total':<{width}}  {seconds:7.1f}  {passed:6}  {failed:6}")
    for o in outcomes:
        if o.last_lines:
            say(out, f"-- how {o.name} ended")
            for line in o.last_lines:
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
