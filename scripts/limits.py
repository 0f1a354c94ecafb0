#!/usr/bin/env python3
"""Collect every limit of the Rust code into docs/limits.md.

    limits.py            write the page
    limits.py --check    exit 1 and show the difference when the page is out of step

A limit is a named constant that holds a number, a duration, a range, a rate or a semaphore in `crates/*/src`.
Constants that are no limits are named in NOT_LIMITS. What a limit protects is read from its `///` lines.
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

# Test support has no users to protect.
LEFT_OUT = {"testkit"}

# Numbers that something else prescribes.
NOT_LIMITS = {
    "KEY_BYTES",
    "VIDEO_TIMESCALE",
    "TICKS_PER_MS",
    "SOUND_BIT",
    "ORIGIN_MS",
    "VERSION",
    "COMMAND_FRAME",
    "ENHANCED",
    "OBJECT_END",
    "CONTROL",
    "COMMANDS",
    "STATUS",
    "DIGEST_BYTES",
    "BLOCK_BYTES",
    "EXTENDED",
    "ANYTHING",
    "BACK_POINTER",
    "FAMILY",
    "FIRST_PIPE",
    "NAMED",
    "LINE",
    "SHORTEST_HEADER",
    "SIGNED_AT",
    "TAG_HEADER",
    "TEXT",
    "TWO_BYTES",
    "WRAP_MS",
    "EIGHT_BYTES",
    "END_BYTES",
    "END_MAGIC",
    "ENTRY_BYTES",
    "ENTRY_MAGIC",
    "LOCAL_BYTES",
    "LOCAL_MAGIC",
}

CONSTANT = re.compile(
    r"(?P<doc>(?:^[ \t]*///[^\n]*\n)*)"
    r"^(?:pub(?:\([a-z]+\))? )?(?:const|static) (?P<name>[A-Z][A-Z0-9_]*):\s*"
    r"(?P<type>(?:Signed)?Duration|Semaphore|Rate|[iu](?:8|16|32|64|size)|(?:std::ops::)?RangeInclusive<\w+>)\s*=\s*(?P<value>[^;]+);",
    re.MULTILINE,
)
RATE = re.compile(r"Rate::new\((.+), (.+)\)$")
DURATION = re.compile(r"(?:Signed)?Duration::from_(secs|millis|mins|hours)\((.+)\)$", re.DOTALL)
SETTING = re.compile(r'max_chars\(\s*([\d_]+),\s*meta\(\s*"(\w+)"')
ROUTE = re.compile(r'^\s*(get|post|delete)\(\s*"([^"]+)"[^\n]*?\.body_bytes\(([^()\n]+)\)', re.MULTILINE)
IMPORT = re.compile(r"^use ::(\w+)::(?:\w+::)*([A-Z][A-Z0-9_]*);", re.MULTILINE)

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.LShift: operator.lshift,
}

MILLISECONDS = {"millis": 1, "secs": 1000, "mins": 60_000, "hours": 3_600_000}


@dataclasses.dataclass(frozen=True)
class Limit:
    """One constant."""

    name: str
    value: str
    path: str
    doc: str


def product_part(text):
    """The file without the test module that closes it."""
    return re.split(r"^#\[cfg\(test\)\]\nmod \w+ \{", text, maxsplit=1, flags=re.MULTILINE)[0]


def limits_in(path, text, shared=()):
    """The limits of one file, in its own order; `shared` are numbers that other files offer."""
    numbers = dict(shared)
    found = []
    for match in CONSTANT.finditer(product_part(text)):
        name, kind = match["name"], match["type"]
        value = " ".join(match["value"].split())
        if "Range" not in kind and kind not in ("Semaphore", "Rate"):
            numbers[name] = milliseconds(value, numbers) if "Duration" in kind else number(value, numbers)
        if name not in NOT_LIMITS:
            found.append(Limit(name, shown(name, kind, value, numbers), path, sentence(match["doc"])))
    return found


def shared_numbers(files):
    """Constants of the outermost kind, `pub const MAX: i64 = 500`, which other rooms may use by name."""
    pattern = re.compile(r"^pub const ([A-Z][A-Z0-9_]*): [iu](?:8|16|32|64|size) = ([\d_ *<]+);", re.MULTILINE)
    return {name: number(value, {}) for _, text in files for name, value in pattern.findall(text)}


def number(expression, names):
    """The value of a constant expression; other constants are looked up in `names`."""
    without_cast = re.sub(r" as [iu](?:8|16|32|64|size)$", "", expression.split("::")[-1])
    return evaluate(ast.parse(without_cast, mode="eval").body, names)


def milliseconds(expression, names):
    """The value of a duration, which may be another one of the same file."""
    made = DURATION.match(expression)
    return number(made[2], names) * MILLISECONDS[made[1]] if made else number(expression, names)


def evaluate(node, names):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](evaluate(node.left, names), evaluate(node.right, names))
    raise ValueError(f"{ast.dump(node)} is more than limits.py understands")


def shown(name, kind, value, names):
    """The value as a person would write it."""
    if "Duration" in kind:
        return duration(names[name])
    if kind == "Semaphore":
        return plain(number(re.search(r"\((.+)\)", value)[1], names))
    if kind == "Rate":
        burst, window = RATE.match(value).groups()
        return f"{plain(number(burst, names))} in {duration(milliseconds(window, names))}"
    if "Range" in kind:
        first, last = value.split("..=")
        return f"{plain(number(first, names))} to {plain(number(last, names))}"
    amount = number(value, names)
    if name.endswith("_KIB"):
        return size(amount * 1024)
    is_size = re.search(r"_BYTES$|_BUFFER$|^HTTP2_\w+_WINDOW$", name)
    return size(amount) if is_size else plain(amount)


def duration(milliseconds):
    for unit, length in (("days", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if milliseconds % length == 0 and milliseconds >= length * (2 if unit != "s" else 1):
            return f"{milliseconds // length} {unit}"
    return f"{milliseconds} ms"


def size(number_of_bytes):
    for unit, length in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number_of_bytes % length == 0 and number_of_bytes >= length:
            return f"{number_of_bytes // length} {unit}"
    return f"{plain(number_of_bytes)} bytes"


def plain(amount):
    return f"{amount:,}".replace(",", " ")


def sentence(doc):
    """The `///` lines as one cell of a table."""
    lines = (line.strip()[3:].strip() for line in doc.strip().splitlines())
    text = re.sub(r"\[(`[^`]+`)\]", r"\1", " ".join(lines))
    return text.replace("|", "\\|")


def sources():
    """The product's Rust files as (path, text), crate by crate."""
    for file in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        path = file.relative_to(ROOT)
        if path.parts[1] not in LEFT_OUT and not file.name.endswith("tests.rs") and "tests" not in path.parts:
            yield path.as_posix(), file.read_text()


