#!/usr/bin/env python3
"""Collect the limits that people and programs can meet into docs/limits.md.

    limits.py            write the page
    limits.py --check    exit 1 and show the difference when the page is out of date

A limit is on the page when the doc comment of its constant in `crates/*/src` begins with a mark:

    /// Limit (viewers): characters of a chat message; a longer one is refused. They are counted as people count them.
    pub const MAX_LINE_CHARS: usize = 500;

The number comes from the constant, so it cannot go stale. A mark has an audience (see AUDIENCES) and one sentence: what
is bounded, a semicolon, what happens when the limit is reached. What follows that sentence is for readers of the code.
[`OTHER`] in a mark becomes the value of that constant of the same file. The unit comes from the constant's type, from
the end of its name (see UNITS) or, if neither has one, from the mark: `Limit (plugins, bytes): ...`.
"""

import ast
import dataclasses
import difflib
import operator
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "limits.md"

AUDIENCES = {
    "viewers": "Viewers and chatters",
    "clients": "API clients and bots",
    "broadcasters": "Broadcasters",
    "fediverse": "Fediverse servers",
    "plugins": "Plugin authors",
    "operators": "Operators",
}

# Also a mark that is mistyped, or in a place where none belongs, is found by its first letters.
BEGINNING = re.compile(r"//[/!]?[ \t]*Limit[ \t]*\(")
MARK = re.compile(r"Limit \((?P<audience>\w+)(?:, (?P<unit>\w+))?\): (?P<what>[^;]+); (?P<beyond>.+?)\.(?:\s|$)")
CONSTANT = re.compile(
    r"(?P<doc>(?:^[ \t]*///[^\n]*\n)*)"
    r"(?:^[ \t]*#\[[^\n]*\]\n)*"
    r"^[ \t]*(?:pub(?:\([a-z]+\))? )?(?:const|static) (?P<name>[A-Z][A-Z0-9_]*):[^=;]+=\s*(?P<value>[^;]+);",
    re.MULTILINE,
)

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.LShift: operator.lshift,
}


class Broken(Exception):
    """What is wrong with a mark, and where."""


@dataclasses.dataclass(frozen=True)
class Limit:
    """One row of the page."""

    audience: str
    what: str
    value: str
    beyond: str


