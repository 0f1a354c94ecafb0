"""The load generators: Rust programs in folders of their own, and what the system must allow them."""

import os
import resource
import subprocess

import sources


def build(folder):
    """The folder with the built programs, outside the tree; None when they cannot be built."""
    target = sources.cache() / "target"
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--manifest-path", str(folder / "Cargo.toml")]
    env = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
    if subprocess.run([*command, "--target-dir", str(target)], env=env).returncode != 0:
        print(f"the load generator in {folder.name}/ could not be built: its rows are missing")
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
