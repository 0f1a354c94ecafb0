#!/usr/bin/env python3
"""Python's own unittest, with a report of how long each test took.

    unittests.py NAME FOLDER [TOP]

Runs on every Python the SDK promises to run on, so it is written for the oldest of them.
"""

import os
import sys
import time
import unittest

# A test of the scripts may itself be started in the folder of the SDK, where these are not.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import reports


class Result(unittest.TextTestResult):
    """Remembers every case beside what unittest remembers: failures and errors alone."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.cases = {}
        self.begun = 0.0

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()
        self.cases[test.id()] = reports.Case(test.id())

    def stopTest(self, test):
        super().stopTest(test)
        known = self.cases[test.id()]
        seconds = time.monotonic() - self.begun
        self.cases[test.id()] = reports.Case(known.name, seconds, known.failure, known.skipped)

    def fail(self, test, why):
        self.cases[test.id()] = reports.Case(test.id(), failure=why or "failed")

    def addError(self, test, err):
        super().addError(test, err)
        self.fail(test, self.errors[-1][1])

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.fail(test, self.failures[-1][1])

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.fail(test, "it succeeded, and should not")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.fail(test, self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.cases[test.id()] = reports.Case(test.id(), skipped=True)


def main(name, folder, top=None):
    suite = unittest.defaultTestLoader.discover(folder, top_level_dir=top or folder)
    result = unittest.TextTestRunner(resultclass=Result).run(suite)
    reports.write(name, result.cases.values())
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
