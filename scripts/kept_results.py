"""Results of tests that are still true: they passed before, and nothing they depend on has changed since.

A sentence mended in a guide cannot break a broadcast, and a change of the chat cannot break a parser of video. What an
end-to-end file (`e2e.py`), or a program of Rust tests (`rust_tests.py`), depends on:
- the programs under test, byte for byte, and with Rust tests those are the tests themselves;
- every file of the project but prose, and of that what it names by its path; what cargo compiled is in the programs;
- the tools it drives, by their versions.

Only results of what passed are kept, for DAYS: what depends on the clock has to show from time to time, too.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import time

import mirror
import reports

DAYS = 3

# Documents for people. What programs read lies elsewhere, or is named by whoever reads it.
PROSE = re.compile(r"(docs/.*|bench/.*|\.github/.*|[^/]*\.md)")
NAMED = re.compile(r"docs/[\w./-]*\w")
# Sources of programs that are themselves compared byte for byte.
COMPILED_OR_PROSE = re.compile(rf"crates/.*\.rs|{PROSE.pattern}")
IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*['"](\.{1,2}/[^'"]+)['"]""")

TOOLS = (
    ("node", "--version"),
    ("ffmpeg", "-version"),
    ("chromium", "--version"),
    ("nginx", "-v"),
    ("haproxy", "-v"),
    ("nats-server", "--version"),
    ("python3", "--version"),
    ("psql", "--version"),
)


def folder():
    """Where results are kept."""
    above = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(above) / "rillcast" / "kept-results"


class Results:
    """Results of one set of inputs; `root` is the project, `programs` are what its tests run."""

    def __init__(self, root, programs=(), kept=None, versions=None, ignoring=PROSE):
        self.root = root
        self.kept = kept or folder()
        common = hashlib.sha256(json.dumps(versions or versions_of(TOOLS)).encode())
        for program in programs:
            add(common, pathlib.Path(program))
        ignored = mirror.Ignored((root / ".gitignore").read_text())
        for path in sorted(mirror.files_of(root, ignored)):
            if not ignoring.fullmatch(path.as_posix()):
                common.update(path.as_posix().encode())
                add(common, root / path)
        self.common = common

    def key(self, name, inputs):
        """What stands for a test and all that it depends on; inputs are files below the root, or anywhere."""
        found = self.common.copy()
        found.update(name.encode())
        for path in sorted(map(str, inputs)):
            found.update(path.encode())
            add(found, self.root / path)
        return found.hexdigest()

    def passed_before(self, name, inputs):
        """Names of the tests that passed with these inputs; none when they have to run."""
        try:
            entry = json.loads((self.kept / self.key(name, inputs)).read_text())
            is_young = 0 <= time.time() - entry["at"] < DAYS * 86400
            return entry["passed"] if is_young else []
        except (OSError, ValueError, KeyError):
            return []

    def keep(self, name, inputs, passed):
        self.kept.mkdir(parents=True, exist_ok=True)
        self.forget_old()
        target = self.kept / self.key(name, inputs)
        scratch = target.with_suffix(f".{os.getpid()}")
        scratch.write_text(json.dumps({"name": name, "passed": passed, "at": time.time()}))
        scratch.replace(target)

    def forget_old(self):
        for entry in self.kept.iterdir():
            if time.time() - entry.stat().st_mtime > DAYS * 86400:
                entry.unlink(missing_ok=True)


def add(digest, path):
    """The content of a file, or where a link leads, and whether it may be run."""
    if path.is_symlink() and not path.is_file():
        digest.update(os.readlink(path).encode())
    elif path.is_file():
        digest.update(b"x" if os.access(path, os.X_OK) else b"-")
        with open(path, "rb") as content:
            own = hashlib.sha256()
            while piece := content.read(1 << 20):
                own.update(piece)
            digest.update(own.digest())


def may_spare(environment):
    """Only the ring of every change spares tests; the long one is there to run all of them."""
    return environment.get("RILLCAST_RING") == "test" and environment.get("RILLCAST_KEPT_RESULTS") != "off"


def is_ring(environment):
    """Whether tests run for a ring, which keeps results: what passes in the long one, with its longer rounds, has passed
    for the short one too."""
    return environment.get("RILLCAST_RING") in ("test", "all") and reports.FOLDER in environment


def spared(results, name, inputs):
    """The tests that need not run, as they passed before with the same inputs."""
    if not results or not may_spare(os.environ):
        return []
    return [reports.Case(test, kept=True) for test in results.passed_before(name, inputs)]


def named_by(test):
    """Documents that an end-to-end file names, or what it imports does."""
    found, seen, left = set(), set(), [test]
    while left:
        path = left.pop().resolve()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        text = path.read_text()
        found.update(NAMED.findall(text))
        left += [path.parent / imported for imported in IMPORTED.findall(text)]
    return found


def named_in(crate):
    """Documents that the sources of a crate name."""
    return {path for file in sorted(crate.glob("**/*.rs")) for path in NAMED.findall(file.read_text())}


def versions_of(tools):
    return [version_of(tool) for tool in tools]


def version_of(tool):
    try:
        answer = subprocess.run(tool, capture_output=True, text=True, timeout=30)
        return answer.stdout + answer.stderr
    except (OSError, subprocess.SubprocessError):
        return ""
