#!/usr/bin/env python3
"""Run one command to its end or its limit, and leave nothing of it behind.

    supervise.py LIMIT GRACE ACCOUNT COMMAND…

The program is what `run` starts between a caller and a command. Orphans of the command become its children (it is a
"subreaper"), so that it can end all of them, also those in sessions of their own (browsers do that), and so that their
processor time is counted. It writes how the command ended to the file descriptor ACCOUNT.

Only the standard library is used: this has to run before anything is installed.
"""

import contextlib
import ctypes
import dataclasses
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading
import time

# Time for a command to put its own house in order (stop a database, delete its folder) before it is killed.
GRACE_SECONDS = 10.0

# From linux/prctl.h.
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a command ended. A negative code is the signal that killed it."""

    code: int
    in_time: bool
    seconds: float
    cpu_seconds: float

    def reason(self, limit):
        """What was wrong with it; empty when nothing was."""
        if not self.in_time:
            return f"timed out after {limit:g} s"
        if self.code < 0:
            return f"killed by signal {-self.code}"
        return f"exit code {self.code}" if self.code else ""


class NotStarted(Exception):
    """There is no such program, or it may not be run."""


_running = set()
_is_over = False
_lock = threading.Lock()


def run(command, limit, hear, cwd=None, env=None, grace=GRACE_SECONDS):
    """Run the command, pass its output on to `hear` as it comes, and answer how it ended."""
    reader, writer = os.pipe()
    arguments = [str(limit), str(grace), str(writer), *map(str, command)]
    process = subprocess.Popen(
        [sys.executable, __file__, *arguments],
        cwd=cwd,
        env=env,
        bufsize=0,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(writer,),
        start_new_session=True,
    )
    os.close(writer)
    with _lock:
        _running.add(process)
        if _is_over:
            process.terminate()
    try:
        with process, open(reader) as account:
            try:
                while chunk := process.stdout.read(65536):
                    hear(chunk)
                told = account.read()
            except BaseException:
                process.terminate()
                raise
    finally:
        with _lock:
            _running.discard(process)
    if not told:
        return Ended(process.returncode or 1, True, 0.0, 0.0)
    answer = json.loads(told)
    if "error" in answer:
        raise NotStarted(answer["error"])
    return Ended(**answer)


def end_all():
    """End what other threads run, and what they may still begin; `run` returns there as it does at a limit."""
    global _is_over
    with _lock:
        _is_over = True
        for process in _running:
            process.terminate()


def lines(take):
    """A `hear` for `run` that calls `take` with every line, and a function that flushes an unfinished last one."""
    rest = b""

    def hear(chunk):
        nonlocal rest
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            take(line.decode("utf-8", "replace"))

    def finish():
        if rest:
            take(rest.decode("utf-8", "replace"))

    return hear, finish


class Stopped(Exception):
    """Somebody asked for the end before it came."""


def stop(*_):
    # Once: what follows is the tidying up, which has a limit of its own.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped


def attend(limit, grace, command):
    """In the process between: run the command, and end all that came of it."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    started = time.monotonic()
    try:
        child = subprocess.Popen(command, start_new_session=True)
    except OSError as error:
        return {"error": str(error)}
    in_time = True
    try:
        signal.signal(signal.SIGTERM, stop)
        child.wait(timeout=limit)
    except (subprocess.TimeoutExpired, Stopped):
        in_time = False
        end_group(child, grace)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    seconds = time.monotonic() - started
    end_children()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"code": child.returncode, "in_time": in_time, "seconds": seconds, "cpu_seconds": used.ru_utime + used.ru_stime}


def end_group(child, grace):
    """End the command with its process group: politely, then for good."""
    for number, patience in ((signal.SIGTERM, grace), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=patience)
            return


def end_children():
    """Kill and collect all that is left. Children of the killed become ours, until there are none."""
    with contextlib.suppress(ChildProcessError):
        while True:
            for name in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(name), signal.SIGKILL)
            os.waitpid(-1, 0)


def main(limit, grace, account, *command):
    answer = attend(float(limit), float(grace), command)
    with open(int(account), "w") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
