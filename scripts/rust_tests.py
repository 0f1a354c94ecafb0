#!/usr/bin/env python3
"""Run every Rust test: programs beside each other, as most of their tests wait for something.

Two programs run at a time. Tests in a module named `alone` measure time, memory or the whole process:
they run last, one at a time, with nothing beside them. Arguments, if any, choose programs: "chat it", "media".

In `make test` a program does not run again that passed with the very same inputs in the last days: `kept_results.py` says
what counts as an input. RILLCAST_KEPT_RESULTS=off runs all of them.

Programs speak libtest's JSON, which it gives only to those who say that they know it is not stable.
"""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

import kept_results
import reports
import supervise
from stages import ROOT, cargo

PROGRAMS_AT_A_TIME = 2
# Tests of one program at a time; more of those that mostly wait.
THREADS = 3
PATIENT_THREADS = 5
# What no program takes on a quiet machine; a test that hangs is named when it is over.
LIMIT_SECONDS = 400
LIST_SECONDS = 60

# The longest by far, as it waits most; it begins first.
FIRST = "server it"
# Its tests run encoders that must keep up with time: it comes when what computes is done, and only FIRST still waits.
LAST = "media it"

# It reads the sources and documents of the project, so with any change it has to run again.
READS_THE_PROJECT = "testkit tidy"

ALONE = re.compile(r"(^|::)alone::")
EVENT = re.compile(r'\{ ?"type": ?"')
DOC_LINE = re.compile(r"test (\S+ - .*\(line \d+\).*) \.\.\. (ok|FAILED|ignored)")


@dataclasses.dataclass(frozen=True)
class Program:
    """One executable full of tests, and where it expects to run."""

    name: str
    path: str
    folder: str

    def environment(self):
        return {**os.environ, "RUSTC_BOOTSTRAP": "1", "CARGO_MANIFEST_DIR": self.folder}


def programs():
    """All test programs of the workspace, built if need be."""
    command = cargo("test", "--workspace", "--no-run", "--message-format=json-render-diagnostics")
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(built.returncode)
    return programs_in(built.stdout.splitlines())


def programs_in(messages):
    found = []
    for message in map(json.loads, messages):
        if message["reason"] == "compiler-artifact" and message.get("executable") and message["profile"]["test"]:
            folder = pathlib.Path(message["manifest_path"]).parent
            name = f"{folder.name} {message['target']['name']}"
            found.append(Program(name, message["executable"], str(folder)))
    return sorted(found, key=order)


def order(program):
    """The first, the largest, and so on to the last."""
    return program.name == LAST, program.name != FIRST, -pathlib.Path(program.path).stat().st_size


class Verdicts:
    """What a program has said of its tests so far."""

    def __init__(self):
        self.cases = []
        self.begun = {}
        self.is_over = False
        self.noise = []

    def take(self, line):
        found = EVENT.search(line)
        try:
            event, _ = json.JSONDecoder().raw_decode(line, found.start()) if found else (None, 0)
        except ValueError:
            event = None
        if event is None or not self.know(event):
            self.noise.append(line)

    def know(self, event):
        kind, what, name = event["type"], event.get("event"), event.get("name")
        if kind == "suite":
            self.is_over |= what != "started"
        elif kind == "test" and what == "started":
            self.begun[name] = True
        elif kind == "test" and what in ("ok", "failed", "ignored"):
            self.begun.pop(name, None)
            failure = event.get("stdout") or event.get("message") or "failed" if what == "failed" else ""
            self.cases.append(reports.Case(name, event.get("exec_time", 0.0), failure, what == "ignored"))
        return kind in ("suite", "test", "bench", "report")

    def judged(self, reason):
        """All cases; what began and never ended, or a program without a verdict, is a failed one."""
        failed = any(case.failure for case in self.cases)
        cases = [*self.cases, *(reports.Case(name, failure=reason or "it never ended") for name in self.begun)]
        if not self.is_over or (reason and not failed and not self.begun):
            cases.append(reports.Case("the program itself", failure=reason or "it ended without a verdict"))
        return cases


def tests_of(program):
    """Names of the tests that share a program, and of those that want it for themselves."""
    listed = subprocess.run(
        [program.path, "--list", "--format", "terse"],
        cwd=program.folder,
        env=program.environment(),
        capture_output=True,
        text=True,
        timeout=LIST_SECONDS,
        check=True,
    ).stdout
    names = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
    return [name for name in names if not ALONE.search(name)], [name for name in names if ALONE.search(name)]


