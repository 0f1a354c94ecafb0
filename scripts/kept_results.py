"""Results of end-to-end files that are still true: the file passed before, and nothing it depends on has changed since.

A sentence mended in a guide cannot break a broadcast, and end-to-end files take half of a run. What a file depends on:
- the programs under test, byte for byte;
- every file of the project but prose, and of that what the file, or what it imports, names by its path;
- the tools it drives, by their versions.

Only results of files that passed are kept, for DAYS: what depends on the clock has to show from time to time, too.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import time

import mirror

DAYS = 3

# Documents for people. What programs read lies elsewhere, or is named by whoever reads it.
PROSE = re.compile(r"(docs/.*|bench/.*|\.github/.*|[^/]*\.md)")
NAMED = re.compile(r"docs/[\w./-]*\w")
IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*['"](\.{1,2}/[^'"]+)['"]""")

TOOLS = (
    ("node", "--version"),
    ("ffmpeg", "-version"),
    ("chromium", "--version"),
    ("nginx", "-v"),
    ("haproxy", "-v"),
    ("python3", "--version"),
)


def folder():
    """Where results are kept."""
    above = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(above) / "rillcast" / "kept-results"


class Results:
    """Results of one set of inputs; `root` is the project, `programs` are what its end-to-end files run."""

    def __init__(self, root, programs, kept=None, versions=None):
        self.root = root
        self.kept = kept or folder()
        common = hashlib.sha256(json.dumps(versions or versions_of(TOOLS)).encode())
        for program in programs:
            add(common, pathlib.Path(program))
        ignored = mirror.Ignored((root / ".gitignore").read_text())
        for path in sorted(mirror.files_of(root, ignored)):
            if not PROSE.fullmatch(path.as_posix()):
                common.update(path.as_posix().encode())
                add(common, root / path)
        self.common = common

    def key(self, file):
        """What stands for a file, given below e2e/, and all that it depends on."""
        found = self.common.copy()
        found.update(file.encode())
        for document in sorted(named_by(self.root / "e2e" / file)):
            found.update(document.encode())
            add(found, self.root / document)
        return found.hexdigest()

    def passed_before(self, file):
        """Names of the tests of the file that passed with these inputs; none when it has to run."""
        try:
            entry = json.loads((self.kept / self.key(file)).read_text())
            is_young = 0 <= time.time() - entry["at"] < DAYS * 86400
            return entry["passed"] if is_young else []
        except (OSError, ValueError, KeyError):
            return []

    def keep(self, file, passed):
        self.kept.mkdir(parents=True, exist_ok=True)
        self.forget_old()
        target = self.kept / self.key(file)
        scratch = target.with_suffix(f".{os.getpid()}")
        scratch.write_text(json.dumps({"file": file, "passed": passed, "at": time.time()}))
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


def named_by(test):
    """Documents that a test file names, or what it imports does."""
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


def versions_of(tools):
    return [version_of(tool) for tool in tools]


def version_of(tool):
    try:
        answer = subprocess.run(tool, capture_output=True, text=True, timeout=30)
        return answer.stdout + answer.stderr
    except (OSError, subprocess.SubprocessError):
        return ""
