"""One file with the licences of everything in the program that others wrote."""

import re

# How files are called that hold a licence or what it obliges to pass on.
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.I)
# The words of sources and scripts that happen to be called so.
NOT_TEXT = {".rs", ".py", ".toml", ".json", ".js", ".ts", ".sh", ".pl", ".go", ".c", ".h", ".html", ".yml", ".yaml"}

RULE = "=" * 100


def collected(parts):
    """The file as text: who is inside, then every text once, below the names of all that have it."""
    inside = [part for part in parts if part.is_inside]
    owners = {}
    without = []
    for part in inside:
        texts = texts_of(part.folder) if part.folder else []
        if not texts:
            without.append(part)
        for text in texts:
            owners.setdefault(text, []).append(part)
    sections = [introduction(inside)]
    if without:
        sections.append(
            "These packages name their licence and bring no text of it; texts of the same licences are below:\n\n"
            + "\n".join(map(titled, without))
            + "\n"
        )
    by_first_owner = sorted(owners.items(), key=lambda item: [titled(part) for part in item[1]])
    sections += ["\n".join(map(titled, names)) + f"\n\n{text}\n" for text, names in by_first_owner]
    return f"\n{RULE}\n\n".join(sections)


def introduction(inside):
    head = "Rillcast itself is licensed under MIT or Apache-2.0, at your option.\nIt contains what others wrote:\n\n"
    return head + "".join(f"{titled(part)}: {part.licence or 'see its text'}\n" for part in inside)


def titled(part):
    return f"{part.name} {part.version} ({part.kind})"


def texts_of(folder):
    """Different texts below a folder; libraries in C lie some folders below the crate that binds them."""
    files = sorted(file for file in folder.rglob("*") if is_licence(file) and "node_modules" not in inner(file, folder))
    texts = (file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip() for file in files)
    return list(dict.fromkeys(text for text in texts if text))


def inner(file, folder):
    return file.relative_to(folder).parts


def is_licence(file):
    return bool(LICENCE_FILE.match(file.name)) and file.suffix.lower() not in NOT_TEXT and file.is_file()