def run_tests(program, names, threads):
    """Run some tests of a program; answer its cases."""
    if not names:
        return []
    verdicts = Verdicts()
    hear, finish = supervise.lines(verdicts.take)
    options = ["--format", "json", "-Z", "unstable-options", "--report-time", f"--test-threads={threads}"]
    ended = supervise.run(
        [program.path, *options, "--exact", *names],
        LIMIT_SECONDS,
        hear,
        cwd=program.folder,
        env=program.environment(),
    )
    finish()
    cases = verdicts.judged(ended.reason(LIMIT_SECONDS))
    tell(program, cases, ended, verdicts.noise)
    return [dataclasses.replace(case, name=f"{program.name}: {case.name}") for case in cases]


_output = threading.Lock()


def tell(program, cases, ended, noise):
    passed = sum(case.passed for case in cases)
    failed = [case for case in cases if case.failure]
    with _output:
        for case in failed:
            print(f"---- {program.name}: {case.name}\n{case.failure}")
        if failed and noise:
            print(f"---- what {program.name} said besides", *noise[-50:], sep="\n")
        times = f"{ended.seconds:.1f} s, of processors {ended.cpu_seconds:.1f} s"
        print(f"{program.name}: {passed} passed, {len(failed)} failed in {times}", flush=True)


def safely(program, work):
    """Whatever goes wrong with one program is its own failed test, and takes no other along."""
    try:
        return work()
    except (OSError, subprocess.SubprocessError, supervise.NotStarted) as error:
        print(f"{program.name}: {error}", flush=True)
        return [reports.Case(f"{program.name}: the program itself", failure=str(error))]


def run_shared(program):
    threads = PATIENT_THREADS if program.name in (FIRST, LAST) else THREADS
    return safely(program, lambda: run_tests(program, tests_of(program)[0], threads))


def run_alone(program):
    return safely(program, lambda: run_tests(program, tests_of(program)[1], 1))


class Spared:
    """What need not run, as it passed before with the same inputs; `results` is None where nothing is kept."""

    def __init__(self, results):
        self.results = results

    def of(self, program):
        """The tests of a program that passed before."""
        if program.name == READS_THE_PROJECT:
            return []
        return kept_results.spared(self.results, program.name, self.inputs(program))

    def keep(self, program, cases):
        if self.results and cases and all(case.passed or case.skipped for case in cases):
            self.results.keep(program.name, self.inputs(program), [case.name for case in cases if case.passed])

    def inputs(self, program):
        return [program.path, *kept_results.named_in(pathlib.Path(program.folder))]


def run_programs(chosen, spared):
    """Run the programs that have to, and answer the cases of all."""
    before = {program: spared.of(program) for program in chosen}
    running = [program for program in chosen if not before[program]]
    for program in chosen:
        if before[program]:
            print(f"{program.name} passed before with the same inputs ({len(before[program])} tests)", flush=True)
    with concurrent.futures.ThreadPoolExecutor(PROGRAMS_AT_A_TIME) as pool:
        shared = list(pool.map(run_shared, running))
    cases = [case for kept in before.values() for case in kept]
    for program, found in zip(running, shared, strict=True):
        found = [*found, *run_alone(program)]
        spared.keep(program, found)
        cases += found
    return cases


def doc_tests():
    """Examples in documentation, by rustdoc, which speaks to people alone."""
    command = cargo("test", "--workspace", "--doc", "--quiet", "--", "--format=pretty")
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    cases = doc_cases(ended.stdout)
    if ended.returncode != 0 and not any(case.failure for case in cases):
        cases.append(reports.Case("documentation", failure=f"exit code {ended.returncode}"))
    if ended.returncode != 0:
        print(ended.stdout)
    print(f"examples in documentation: {len(cases)}", flush=True)
    return cases


def doc_cases(text):
    kinds = {"ok": {}, "FAILED": {"failure": "failed"}, "ignored": {"skipped": True}}
    return [reports.Case(found[1], **kinds[found[2]]) for found in DOC_LINE.finditer(text)]


def main(arguments):
    found = programs()
    chosen = [one for one in found if not arguments or any(one.name.startswith(wanted) for wanted in arguments)]
    if not chosen:
        sys.exit(f"no test program begins with that; there are: {', '.join(one.name for one in found)}")
    is_ring = kept_results.is_ring(os.environ)
    results = kept_results.Results(ROOT, ignoring=kept_results.COMPILED_OR_PROSE) if is_ring else None
    cases = run_programs(chosen, Spared(results))
    if not arguments:
        cases += doc_tests()
    reports.write("rust", cases)
    failed = [case.name for case in cases if case.failure]
    for name in failed:
        print(f"failed: {name}")
    print(f"{sum(case.passed for case in cases)} passed, {len(failed)} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
