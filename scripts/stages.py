"""What `make test` and `make test-all` run, in order.

Cheap stages come first. All of cargo's stages use the dev profile and the same flags, so that an empty cache pays for
one build. Limits are three times what a stage takes on two quiet cores; those of builds are about empty caches.
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
    tests: bool = False  # leaves reports of its tests, and at least one has to pass
    fatal: bool = False  # later stages make no sense when this one fails
    may_skip: bool = False  # may leave itself out by exiting with SKIPPED
    env: tuple = ()  # pairs, added to the environment


def test():
    """Everything a change has to pass."""
    return steps("test")


def test_all():
    """`test` with its long forms, and what is too slow or too exotic for every change."""
    pictures = (PYTHON, "scripts/screenshots.py", "--short")
    buckets = ("scripts/versitygw.sh", "with", "--", PYTHON, "scripts/rust_tests.py", "blobs it")
    return [
        *steps("all"),
        Stage("screenshots", pictures, 600, tests=True, env=engine.variables()),
        # A real server of buckets; building it takes minutes, once.
        Stage("buckets", buckets, 1200, tests=True, may_skip=True, env=engine.build_variables()),
        Stage("licences and bans", ("scripts/deny.sh",), 600, may_skip=True),
        Stage("fuzz", ("scripts/fuzz.sh", "15"), 1200, may_skip=True),
    ]


def steps(ring):
    """A step is a stage, or a tuple of lists of stages that run beside each other."""
    is_long = ring == "all"
    in_ring = (("RILLCAST_RING", ring),)
    # The program of the tests carries the engine of plugins, as the one does that people run.
    carrying = engine.build_variables()
    with_engine = (*in_ring, *engine.variables())
    api = kept("api", PYTHON, "scripts/schema.py")
    documenting = (*carrying, ("RUSTDOCFLAGS", "-D warnings"))
    return [
        Stage("set-up", ("scripts/setup.sh", "test-all" if is_long else "test"), 240, fatal=True),
        Stage("format", ("cargo", "fmt", "--all", "--check"), 30),
        (
            [Stage("engine", (PYTHON, "scripts/engine.py", "build"), 240, fatal=True)],
            [
                Stage("ui build", (PYTHON, "scripts/npm.py", "build", "ui"), 180, fatal=True),
                Stage("ui lint", npm("ui", "lint"), 60),
                Stage("ui types", npm("ui", "check"), 60),
            ],
        ),
        Stage("clippy", cargo("clippy", "--workspace", "--all-targets", "--", "-D", "warnings"), 1050, env=carrying),
        # All targets: dev-dependencies then count for the binary too, and nothing is built twice.
        Stage("build", cargo("build", "--workspace", "--all-targets"), 1800, fatal=True, env=carrying),
        Stage("docs", cargo("doc", "--workspace", "--no-deps"), 330, env=documenting),
        # These only compute: two lanes are two cores.
        (
            [
                Stage("ui tests", kept("ui tests", *npm("ui", "test")), 300, tests=True, env=in_ring),
                Stage("the ring itself", unittests("the ring itself", "scripts"), 300, tests=True),
            ],
            [Stage("sdk", kept("sdk", PYTHON, "scripts/sdk.py"), 400, tests=True, env=in_ring)],
        ),
        Stage(
            "rust tests",
            (*beside("postgres.sh"), *beside("nats.sh"), PYTHON, "scripts/rust_tests.py"),
            1100,
            tests=True,
            env=(*in_ring, *carrying, ("RILLCAST_TEST_ENGINE", str(engine.engine()))),
        ),
        # The check of the API fills the pauses of encoders that keep up with time, and gives way to them.
        (
            [Stage("e2e: encoding", e2e("encoding"), 900 if is_long else 300, tests=True, env=with_engine)],
            [Stage("api", ("nice", "-n", "19", *api), 1000, tests=True, may_skip=True, env=with_engine)],
        ),
        Stage("e2e: browsers", e2e("browsers"), 2400 if is_long else 750, tests=True, env=with_engine),
        Stage("e2e: plugins", e2e("plugins"), 900 if is_long else 400, tests=True, env=with_engine),
        Stage("e2e: others", e2e("others"), 2000 if is_long else 750, tests=True, env=with_engine),
    ]


def cargo(command, *arguments):
    """In CI the committed Cargo.lock has to be the right one; elsewhere cargo may mend it."""
    locked = ("--locked",) if os.environ.get("CI") == "true" else ()
    return ("cargo", command, *locked, *arguments)


def npm(folder, script):
    return (PYTHON, "scripts/npm.py", "run", folder, script)


def kept(name, *command):
    """Spared when it passed before with the same inputs."""
    return (PYTHON, "scripts/kept_stage.py", name, *command)


def beside(script):
    """A server runs for as long as the command does."""
    return (f"scripts/{script}", "with", "--")


def e2e(lane):
    return (PYTHON, "scripts/e2e.py", "--lane", lane)


def unittests(name, folder):
    return (PYTHON, "scripts/unittests.py", name, folder)


RINGS = {"test": test, "test-all": test_all}
