#!/usr/bin/env python3
"""npm for the folders of this tree, doing nothing when nothing changed.

    npm.py install FOLDER        node_modules as package-lock.json says
    npm.py build FOLDER          install, then `npm run build` if a source changed
    npm.py run FOLDER SCRIPT     install, then `npm run SCRIPT`

Stamps lie in node_modules, so deleting that folder starts over.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Vite 8 does not install under npm 10, which is what Node 20 brings along.
NPM_MAJOR = 11

# Not sources: what npm and the build write themselves.
OUTPUTS = {"node_modules", "dist", "shots", "coverage"}


def install(folder):
    """Install exactly the locked packages, once per state of manifest and lock."""
    state = digest([folder / "package.json", folder / "package-lock.json"])
    stamp = folder / "node_modules" / ".installed"
    if read(stamp) == state:
        return
    say(f"installing the npm packages of {folder.name}/ (package-lock.json is new or has changed)")
    # Not `npm ci`: it wants every platform's optional packages, which not every mirror of the registry has.
    npm(folder, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error")
    stamp.write_text(state)


def build(folder):
    """Build `dist` once per state of the sources."""
    install(folder)
    state = digest(sources(folder))
    stamp = folder / "node_modules" / ".built"
    if read(stamp) == state and has_files(folder / "dist"):
        return
    say(f"building {folder.name}/ (its sources are new or have changed)")
    stamp.unlink(missing_ok=True)
    npm(folder, "run", "--silent", "build")
    stamp.write_text(state)


def run(folder, script):
    install(folder)
    npm(folder, "run", "--silent", script)


def npm(folder, *arguments):
    result = subprocess.run([*npm_command(), *arguments], cwd=folder)
    if result.returncode != 0:
        sys.exit(result.returncode)


def npm_command():
    """The machine's npm if it is new enough, else one of our own inside the tree."""
    try:
        version = subprocess.run(["npm", "--version"], capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        sys.exit("npm is missing: install Node 20.19 or newer, which brings it along")
    if major(version) >= NPM_MAJOR:
        return ["npm"]
    tools = ROOT / ".tools"
    own = tools / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if not own.is_file():
        say(f"installing npm {NPM_MAJOR} into .tools/ (Vite 8 does not install under npm {version})")
        tools.mkdir(exist_ok=True)
        command = ["npm", "install", "--prefix", str(tools), "--no-save", "--no-audit", "--no-fund"]
        subprocess.run([*command, "--loglevel=error", f"npm@{NPM_MAJOR}"], check=True, stdout=sys.stderr)
    return ["node", str(own)]


def major(version):
    found = re.match(r"\d+", version)
    return int(found[0]) if found else 0


def sources(folder):
    """Every file of the folder but outputs, in a fixed order."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in OUTPUTS)
        found += [pathlib.Path(parent) / name for name in sorted(files)]
    return found


def digest(files):
    """A hash over names and contents; a missing file is a state too."""
    total = hashlib.sha256()
    for file in files:
        content = file.read_bytes() if file.is_file() else b""
        total.update(f"{file.relative_to(ROOT)}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()


def read(file):
    return file.read_text() if file.is_file() else None


def has_files(folder):
    return folder.is_dir() and any(folder.iterdir())


def say(line):
    print(line, file=sys.stderr, flush=True)


def main(arguments):
    actions = {"install": (install, 0), "build": (build, 0), "run": (run, 1)}
    action, extra = actions.get(arguments[0] if arguments else "", (None, 0))
    if action is None or len(arguments) != 2 + extra:
        sys.exit(__doc__)
    folder = ROOT / arguments[1]
    if not (folder / "package.json").is_file():
        sys.exit(f"{arguments[1]}/package.json is missing")
    action(folder, *arguments[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
