#!/usr/bin/env python3
"""Run the tests of the plugin SDK on this Python and on the newest one of this machine, and the checks of its wheel.

With RILLCAST_RING=all the oldest Python that it promises to run on has its turn as well, if it is here. They run beside
each other, and what each said is printed when it has ended.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SDK = "sdk/python"
OLDEST = (3, 8)
ASK_SECONDS = 10


def candidates(environment, home):
    """Where other Pythons may be: on the PATH under their number, and where tools that keep several put them."""
    for folder in environment.get("PATH", "").split(os.pathsep):
        yield from sorted(pathlib.Path(folder or ".").glob("python3.*"))
    pyenv = pathlib.Path(environment.get("PYENV_ROOT") or home / ".pyenv")
    yield from sorted(pyenv.glob("versions/*/bin/python3"))
    yield from sorted(home.glob(".local/share/uv/python/*/bin/python3"))


def version_of(program):
    """Its version as two numbers; None for what is no working Python."""
    try:
        command = [program, "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.version_info[3])"]
        told = subprocess.run(command, capture_output=True, text=True, timeout=ASK_SECONDS, cwd="/").stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.fullmatch(r"(\d+)\.(\d+) final\n", told)
    return (int(found[1]), int(found[2])) if found else None


def installed(environment, home):
    """One Python of each version that the SDK may meet."""
    programs = {}
    for program in candidates(environment, home):
        if re.fullmatch(r"python3(\.\d+)?", program.name):
            version = version_of(program)
            if version and version >= OLDEST:
                programs.setdefault(version, str(program))
    return programs


def chosen(programs, own, is_long_ring):
    """This Python, the newest, and in the long ring the oldest; each version once."""
    programs = {**programs, own: sys.executable}
    versions = [own, max(programs)] + ([min(programs)] if is_long_ring else [])
    return {version: programs[version] for version in dict.fromkeys(versions)}


def unittest(program, what, folder):
    return [program, "scripts/unittests.py", f"sdk, {what}", f"{SDK}/{folder}", SDK]


def main():
    own = sys.version_info[:2]
    is_long_ring = os.environ.get("RILLCAST_RING") == "all"
    pythons = chosen(installed(os.environ, pathlib.Path.home()), own, is_long_ring)
    work = [("wheel and sources", sys.executable, "checks")]
    work += [("Python %d.%d" % version, program, "tests") for version, program in pythons.items()]
    runs = []
    for what, program, folder in work:
        command = unittest(program, what, folder)
        said = tempfile.TemporaryFile()
        runs.append((what, said, subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT)))
    failed = False
    for what, said, process in runs:
        failed |= process.wait() != 0
        said.seek(0)
        print(f"-- {what}", flush=True)
        sys.stdout.buffer.write(said.read())
        sys.stdout.buffer.flush()
    if max(pythons) == own:
        print(f"no newer Python than {own[0]}.{own[1]} is here: it was tried on that one alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
