#!/usr/bin/env python3
"""What `make build` does, step by step, with a line before and after each.

    scripts/build.py              the server that `make run` and the tests use
    scripts/build.py --release    the one that is shipped and measured

A step is announced when its tool first says something: a tool that ends without a word had nothing to do. What tools
say is shown only if they fail, except for cargo's progress. That is drawn in place on a terminal; elsewhere there is a
line every half minute, so that a log is not silent for minutes.

Only the standard library is used: this has to run before anything is installed.
"""

import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time

import engine
from stages import cargo

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = sys.executable or "python3"

# How often a log hears of a step that shows its progress.
LOG_SECONDS = 30.0

# How often a silent tool is looked at: whether it ended, or a line for the log is due.
LOOK_SECONDS = 0.5

# Time for a tool to end when it is asked to.
GRACE_SECONDS = 5.0

# What is shown of a tool that failed.
LAST_LINES = 60

COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
CARGO_BAR = re.compile(r"\[[=> ]*\] (\d+)/(\d+)")


@dataclasses.dataclass(frozen=True)
class Step:
    """One tool, what it makes, and what to tell a person about it."""

    name: str
    command: tuple
    usually: str
    advice: str  # what to do when it failed
    env: tuple = ()  # pairs, added to the environment
    prints_result: bool = False  # its standard output is an answer for scripts, and says nothing about work
    shows_progress: bool = False


# With a test among the targets, cargo chooses the features that all tests need too. So `make test` compiles nothing again
# that `make run` has compiled, and the other way round. This one is small, and reaches half of the crates.
SHARED_TEST = ("--workspace", "--test", "address")


def parts():
    """What the server is made of. These need nothing of each other and run at the same time."""
    return [
        Step(
            "the pages (npm)",
            (PYTHON, "scripts/npm.py", "build", "ui"),
            "a minute",
            "If packages could not be fetched, is this machine online? `rm -rf ui/node_modules` makes npm start over.",
        ),
        Step(
            "the engine of plugins",
            (PYTHON, "scripts/engine.py", "build"),
            "two minutes",
            "If packages could not be fetched, is this machine online? `python3 scripts/engine.py build` tries it alone.",
            prints_result=True,
        ),
        Step(
            "the plugin SDK",
            (PYTHON, "scripts/wheel.py"),
            "half a minute",
            "If packages could not be fetched, is this machine online? `python3 scripts/wheel.py` tries it alone.",
            prints_result=True,
        ),
    ]


def crates():
    """Crates that need neither pages nor engine: compiled while these are made, which leaves a core idle."""
    return dataclasses.replace(
        server(),
        name="the first crates (cargo)",
        command=cargo("build", *SHARED_TEST),
        usually="four minutes the first time on two cores",
    )


def server():
    """The program. It embeds the pages and the engine, so they have to be there."""
    return Step(
        "the server (cargo)",
        cargo("build", *SHARED_TEST, "--bin", "rillcast"),
        "five minutes the first time on two cores, a minute and a half after a change",
        "The compiler's message is above. If crates could not be fetched, is this machine online? If it was killed, there "
        "was too little memory: `CARGO_BUILD_JOBS=1 make build`.",
        env=(*engine.build_variables(), *cargo_output()),
        shows_progress=True,
    )


def release():
    """The program as it is shipped: the same sources in the release profile, without what only tests need."""
    return dataclasses.replace(
        server(),
        name="the server for a release (cargo)",
        command=cargo("build", "--release", "--package", "server", "--bin", "rillcast"),
        usually="a quarter of an hour the first time on two cores, minutes after a change",
    )


def cargo_output():
    """Cargo tells a pipe what it tells a terminal, so that it can be counted."""
    columns = shutil.get_terminal_size().columns
    colour = "always" if sys.stderr.isatty() else "never"
    progress = (("CARGO_TERM_PROGRESS_WHEN", "always"), ("CARGO_TERM_PROGRESS_WIDTH", str(columns)))
    return (("CARGO_TERM_QUIET", "false"), ("CARGO_TERM_COLOR", colour), *progress)


class Failed(Exception):
    """A step failed; all is said about it."""


class Interrupted(Exception):
    """Somebody asked for the end; the number of the signal."""


class Screen:
    """Lines for a person, numbered in the order in which steps are first spoken of."""

    def __init__(self, out, total):
        self.out = out
        self.total = total
        self.is_terminal = out.isatty()
        self.lock = threading.RLock()
        self.numbers = {}
        self.idle = []
        self.has_status = False

    def announce(self, step):
        with self.lock:
            self.say_idle()
            self.line(f"{self.number(step)} {step.name} · usually {step.usually}")

    def tell(self, step, what):
        with self.lock:
            self.line(f"{self.number(step)} {step.name}: {what}")

    def nothing_to_do(self, step):
        """Held back until something else is said: a line for each is too much when there is nothing else."""
        with self.lock:
            self.idle.append(step)

    def say_idle(self):
        idle, self.idle = self.idle, []
        for step in idle:
            self.tell(step, "already there")

    def finish(self):
        with self.lock:
            if len(self.idle) == self.total:
                self.line("everything is built already")
            else:
                self.say_idle()

    def number(self, step):
        number = self.numbers.setdefault(step.name, len(self.numbers) + 1)
        return f"[{number}/{self.total}]"

    def line(self, text):
        with self.lock:
            self.clear_status()
            self.out.write(text + "\n")
            self.out.flush()

    def status(self, text):
        """A line that the next one replaces. A longer one than the terminal is wide could not be taken back."""
        with self.lock:
            self.clear_status()
            self.out.write(text[: shutil.get_terminal_size().columns - 1])
            self.out.flush()
            self.has_status = True

    def clear_status(self):
        if self.has_status:
            self.out.write("\r\x1b[K")
            self.has_status = False


