#!/usr/bin/env python3
"""Run a whole stage of a ring, unless all of it passed before with the same inputs.

    kept_stage.py NAME COMMAND…

For stages whose tests share one run, where `e2e.py` and `rust_tests.py` spare single files and programs. The rule is
theirs (`kept_results.py`): every file of the project but prose and what cargo compiled, the documents that the stage's own
files name, the programs it runs byte for byte, and the versions of the tools.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys

import e2e
import kept_results
import reports
from stages import ROOT


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What a stage reads besides the project's files, which count for all."""

    names_documents: tuple = ()  # folders of files that name documents
    sources: tuple = ()  # folders of compiled sources that its tests read as text
    runs_server: bool = False


STAGES = {
    "api": Inputs(runs_server=True),
    "ui tests": Inputs(names_documents=("ui/tests", "ui/scripts")),
    "sdk": Inputs(names_documents=("sdk/python",), sources=("crates/plugins/src",), runs_server=True),
}
TEXTS = {".mjs", ".py", ".ts", ".tsx"}


def documents(root, inputs):
    """The documents that the files of a stage name, and the sources they read."""
    found = set()
    for folder in inputs.names_documents:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in TEXTS and "node_modules" not in file.parts:
                found.update(kept_results.NAMED.findall(file.read_text()))
    for folder in inputs.sources:
        found.update(str(file.relative_to(root)) for file in (root / folder).rglob("*.rs"))
    return found


def run(name, command, root, results, inputs):
    """Run the command, or tell what it would have tried as kept; answer its exit code."""
    inputs = documents(root, inputs)
    spared = kept_results.spared(results, name, inputs)
    if spared:
        print(f"{name} passed before with the same inputs ({len(spared)} tests)", flush=True)
        reports.write(name, spared)
        return 0
    code = subprocess.run(command, cwd=root).returncode
    if results and code == 0:
        cases = reports.read(os.environ[reports.FOLDER])
        if cases and all(case.passed or case.skipped for case in cases):
            results.keep(name, inputs, [case.name for case in cases if case.passed])
    return code


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in STAGES:
        sys.exit(f"usage: kept_stage.py {' | '.join(map(repr, STAGES))} COMMAND…")
    name, *command = arguments
    results = None
    if kept_results.is_ring(os.environ):
        programs = e2e.programs(os.environ).values() if STAGES[name].runs_server else ()
        results = kept_results.Results(ROOT, programs, ignoring=kept_results.COMPILED_OR_PROSE)
    return run(name, command, pathlib.Path(ROOT), results, STAGES[name])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
