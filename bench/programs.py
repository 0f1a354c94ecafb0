"""The load generators: Rust programs in folders of their own, and what the system must allow them."""

import os
import pathlib
import resource
import subprocess

TARGET_DIR = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "target-dir.sh"


def build(folder, *more):
    """The folder with the built programs; None when they cannot be built. `more` is for cargo.

    It is the server's own, so that what both are made of is compiled once.
    """
    target = pathlib.Path(subprocess.run([TARGET_DIR], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--manifest-path", str(folder / "Cargo.toml")]
    if subprocess.run([*command, *more, "--target-dir", str(target)]).returncode != 0:
        print(f"the program in {folder.name}/ could not be built: its rows are missing")
        return None
    return target / "release"


def raise_file_limit(wanted):
    """For this process and so for what it starts; root may raise the hard limit, others see errors when it is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return
    if hard < wanted and os.geteuid() == 0:
        hard = wanted
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
