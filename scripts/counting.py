"""Read how many tests passed and failed from what a test runner prints.

One counter per runner, chosen by the stage, so that a line of one runner that looks like another's is
never counted. Only closing lines count: a runner that died before its verdict has proven nothing.
"""

import re

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Counter:
    """Sums up over all closing lines of one stage."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def feed(self, line):
        self.read(ANSI.sub("", line).rstrip("\r"))

    def read(self, line):
        raise NotImplementedError

    def totals(self):
        return self.passed, self.failed


class Cargo(Counter):
    """`test result: ok. 5 passed; 0 failed; 0 ignored; …`, one line per test binary."""

    RESULT = re.compile(r"test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed;")

    def read(self, line):
        # Not anchored: what a test writes without a newline stands before it.
        found = self.RESULT.search(line)
        if found:
            self.passed += int(found[1])
            self.failed += int(found[2])


class Vitest(Counter):
    """`      Tests  1 failed | 11 passed (12)`; the line about test files is another one."""

    RESULT = re.compile(r"\s*Tests\s+(.*\(\d+\))$")

    def read(self, line):
        found = self.RESULT.match(line)
        if found:
            self.passed += number_before("passed", found[1])
            self.failed += number_before("failed", found[1])


class Node(Counter):
    """`# pass 3` in TAP, `ℹ pass 3` for people. A cancelled test is one that did not pass."""

    RESULT = re.compile(r"(?:#|ℹ) (pass|fail|cancelled) (\d+)$")

    def read(self, line):
        found = self.RESULT.match(line)
        if found and found[1] == "pass":
            self.passed += int(found[2])
        elif found:
            self.failed += int(found[2])


class Unittest(Counter):
    """`Ran 3 tests in 0.1s`, then `OK (skipped=1)` or `FAILED (failures=1, errors=1)`."""

    RAN = re.compile(r"Ran (\d+) tests? in ")
    VERDICT = re.compile(r"(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$")

    def __init__(self):
        super().__init__()
        self.ran = None

    def read(self, line):
        ran = self.RAN.match(line)
        if ran:
            self.ran = int(ran[1])
            return
        found = self.VERDICT.match(line)
        if not found or self.ran is None:
            return
        facts = dict(re.findall(r"([a-z ]+)=(\d+)", (found[2] or "").replace(", ", ",")))
        failed = sum(int(facts.get(key, 0)) for key in ("failures", "errors", "unexpected successes"))
        # An error in set-up is counted without a test that ran, so the difference can drop below zero.
        self.passed += max(0, self.ran - failed - int(facts.get("skipped", 0)))
        self.failed += failed
        self.ran = None


class Pytest(Counter):
    """`=== 1 failed, 5 passed in 0.12s ===`, with or without the rules around it."""

    RESULT = re.compile(r"(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s\b")

    def read(self, line):
        found = self.RESULT.match(line)
        if found:
            self.passed += number_before("passed", found[1])
            self.failed += number_before("failed", found[1])
            self.failed += number_before("errors?", found[1])


class Operations(Counter):
    """`85 operations passed, 0 failed`, the last line of scripts/schema.py."""

    RESULT = re.compile(r"(\d+) operations passed, (\d+) failed$")

    def read(self, line):
        found = self.RESULT.match(line)
        if found:
            self.passed += int(found[1])
            self.failed += int(found[2])


def number_before(word, text):
    found = re.search(rf"(\d+) {word}\b", text)
    return int(found[1]) if found else 0


COUNTERS = {
    "cargo": Cargo,
    "vitest": Vitest,
    "node": Node,
    "unittest": Unittest,
    "pytest": Pytest,
    "operations": Operations,
}
