#!/usr/bin/env python3
"""Run the end-to-end tests against the binary named by RILLCAST_BIN, or else the last dev build.

    e2e.py [--lane encoding | browsers | others] [FILE…]

Beside it they use playlist-check: the one named by PLAYLIST_CHECK_BIN, or else the last dev build.

Every `e2e/**/*.test.mjs` runs, except that `*.long.test.mjs` waits for the long ring (RILLCAST_RING=all). There are four
kinds of files: those whose server encodes further qualities for a browser, and must keep up with time; those that watch
a stream in a browser; those that use pages in one; and those without a browser, which mostly wait. A lane runs files of
some kinds beside each other, and lanes follow each other. Files, if any are named, run instead of all.

In `make test` a file does not run again that passed with the very same inputs in the last days: `kept_results.py` says what
counts as an input. RILLCAST_KEPT_RESULTS=off runs all of them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import threading

import kept_results
import reports
import supervise

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "e2e"

# A lane is a list of workers. Each takes one file at a time, of the first of its kinds that has any left: two browsers
# fit on two cores, two that watch do not.
LANES = {
    "encoding": [["encoding"]],
    "browsers": [["watching", "pages"], ["pages"]],
    "others": [["others"]] * 4,
}
# What no file takes on a quiet machine.
LIMIT_SECONDS = {"test": 180, "all": 900}

USES_BROWSER = re.compile(r"from '[./]+(lib/)?browser\.mjs'")
ENCODES = re.compile(r"from '\.\./lib/qualities\.mjs'")
WATCHES = re.compile(r"from '\.\./lib/(player|rewind)-page\.mjs'")


def chosen(files, is_long_ring):
    """The files of a ring, in a fixed order."""
    return sorted(file for file in files if is_long_ring or not file.endswith(".long.test.mjs"))


def all_files():
    found = (file.relative_to(FOLDER) for file in FOLDER.glob("**/*.test.mjs"))
    return [str(file) for file in found if "node_modules" not in file.parts]


def dev_build(name="rillcast"):
    """Where cargo puts a program, also when the user moved its target folder."""
    answer = subprocess.run([str(ROOT / "scripts" / "target-dir.sh")], capture_output=True, text=True, check=True)
    return str(pathlib.Path(answer.stdout.strip()) / "debug" / name)


def programs(environment):
    """The programs under test and for testing, by the variables that name them."""
    found = {}
    for variable, name in [("RILLCAST_BIN", "rillcast"), ("PLAYLIST_CHECK_BIN", "playlist-check")]:
        found[variable] = environment.get(variable) or dev_build(name)
        if not os.access(found[variable], os.X_OK):
            advice = f"build it with cargo build --workspace, or name another in {variable}"
            sys.exit(f"there is no program at {found[variable]}: {advice}")
    return found


def kind_of(file, folder=FOLDER):
    text = (folder / file).read_text()
    if not USES_BROWSER.search(text):
        return "others"
    if ENCODES.search(text):
        return "encoding"
    return "watching" if WATCHES.search(text) else "pages"


def command_of(file):
    """A file is its own program: node's runner would be a second process that only reads what the first says."""
    command = ["node", "--test-reporter=spec", "--test-reporter-destination=stdout"]
    report = report_of(file)
    if report:
        command += ["--test-reporter=junit", f"--test-reporter-destination={report}"]
    return [*command, file]


def report_of(file):
    folder = os.environ.get(reports.FOLDER)
    return pathlib.Path(folder) / (file.replace("/", "-") + ".xml") if folder else None


_output = threading.Lock()


def run_file(file, environment, limit):
    """Run one file, and say in one piece what it said; answer whether it passed."""
    said = bytearray()
    ended = supervise.run(command_of(file), limit, said.extend, cwd=FOLDER, env=environment)
    reason = ended.reason(limit)
    with _output:
        print(f"-- {file}", flush=True)
        sys.stdout.buffer.write(said)
        verdict = f"FAILED ({reason})" if reason else "ok"
        print(f"-- {file} {verdict} {ended.seconds:.1f} s, of processors {ended.cpu_seconds:.1f} s", flush=True)
    if reason:
        # Its own report may be missing, or know of no failure.
        reports.write(f"{file} itself", [reports.Case(file, failure=reason)])
    return not reason


def size_of(file):
    """Longer files take longer as a rule, and what takes long should not begin last. Parts of a file lie in its folder."""
    path = FOLDER / file
    parts = path.with_name(path.name.removesuffix(".test.mjs")).glob("*.mjs")
    return sum(part.stat().st_size for part in (path, *parts))


class Queue:
    """Files that wait for a worker, by kind."""

    def __init__(self, files):
        self.files = sorted(files, key=size_of, reverse=True)
        self.lock = threading.Lock()

    def take(self, kinds):
        """The next file for a worker of these kinds, in this order; None when there is none."""
        with self.lock:
            for kind in kinds:
                for file in self.files:
                    if kind_of(file) == kind:
                        self.files.remove(file)
                        return file
        return None


def run_lane(workers, queue, environment, results=None):
    limit = LIMIT_SECONDS[os.environ.get("RILLCAST_RING") or "test"]

    def work(kinds):
        passed = []
        while file := queue.take(kinds):
            documents = kept_results.named_by(FOLDER / file)
            if spare(file, documents, results):
                continue
            passed.append(run_file(file, environment, limit))
            if results and passed[-1]:
                names = [case.name for case in reports.read_file(report_of(file)) if case.passed]
                results.keep(file, documents, names)
        return all(passed)

    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        return all(list(pool.map(work, workers)))


def spare(file, documents, results):
    """Whether the file need not run, as it passed before; its tests are reported as such."""
    cases = kept_results.spared(results, file, documents)
    if cases:
        reports.write(f"{file} kept", cases)
        with _output:
            print(f"-- {file} passed before with the same inputs ({len(cases)} tests)", flush=True)
    return bool(cases)


def main(arguments):
    parser = argparse.ArgumentParser(description="Run the end-to-end tests.")
    parser.add_argument("--lane", choices=LANES, help="only files of this lane")
    parser.add_argument("files", nargs="*", metavar="FILE", help="below e2e/; all of the ring when none is named")
    asked = parser.parse_args(arguments)
    binaries = programs(os.environ)
    if (FOLDER / "package.json").is_file():
        install = [sys.executable, str(ROOT / "scripts" / "npm.py"), "install", "e2e"]
        if subprocess.run(install).returncode != 0:
            sys.exit(1)
    files = asked.files or chosen(all_files(), os.environ.get("RILLCAST_RING") == "all")
    if not files:
        sys.exit("there is no end-to-end test: e2e/ holds no *.test.mjs")
    environment = {**os.environ, **binaries}
    results = kept_results.Results(ROOT, binaries.values()) if kept_results.is_ring(os.environ) else None
    queue = Queue(files)
    lanes = [LANES[asked.lane]] if asked.lane else LANES.values()
    passed = [run_lane(workers, queue, environment, results) for workers in lanes]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