@dataclasses.dataclass(frozen=True)
class Milliseconds:
    number: int

    def __str__(self):
        for unit, length in (("days", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
            if self.number % length == 0 and self.number >= length * (2 if unit == "days" else 1):
                return f"{plain(self.number // length)} {unit}"
        return f"{self.number} ms"


@dataclasses.dataclass(frozen=True)
class Rate:
    number: int
    window: Milliseconds

    def __str__(self):
        return f"{plain(self.number)} in {self.window}"


@dataclasses.dataclass(frozen=True)
class Range:
    first: int
    last: int

    def __str__(self):
        return f"{plain(self.first)} to {plain(self.last)}"


def plain(number):
    return f"{number:,}"


def size(number_of_bytes):
    for unit, length in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number_of_bytes % length == 0 and number_of_bytes >= length:
            return f"{number_of_bytes // length} {unit}"
    return f"{plain(number_of_bytes)} bytes"


UNITS = {
    "bytes": size,
    "ms": lambda number: str(Milliseconds(number)),
    "days": lambda number: f"{number} days",
    "minutes": lambda number: str(Milliseconds(number * 60_000)),
    "kbps": lambda number: f"{plain(number)} kbit/s",
}

CALLS = {
    "from_millis": Milliseconds,
    "from_secs": lambda seconds: Milliseconds(seconds * 1000),
    "from_mins": lambda minutes: Milliseconds(minutes * 60_000),
    "from_hours": lambda hours: Milliseconds(hours * 3_600_000),
    "new": Rate,
    "const_new": lambda permits: permits,
}


class Constants:
    """The constants of one file."""

    def __init__(self, text):
        self.found = list(CONSTANT.finditer(text))
        self.expressions = {match["name"]: match["value"] for match in self.found}

    def value(self, name):
        if name not in self.expressions:
            raise Broken(f"{name} is no constant of the same file")
        first, is_range, last = self.expressions[name].partition("..=")
        return Range(self.evaluated(first), self.evaluated(last)) if is_range else self.evaluated(first)

    def evaluated(self, expression):
        without_casts = re.sub(r" as [iu](?:8|16|32|64|size)\b", "", " ".join(expression.split()))
        try:
            return self.walk(ast.parse(without_casts.replace("::", "."), mode="eval").body)
        except (SyntaxError, KeyError, TypeError):
            raise Broken(f"`{expression}` is more than limits.py understands") from None

    def walk(self, node):
        match node:
            case ast.Constant(value=int() as number):
                return number
            case ast.Name(id=name):
                return self.value(name)
            case ast.BinOp(left, operation, right):
                return OPERATORS[type(operation)](self.walk(left), self.walk(right))
            case ast.Call(func=ast.Attribute(attr=made), args=arguments):
                return CALLS[made](*map(self.walk, arguments))
        raise TypeError

    def shown(self, name, unit=None):
        """The value as a person would write it."""
        value = self.value(name)
        if not isinstance(value, int):
            return str(value)
        unit = unit or name.rsplit("_", 1)[-1].lower()
        return UNITS.get(unit, plain)(value)


def limits_in(path, text):
    """The marked limits of one file."""
    constants = Constants(text)
    docs = {match.start("doc"): match for match in constants.found if match["doc"]}
    found = []
    for beginning in BEGINNING.finditer(text):
        line = text.count("\n", 0, beginning.start()) + 1
        start = text.rfind("\n", 0, beginning.start()) + 1
        try:
            if start not in docs:
                raise Broken("a mark begins the doc comment of a constant")
            found.append(limit(docs[start], constants))
        except Broken as problem:
            raise Broken(f"{path}:{line}: {problem}") from None
    return found


def limit(constant, constants):
    """The limit of one marked constant."""
    doc = " ".join(line.strip().removeprefix("///").strip() for line in constant["doc"].splitlines())
    mark = MARK.match(doc)
    if not mark:
        raise Broken("a mark reads `Limit (audience): what it bounds; what happens when it is reached.`")
    if mark["audience"] not in AUDIENCES:
        raise Broken(f"{mark['audience']!r} is no audience; there are {', '.join(AUDIENCES)}")
    if mark["unit"] and mark["unit"] not in UNITS:
        raise Broken(f"{mark['unit']!r} is no unit; there are {', '.join(UNITS)}")
    what, beyond = (cell(mark[part], constants) for part in ("what", "beyond"))
    return Limit(mark["audience"], what, constants.shown(constant["name"], mark["unit"]), beyond)


def cell(text, constants):
    """Part of a mark with the values of the constants it names, as a sentence would begin."""
    text = re.sub(r"\[`([A-Z][A-Z0-9_]*)`\]", lambda name: constants.shown(name[1]), text)
    return (text[0].upper() + text[1:]).replace("|", "\\|")


def sources():
    """The Rust files of the product as (path, text)."""
    for file in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        yield file.relative_to(ROOT).as_posix(), file.read_text()


def page(files):
    """The whole of docs/limits.md."""
    limits = [limit for path, text in files for limit in limits_in(path, text)]
    parts = [HEAD]
    for audience, title in AUDIENCES.items():
        parts.append(f"\n## {title}\n\n| What | Limit | Beyond it |\n|---|---|---|\n")
        # By what they bound and not by file, so that code can move without a change of the page.
        for row in sorted((row for row in limits if row.audience == audience), key=lambda row: row.what):
            parts.append(f"| {row.what} | {row.value} | {row.beyond} |\n")
    return "".join(parts)


HEAD = """# Limits

The limits that people and programs can meet, by who meets them.
They are built in; limits that an operator can set, and the length of every setting, are in [settings.md](settings.md).
How many connections the server takes follows from the open files that the system allows it: 70 % of them, and an eighth of those from one address, at most the number below.

`scripts/limits.py` writes this page: each row is a constant in `crates/*/src` whose comment begins with `Limit (...)`.
Limits that protect only the server's own parts from each other are comments beside their constants and are not listed here.
"""


def main(arguments):
    try:
        current = page(sources())
    except Broken as problem:
        sys.exit(str(problem))
    if arguments == []:
        PAGE.write_text(current)
        return 0
    if arguments != ["--check"]:
        sys.exit(__doc__)
    present = PAGE.read_text() if PAGE.is_file() else ""
    lines = difflib.unified_diff(
        present.splitlines(keepends=True), current.splitlines(keepends=True), "docs/limits.md", "the code"
    )
    difference = "".join(lines)
    if difference:
        print(difference, end="")
        print("docs/limits.md is out of date; run scripts/limits.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
