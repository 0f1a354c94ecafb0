"""What tests did, in the one format that every test runner writes: JUnit's.

A stage of a ring finds a folder for its reports in RILLCAST_REPORTS. A report that is torn counts as a failed test: a
runner that died before its verdict has proven nothing.
"""

import dataclasses
import os
import pathlib
import re
import xml.etree.ElementTree as xml

FOLDER = "RILLCAST_REPORTS"

# What XML cannot hold, and tests print all the same.
UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclasses.dataclass(frozen=True)
class Case:
    """One test that ran, or was left out."""

    name: str
    seconds: float = 0.0
    failure: str = ""  # why it failed
    skipped: bool = False
    kept: bool = False  # passed in an earlier run, and did not run in this one

    @property
    def passed(self):
        return not self.failure and not self.skipped and not self.kept


def read(folder):
    """The cases of all reports below a folder."""
    return [case for file in sorted(pathlib.Path(folder).glob("**/*.xml")) for case in read_file(file)]


def read_file(file):
    try:
        root = xml.parse(file).getroot()
    except (xml.ParseError, OSError) as error:
        return [Case(file.name, failure=f"its report cannot be read: {error}")]
    return [case_of(element) for element in root.iter("testcase")]


def case_of(element):
    failures = [*element.findall("failure"), *element.findall("error")]
    return Case(
        element.get("name", "?"),
        float(element.get("time") or 0),
        "".join((found.text or found.get("message") or "failed") for found in failures),
        element.find("skipped") is not None,
        element.get("kept") == "true",
    )


def write(name, cases):
    """Leave a report where the stage is asked to; nothing when it runs by itself."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    suite = xml.Element("testsuite", name=name)
    for case in cases:
        element = xml.SubElement(suite, "testcase", name=printable(case.name), time=f"{case.seconds:.3f}")
        if case.failure:
            xml.SubElement(element, "failure").text = printable(case.failure)
        if case.skipped:
            xml.SubElement(element, "skipped")
        if case.kept:
            element.set("kept", "true")
    path = pathlib.Path(folder) / (re.sub(r"[^A-Za-z0-9.-]+", "-", name) + ".xml")
    xml.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def printable(text):
    return UNPRINTABLE.sub("\ufffd", text)