class Processes:
    """All that runs, so that it can be ended together."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = set()
        self.is_over = False

    def start(self, step):
        """A process group of its own, because tools start others. None when it is too late to begin."""
        with self.lock:
            if self.is_over:
                return None
            process = subprocess.Popen(
                step.command,
                cwd=ROOT,
                env={**os.environ, **dict(step.env)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if step.prints_result else subprocess.PIPE,
                stderr=subprocess.PIPE if step.prints_result else subprocess.STDOUT,
                start_new_session=True,
            )
            self.running.add(process)
            return process

    def ended(self, process):
        """Whether it ended by itself, or because all was ended."""
        with self.lock:
            self.running.discard(process)
            return not self.is_over

    def end_all(self):
        """Politely, and for good if that does not help."""
        self.signal_all(signal.SIGTERM)
        kill = threading.Timer(GRACE_SECONDS, self.signal_all, (signal.SIGKILL,))
        kill.daemon = True
        kill.start()

    def signal_all(self, number):
        with self.lock:
            self.is_over = True
            for process in self.running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)


class Output:
    """What a tool says: kept for the case that it fails, and watched for its progress."""

    def __init__(self, step, screen):
        self.step = step
        self.screen = screen
        self.started = time.monotonic()
        self.last_report = self.started
        self.is_announced = False
        self.rest = ""
        self.lines = []
        self.progress = ""

    def take(self, chunk):
        *whole, self.rest = re.split(r"[\r\n]", self.rest + chunk)
        for text in whole:
            if text.strip():
                self.take_line(text.rstrip())

    def take_line(self, text):
        plain = COLOUR.sub("", text).strip()
        # All that cargo says when there is nothing to compile.
        is_closing = plain.startswith("Finished")
        if not self.is_announced and not is_closing:
            self.screen.announce(self.step)
            self.is_announced = True
        bar = CARGO_BAR.search(plain)
        if bar:
            self.progress = f"{bar[1]} of {bar[2]} parts"
        else:
            self.lines.append(text)
        if self.step.shows_progress and self.screen.is_terminal and not is_closing:
            self.screen.status(plain)

    def look(self):
        """Called now and then, also while the tool is silent."""
        now = time.monotonic()
        if not self.step.shows_progress or self.screen.is_terminal or now - self.last_report < LOG_SECONDS:
            return
        self.last_report = now
        last = self.progress or (COLOUR.sub("", self.lines[-1]).strip() if self.lines else "begun")
        self.screen.tell(self.step, f"{last} after {duration(now - self.started)}")


def run(step, screen, processes):
    """Run one step to its end and say how it went."""
    output = Output(step, screen)
    try:
        process = processes.start(step)
    except OSError as error:
        processes.end_all()
        screen.tell(step, f"could not start: {error}")
        screen.line(step.advice)
        raise Failed from error
    if process is None:
        return
    listen(process, output)
    code = process.wait()
    output.take("\n")
    if not processes.ended(process):
        return
    seconds = time.monotonic() - output.started
    if code:
        processes.end_all()
        report(step, code, seconds, output.lines, screen)
        raise Failed
    if output.is_announced:
        screen.tell(step, f"done in {duration(seconds)}")
    else:
        screen.nothing_to_do(step)


def listen(process, output):
    """Until the process is gone. What it left running may hold the pipe, and is not waited for."""
    pipe = process.stdout or process.stderr
    with pipe:
        while True:
            is_gone = process.poll() is not None
            ready, _, _ = select.select([pipe], [], [], 0 if is_gone else LOOK_SECONDS)
            chunk = os.read(pipe.fileno(), 65536) if ready else b""
            if chunk:
                output.take(chunk.decode("utf-8", "replace"))
            elif ready or is_gone:
                return
            output.look()


def report(step, code, seconds, lines, screen):
    why = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    with screen.lock:
        for line in lines[-LAST_LINES:]:
            screen.line(line)
        screen.tell(step, f"FAILED after {duration(seconds)} ({why})")
        screen.line(step.advice)


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def build(groups, out):
    """Run groups of steps one after the other, the steps of a group at the same time; answer the exit code."""
    screen, processes = Screen(out, sum(map(len, groups))), Processes()
    try:
        for group in groups:
            with concurrent.futures.ThreadPoolExecutor(len(group)) as pool:
                try:
                    running = [pool.submit(run, step, screen, processes) for step in group]
                    for future in running:
                        future.result()
                except BaseException:
                    processes.end_all()
                    raise
    except Failed:
        return 1
    except Interrupted as interrupted:
        screen.clear_status()
        return 128 + interrupted.args[0]
    screen.finish()
    return 0


def stop(number, _frame):
    for known in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(known, signal.SIG_IGN)
    raise Interrupted(number)


def main(arguments):
    if arguments not in ([], ["--release"]):
        sys.exit("usage: build.py [--release]")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    groups = [parts(), [release()]] if arguments else [[crates(), *parts()], [server()]]
    return build(groups, sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
