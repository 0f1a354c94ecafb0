#!/usr/bin/env python3
"""Make what people install, for the kind of machine this is, in dist/:

    rillcast-VERSION-linux-MACHINE.tar.xz         the program, its manual, completions, unit, licences and SBOM
    rillcast_VERSION-1_ARCHITECTURE.deb           the same as a package for Debian and Ubuntu
    rillcast-linux-MACHINE.gz                     the program alone, which the plugin SDK fetches
    rillcast-VERSION-linux-MACHINE-debug.tar.xz   its symbols and line numbers, for debuggers
    SHA256SUMS

Made so that two runs on one commit with the same tools and the same engine of plugins (two builds of that differ, see
scripts/engine.py) give the same bytes, wherever the tree lies: paths are taken out of the program, and everything in an
archive is as old as the commit, or as SOURCE_DATE_EPOCH says.
"""

import argparse
import contextlib
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import archive
import components
import deb
import engine
import layout
import licences
import pinned
import sbom

ROOT = components.ROOT
PYTHON = sys.executable or "python3"


def main():
    given = arguments()
    machine, version, when = engine.machine(), sbom.workspace_version(), epoch()
    target = target_folder()
    if not given.skip_build:
        build(target)
    built = target / "release"
    with tempfile.TemporaryDirectory(prefix="rillcast-dist-") as scratch:
        scratch = pathlib.Path(scratch)
        with step("splitting off symbols and line numbers"):
            program, lines = split(built / "rillcast", scratch)
            needs = deb.depends(program)
        with step("writing the manual"):
            run([built / "rillcast-manual", scratch / "manual"])
        with step("collecting licences and components"):
            parts = components.everything()
            papers = {
                "THIRD-PARTY-LICENCES": licences.collected(parts).encode(),
                "rillcast.cdx.json": sbom.document(parts, version, when).encode(),
            }
        manual = {file.name: file.read_bytes() for file in (scratch / "manual").iterdir()}
        content = layout.Content(program.read_bytes(), manual, papers)
        with step("packing"):
            made = packages(content, lines.read_bytes(), needs, (version, machine, when))
    write(made, given.out)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist", metavar="FOLDER", help="default: dist/")
    parser.add_argument("--skip-build", action="store_true", help="pack what the last run has built")
    return parser.parse_args()


def epoch():
    """The time that everything in the archives has."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    asked = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if asked.returncode or not asked.stdout.strip():
        sys.exit("dist: this is no clone with a commit; set SOURCE_DATE_EPOCH to the seconds since 1970 of the release")
    return int(asked.stdout)


def target_folder():
    """A folder of its own: with other flags than `make build` has, each would undo what the other has compiled."""
    asked = subprocess.run([ROOT / "scripts" / "target-dir.sh"], check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(asked.stdout.strip()) / "dist"


def build(target):
    with step("building the pages"):
        run([PYTHON, "scripts/npm.py", "build", "ui"])
    with step("building the engine of plugins"):
        engine.build()
        # It brings licences, and is not here when the engine was built long ago.
        pinned.python_with(engine.TOOL)
    with step("fetching crates"):
        run(["cargo", "fetch", "--locked"])
    with step("compiling"):
        # One call for both: two with different features would compile the server twice. rustc links no crate that a
        # program does not name, so the server is the same as without the manual.
        programs = ("--features", "manual", "--bin", "rillcast", "--bin", "rillcast-manual")
        command = ["cargo", "build", "--release", "--locked", "--package", "server", *programs]
        run(command, {**os.environ, **build_variables(target)})


def build_variables(target):
    """What cargo is told so that the program does not say where it was built, and on which machine."""
    places = remapped(target)
    return {
        **dict(engine.build_variables()),
        "CARGO_TARGET_DIR": str(target),
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(f"--remap-path-prefix={place}={name}" for place, name in places),
        "CFLAGS": " ".join(f"-ffile-prefix-map={place}={name}" for place, name in places),
        # Line numbers go into a file of their own, see split().
        "CARGO_PROFILE_RELEASE_STRIP": "none",
    }


def remapped(target):
    """Folders and their names in the program; of several that fit, compilers take the last."""
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    # Named after the address of the registry, which may be a mirror's.
    registries = sorted((home / "registry" / "src").glob("*"))
    crates = [(place, "/crates") for place in registries]
    return [(pinned.cache(), "/engine"), (ROOT, "/rillcast"), (home, "/cargo"), *crates, (target, "/target")]


def split(program, scratch):
    """The program without its symbols and line numbers, and these."""
    lean, lines = scratch / "rillcast", scratch / "rillcast.debug"
    run(["objcopy", "--only-keep-debug", program, lines])
    run(["objcopy", "--strip-all", f"--add-gnu-debuglink={lines}", program, lean])
    return lean, lines


def packages(content, lines, needs, release):
    """Every file for dist/ by its name."""
    version, machine, when = release
    name = f"rillcast-{version}-linux-{machine}"
    entries = layout.debian(content, deb.changelog(version, when))
    fields = deb.fields(version, machine, needs)
    debug = [archive.Entry("rillcast.debug", lines)]
    return {
        f"{name}.tar.xz": archive.xz(archive.tar(layout.tarball(content), when, name)),
        f"{name}-debug.tar.xz": archive.xz(archive.tar(debug, when, f"{name}-debug")),
        f"rillcast_{fields['Version']}_{fields['Architecture']}.deb": deb.build(
            entries, fields, layout.scripts(), layout.CONFFILES, when
        ),
        layout.host_name(machine): archive.gzipped(content.program),
    }


def write(made, out):
    out.mkdir(parents=True, exist_ok=True)
    sums = []
    for name, content in sorted(made.items()):
        (out / name).write_bytes(content)
        sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
        print(f"{len(content) / 1e6:9.1f} MB  {name}")
    (out / "SHA256SUMS").write_text("".join(sums))
    print("".join(sums), end="")


@contextlib.contextmanager
def step(name):
    print(f"dist: {name}", file=sys.stderr, flush=True)
    begun = time.monotonic()
    yield
    print(f"dist: {name} took {time.monotonic() - begun:.1f} s", file=sys.stderr, flush=True)


def run(command, variables=None):
    """What a tool says goes to standard error; the result of this program is the list of files."""
    if shutil.which(command[0]) is None:
        sys.exit(f"dist: {command[0]} is missing")
    done = subprocess.run(command, cwd=ROOT, env=variables, stdout=sys.stderr)
    if done.returncode:
        sys.exit(f"dist: {pathlib.Path(command[0]).name} failed")


if __name__ == "__main__":
    main()
