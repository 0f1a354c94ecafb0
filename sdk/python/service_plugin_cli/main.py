"""The command line: which commands there are, and what each prints."""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from typing import Callable, List, Optional

from . import VERSION, archive, host
from .problem import Problem
from .project import Built, Project, Stamp, replace
from .scaffold import Scaffold

PROGRAM = "service-plugin-py"

# Flags of ``test`` that are the host's to understand: the flag, the word for its value, and what it does.
PASSED_ON = (
    ("--filter", "TEXT", "play only scenarios with this in their name or in that of their file"),
    ("--junit", "FILE", "also write the results to this file, as JUnit XML"),
    ("--jobs", "N", "how many scenarios are played at once (default: as many as there are processors)"),
    ("--watch", None, "build and play them again whenever something changes, until Ctrl-C"),
)

# How often sources are looked at while a host runs.
WATCH_SECONDS = 0.4


def main(arguments: Optional[List[str]] = None) -> int:
    """Run one command. The answer is the exit code: 1 for a problem, 2 for a wrong use."""
    given = parser().parse_args(arguments)
    try:
        code = int(given.run(given))
        sys.stdout.flush()
        return code
    except Problem as problem:
        _tell(problem)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Nobody reads on, as with `| head`. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


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

    test = commands.add_parser("test", help="build, then play the scenarios in __tests__/")
    _add_folder(test)
    test.add_argument("--load-only", action="store_true", help="stop once the plugin has loaded")
    for flag, word, about in PASSED_ON:
        if word is None:
            test.add_argument(flag, action="store_true", help=about)
        else:
            test.add_argument(flag, metavar=word, help=about)
    test.set_defaults(run=run_test)

    serve = commands.add_parser("serve", help="build, then run a server for trying the plugin out")
    _add_folder(serve)
    serve.add_argument("-p", "--port", type=_port, default=8080, metavar="N", help="the port (default: 8080)")
    serve.set_defaults(run=run_serve)

    package = commands.add_parser("package", help="build, have the host load it, and make <slug>.ocpkg")
    _add_folder(package)
    package.set_defaults(run=run_package)
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


def run_test(given: argparse.Namespace) -> int:
    """Build and play the scenarios; the host's exit code is ours."""
    project = Project(pathlib.Path(given.dir))
    seen = project.stamp()
    build(project)
    found = host.find("test")
    arguments = ["--load-only"] if given.load_only else []
    for flag, word, _ in PASSED_ON:
        value = getattr(given, flag[2:])
        if value:
            if not found.knows(flag):
                raise Problem("the host %s does not know %s" % (found.path, flag))
            # One word: a value may begin with a dash.
            arguments += [flag] if word is None else ["%s=%s" % (flag, value)]
    arguments.append(str(project.folder))
    return _watch(project, seen, lambda: found.start(arguments)) if given.watch else found.run(arguments)


def run_serve(given: argparse.Namespace) -> int:
    """Build and serve, and build again when a source changes."""
    project = Project(pathlib.Path(given.dir))
    seen = project.stamp()
    build(project)
    found = host.find("serve")
    port = str(given.port)
    # The tool of other SDKs is told its port by the environment.
    flags = ["--port", port] if found.takes_words else []
    return _watch(project, seen, lambda: found.start([str(project.folder)] + flags, PORT=port))


def run_package(given: argparse.Namespace) -> int:
    """Build, have a host load it, and write the package."""
    project = Project(pathlib.Path(given.dir))
    built = build(project)
    try:
        entries = archive.contents(project, built)
        for text in archive.missing(project.manifest, entries):
            print("warning: %s" % text, file=sys.stderr)
        packed = archive.pack(entries)
        if host.find("test").run(["--load-only", str(project.folder)]) != 0:
            raise Problem("the host does not load the plugin, so it was not packaged; it says why above")
        target = project.folder / (project.manifest.slug + archive.SUFFIX)
        replace(target, packed)
    finally:
        # It was only there for the host.
        os.unlink(str(project.output))
    count = "1 file" if len(entries) == 1 else "%d files" % len(entries)
    print("packaged %s: %.1f KB, %s" % (target.name, len(packed) / 1024, count))
    for line in archive.describe(project.manifest, entries):
        print(line)
    return 0


def _watch(project: Project, seen: Stamp, start: Callable[[], "subprocess.Popen[bytes]"]) -> int:
    """Build again whenever a source changes, until the host ends. The host notices what was built by itself."""
    with host.ends_with_us(start) as process:
        try:
            while process.poll() is None:
                try:
                    process.wait(WATCH_SECONDS)
                except subprocess.TimeoutExpired:
                    now = _look(project, seen)
                    if now != seen:
                        seen = now
                        project = _build_again(project)
        except KeyboardInterrupt:
            # Ctrl-C reached the host as well, which ends by itself.
            pass
        return host.wait_for(process)


def _look(project: Project, seen: Stamp) -> Stamp:
    try:
        return project.stamp()
    except OSError:
        # A folder went away meanwhile: the next look tells.
        return seen


def _build_again(project: Project) -> Project:
    try:
        # The manifest may be what has changed.
        project = Project(project.folder)
        build(project)
    except Problem as problem:
        _tell(problem)
    return project


def _port(text: str) -> int:
    if not text.isdigit() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError("%r is no port: it is a number from 0 to 65535" % text)
    return int(text)


def _tell(problem: Problem) -> None:
    for line in problem.lines():
        print("%s: %s" % (PROGRAM, line), file=sys.stderr)


def _warn(built: Built) -> None:
    for warning in built.warnings:
        print("warning: %s" % warning, file=sys.stderr)