def page(files):
    """The whole of docs/limits.md."""
    files = list(files)
    shared = shared_numbers(files)
    limits = [limit for path, text in files for limit in limits_in(path, text, shared)]
    parts = [HEAD]
    for crate in sorted({limit.path.split("/")[1] for limit in limits}):
        parts.append(f"\n### {crate}\n\n| Limit | Value | What it protects or means | File |\n|---|---|---|---|\n")
        for limit in limits:
            if limit.path.split("/")[1] == crate:
                file = limit.path.split("/src/")[1]
                parts.append(f"| `{limit.name}` | {limit.value} | {limit.doc} | [{file}](../{limit.path}) |\n")
    texts = dict(files)
    parts.append(routes(texts))
    tables = [text for path, text in files if path.startswith("crates/model/src/settings/table")]
    parts.append(settings("".join(tables)))
    return "".join(parts)


def numbers_in(text, shared):
    """The plain numbers of one file by name."""
    names = dict(shared)
    for match in CONSTANT.finditer(product_part(text)):
        if match["type"][0] in "iu":
            names[match["name"]] = number(" ".join(match["value"].split()), names)
    return names


def offered(texts):
    """What rooms offer to others by name, also if it is another constant of theirs."""
    texts = list(texts)
    names = shared_numbers([("", text) for text in texts])
    public = re.compile(r"^pub(?:\(crate\))? const ([A-Z][A-Z0-9_]*): usize", re.MULTILINE)
    for text in texts:
        own = numbers_in(text, names)
        names |= {name: own[name] for name in public.findall(product_part(text)) if name not in names}
    return names


def imported(group, texts, known):
    """What a group of routes takes from another room: a third one may offer something else by the same name."""
    names = dict(known)
    for crate, name in IMPORT.findall(group):
        for path, text in texts.items():
            if path.startswith(f"crates/{crate}/src/") and f"\npub const {name}:" in product_part(text):
                names[name] = numbers_in(text, known)[name]
    return names


def routes(texts):
    """Routes whose request body may be larger or smaller than usual."""
    known = offered(texts.values())
    rows = []
    for file, group in texts.items():
        if not file.startswith("crates/web/src/routes/"):
            continue
        for method, path, limit in ROUTE.findall(group):
            module = texts[f"crates/web/src/{limit.split('::')[0]}.rs"] if "::" in limit else group
            names = numbers_in(module, imported(group, texts, known))
            rows.append(f"| `{method.upper()} {path}` | {size(number(limit, names))} |\n")
    return ROUTES_HEAD + "".join(rows)


def settings(table):
    """Settings whose text has a greatest length."""
    rows = [f"| `{key}` | {plain(int(limit))} |\n" for limit, key in SETTING.findall(table)]
    return SETTINGS_HEAD + "".join(rows)


HEAD = """# Limits

This page is written by `scripts/limits.py` from the constants in `crates/*/src`; change the code, then run the script.

Every limit is a named constant with a line that says what it protects.
None of them can be changed by configuration today.

Two limits are worked out at start and therefore not in the tables.
The server raises its limit of open files to what the system allows, takes 70 % of it for connections, and gives any single address an eighth of those, at most 512.
Trusted proxies and the machine itself are not counted per address.

## Constants
"""

ROUTES_HEAD = """
## Request bodies

A request body may have `DEFAULT_BODY_BYTES`, with these exceptions:

| Route | Largest body |
|---|---|
"""

SETTINGS_HEAD = """
## Length of settings

Lists and maps are bounded by `MAX_LIST_ENTRIES`; these texts by their number of characters:

| Setting | Characters |
|---|---|
"""


def main(arguments):
    wanted = page(sources())
    if arguments == []:
        PAGE.write_text(wanted)
        return 0
    if arguments != ["--check"]:
        sys.exit(__doc__)
    present = PAGE.read_text() if PAGE.is_file() else ""
    lines = difflib.unified_diff(
        present.splitlines(keepends=True), wanted.splitlines(keepends=True), "docs/limits.md", "the code"
    )
    difference = "".join(lines)
    if difference:
        print(difference, end="")
        print("docs/limits.md is out of step with the code; run scripts/limits.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
