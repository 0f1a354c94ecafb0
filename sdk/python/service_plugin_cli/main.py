"""The command line: which commands there are, and what each prints."""

import argparse
import pathlib
import shlex
import shutil
import sys
from typing import List, Optional

from . import VERSION
from .problem import Problem
from .project import Built, Project
from .scaffold import Scaffold

PROGRAM = "service-plugin-py"


def main(arguments: Optional[List[str]] = None) -> int:
    """Run one command. The answer is the exit code: 1 for a problem, 2 for a wrong use."""
    given = parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except Problem as problem:
        print("%s: %s" % (PROGRAM, problem), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser() -> argparse.ArgumentParser:
    """What can be given."""
    top = argparse.ArgumentParser(prog=PROGRAM, description="Write, test and package plugins in Python.")
    top.add_argument("--version", action="version", version="%s %s" % (PROGRAM, VERSION))
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    commands.required = True

    new = commands.add_parser("new", help="begin a plugin in a folder of its own")
    new.add_argument("slug", help="the plugin's slug, or a path that ends in it")
    new.set_defaults(run=run_new)

    build = commands.add_parser("build", help="make <slug>.py from the sources, without packaging")
    _add_folder(build)
    build.add_argument("--check", action="store_true", help="write nothing; exit with 1 if <slug>.py is out of date")
    build.set_defaults(run=run_build)
    return top


def _add_folder(command: argparse.ArgumentParser) -> None:
    command.add_argument("dir", nargs="?", default=".", help="the plugin's folder (default: .)")


def run_new(given: argparse.Namespace) -> int:
    """Begin a plugin."""
    begun = Scaffold(pathlib.Path(given.slug))
    begun.write()
    command = PROGRAM
    print("created %s" % begun.folder)
    print("  slug: %s" % begun.slug)
    print('  name: %s (another one goes into "name" of plugin.manifest.json)' % begun.name)
    if shutil.which(PROGRAM) is None:
        command = "%s -m service_plugin_cli" % shlex.quote(sys.executable or "python3")
        print("  %s is not on your PATH; the commands below do the same" % PROGRAM)
    print("next:")
    print("  cd %s" % shlex.quote(str(begun.folder)))
    print("  %s test" % command)
    print("  %s package" % command)
    return 0


def run_build(given: argparse.Namespace) -> int:
    """Build, or say whether that is due."""
    project = Project(pathlib.Path(given.dir))
    if not given.check:
        build(project)
        return 0
    built = project.built()
    _warn(built)
    if project.is_stale(built):
        raise Problem("%s is not what the sources make now: build it again" % project.output.name)
    print("%s is up to date" % project.output.name)
    return 0


def build(project: Project) -> Built:
    """Write the file that hosts load, and say so."""
    built = project.built()
    _warn(built)
    project.write(built)
    bundled = {0: "", 1: " (1 module bundled)"}.get(built.modules, " (%d modules bundled)" % built.modules)
    print("built %s%s" % (project.output.name, bundled))
    return built


def _warn(built: Built) -> None:
    for warning in built.warnings:
        print("warning: %s" % warning, file=sys.stderr)
