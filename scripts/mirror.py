#!/usr/bin/env python3
"""Make a folder hold what a clone holds, and touch nothing that is the same already.

    scripts/mirror.py CLONE FOLDER

Cargo tells fresh from stale by time stamps. A clone's are those of its making, so a build cache that several clones
share either compiles everything again or, worse, takes the code of another clone for this one's. Built in one folder
that follows each clone by content, a file is young exactly when it changed.

What the project's .gitignore names (installed packages, built pages) is not looked at and stays in the folder: that is
what makes it warm.
"""

import filecmp
import fnmatch
import os
import pathlib
import shutil
import sys


class Ignored:
    """The plain kinds of pattern that .gitignore holds: `/anchored/`, `name/`, `*.ext`."""

    def __init__(self, text):
        lines = [line.strip() for line in text.splitlines()]
        patterns = [line.rstrip("/") for line in lines if line and not line.startswith("#")]
        if any(pattern.startswith("!") or "**" in pattern for pattern in patterns):
            sys.exit("mirror.py does not know these patterns of .gitignore; teach it to, or write them plainly")
        self.anchored = [pattern.lstrip("/") for pattern in patterns if "/" in pattern]
        self.anywhere = [pattern for pattern in patterns if "/" not in pattern]

    def __contains__(self, path):
        return str(path) in self.anchored or any(fnmatch.fnmatch(path.name, pattern) for pattern in self.anywhere)


def files_of(folder, ignored):
    """Paths of all files and links below the folder, relative to it, but for git's own and those ignored."""
    found = set()
    for here, folders, files in os.walk(folder):
        at = pathlib.Path(here).relative_to(folder)
        # A link to a folder is an entry of its own, not a way into the folder.
        links = [name for name in folders if (folder / at / name).is_symlink()]
        folders[:] = [
            name for name in folders if name != ".git" and name not in links and at / name not in ignored
        ]
        found.update(at / name for name in (*files, *links) if name != ".git" and at / name not in ignored)
    return found


def is_same(source, target):
    if source.is_symlink() or target.is_symlink():
        return source.is_symlink() and target.is_symlink() and os.readlink(source) == os.readlink(target)
    if not target.is_file() or source.stat().st_mode & 0o777 != target.stat().st_mode & 0o777:
        return False
    return filecmp.cmp(source, target, shallow=False)


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def replace(source, target):
    """Put a copy in place whose time stamp is now."""
    for folder in reversed(target.parents):
        if folder.is_symlink() or folder.is_file():
            folder.unlink()
    target.parent.mkdir(parents=True, exist_ok=True)
    remove(target)
    if source.is_symlink():
        os.symlink(os.readlink(source), target)
    else:
        shutil.copyfile(source, target)
        shutil.copymode(source, target)


def remove_empty(folder, path):
    """A folder whose last file went goes too: some tools look at folders."""
    parent = (folder / path).parent
    while parent != folder and parent.is_dir() and not any(parent.iterdir()):
        parent.rmdir()
        parent = parent.parent


def synchronise(clone, folder):
    """Bring the folder up to date; answer the paths that changed."""
    rules = clone / ".gitignore"
    ignored = Ignored(rules.read_text() if rules.is_file() else "")
    wanted = files_of(clone, ignored)
    folder.mkdir(parents=True, exist_ok=True)
    gone = files_of(folder, ignored) - wanted
    for path in gone:
        remove(folder / path)
        remove_empty(folder, path)
    changed = {path for path in wanted if not is_same(clone / path, folder / path)}
    for path in sorted(changed):
        replace(clone / path, folder / path)
    return gone | changed


def main(arguments):
    if len(arguments) != 2:
        sys.exit("usage: mirror.py CLONE FOLDER")
    clone, folder = (pathlib.Path(argument).resolve() for argument in arguments)
    if folder == clone or clone in folder.parents or folder in clone.parents:
        sys.exit("the mirror has to lie outside the clone, and the clone outside the mirror")
    changed = synchronise(clone, folder)
    print(f"{len(changed)} files differ from the last run's")


if __name__ == "__main__":
    main(sys.argv[1:])
