"""What `make test` and `make test-all` run, in order.

Cheap stages come first. All of cargo's stages use the dev profile and the same flags, so that an empty
cache pays for one build. Timeouts are generous on two cores; their sum stays below 90 minutes. The long ring is run by
hand on a machine that has built before, so its builds have less.
"""

import dataclasses
import os
import pathlib
import sys

import engine

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = sys.executable or "python3"


@dataclasses.dataclass(frozen=True)
class Stage:
    """One command of a ring and what is expected of it."""

    name: str
    command: tuple
    timeout: float
    runner: str = ""  # a key of COUNTERS: its tests are counted, and at least one has to run
    fatal: bool = False  # later stages make no sense when this one fails
    may_skip: bool = False  # may leave itself out by exiting with SKIPPED
    env: tuple = ()  # pairs, added to the environment


def test():
    """Everything a change has to pass."""
    return stages("test")


def test_all():
    """`test` with its long forms, and what is too slow or too exotic for every change."""
    return stages("all") + [
        Stage("licences and bans", ("scripts/deny.sh",), 90, may_skip=True),
        Stage("fuzz", ("scripts/fuzz.sh", "15"), 1040, may_skip=True),
    ]


def stages(ring):
    is_long = ring == "all"
    in_ring = (("RILLCAST_RING", ring),)
    # A server of the tests does not carry the engine of plugins: it is told where it is.
    with_engine = (*in_ring, *engine.variables())
    return [
        Stage("set-up", ("scripts/setup.sh", "test-all" if is_long else "test"), 100 if is_long else 240, fatal=True),
        Stage("the ring itself", unittest("scripts"), 60, runner="unittest"),
        Stage("sdk", (PYTHON, "scripts/sdk.py"), 105, runner="unittest", env=in_ring),
        Stage("engine", (PYTHON, "scripts/engine.py", "build"), 180, fatal=True),
        Stage("ui build", (PYTHON, "scripts/npm.py", "build", "ui"), 120, fatal=True),
        Stage("ui lint", npm("ui", "lint"), 30),
        Stage("ui types", npm("ui", "check"), 30),
        Stage("ui tests", npm("ui", "test"), 190 if is_long else 240, runner="vitest", env=in_ring),
        Stage("format", ("cargo", "fmt", "--all", "--check"), 30),
        Stage("clippy", cargo("clippy", "--workspace", "--all-targets", "--", "-D", "warnings"), 160 if is_long else 420),
        # All targets: dev-dependencies then count for the binary too, and nothing is built twice.
        Stage("build", cargo("build", "--workspace", "--all-targets"), 300 if is_long else 800, fatal=True),
        Stage("engine compile", (PYTHON, "scripts/engine.py", "compile"), 60 if is_long else 120, fatal=True),
        Stage(
            "rust tests",
            rust_tests(),
            530 if is_long else 750,
            runner="cargo",
            env=(*in_ring, ("RILLCAST_TEST_ENGINE", str(engine.engine()))),
        ),
        Stage("docs", cargo("doc", "--workspace", "--no-deps"), 100, env=(("RUSTDOCFLAGS", "-D warnings"),)),
        Stage(
            "api", (PYTHON, "scripts/schema.py"), 210 if is_long else 300, runner="operations", may_skip=True, env=with_engine
        ),
        Stage("e2e", (PYTHON, "scripts/e2e.py"), 2050 if is_long else 1400, runner="node", env=with_engine),
    ]


def cargo(command, *arguments):
    """In CI the committed Cargo.lock has to be the right one; elsewhere cargo may mend it."""
    locked = ("--locked",) if os.environ.get("CI") == "true" else ()
    return ("cargo", command, *locked, *arguments)


def rust_tests():
    return ("scripts/postgres.sh", "with", "--", *cargo("test", "--workspace", "--no-fail-fast"))


def npm(folder, script):
    return (PYTHON, "scripts/npm.py", "run", folder, script)


def unittest(folder):
    return (PYTHON, "-m", "unittest", "discover", "-s", folder, "-t", folder)


RINGS = {"test": test, "test-all": test_all}
