"""The host: the server's own program, which plays scenarios and serves a plugin to its author.

It is looked for where the author says, on the PATH, where `make build` of the server leaves it and among what was
fetched before, and is fetched otherwise.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
from typing import Callable, Iterator, List, Optional, Tuple

from . import VERSION, releases
from .problem import Problem

FILE = "SERVICE_PLUGIN_HOST"
FOLDER = "SERVICE_PLUGIN_HOST_BIN_DIR"
CACHE = "SERVICE_PLUGIN_CACHE"

PROGRAM = "rillcast"

# The host answers these questions at once.
ASK_SECONDS = 30


def tool(command: str) -> str:
    """The name under which the same program does one thing alone, as other SDKs lay it out."""
    return "service-plugin-" + command


class Host:
    """A host that can do one of the commands ``test`` and ``serve``."""

    def __init__(self, path: pathlib.Path, command: str) -> None:
        self.path = path
        # Under a name of its own it needs no word for what to do.
        self.takes_words = not path.name.endswith("plugin-" + command)
        self._words = ["plugin", command] if self.takes_words else []

    def run(self, arguments: List[str], **environment: str) -> int:
        """Run it to its end. The answer is its exit code."""
        with ends_with_us(lambda: self.start(arguments, **environment)) as process:
            return wait_for(process)

    def start(self, arguments: List[str], **environment: str) -> "subprocess.Popen[bytes]":
        """Let it run beside us."""
        sys.stdout.flush()
        try:
            return subprocess.Popen(self._command(arguments), env=dict(os.environ, **environment))
        except OSError as error:
            raise Problem("the host %s cannot be started: %s" % (self.path, error.strerror or error))

    def check(self) -> None:
        """Refuse a host that is older than this SDK: it would not know what scenarios ask of it."""
        found = re.search(r"(\d+)\.(\d+)\.(\d+)", self._ask([str(self.path), "--version"]))
        if found and _numbers(found.group()) < _numbers(VERSION):
            raise Problem(
                "the host %s is version %s, and this SDK needs %s or newer: update it, or name another one with %s"
                % (self.path, found.group(), VERSION, FILE)
            )

    def knows(self, flag: str) -> bool:
        """Whether its help speaks of a flag."""
        told = self._ask(self._command(["--help"]))
        return re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(flag), told) is not None

    def _command(self, arguments: List[str]) -> List[str]:
        return [str(self.path)] + self._words + arguments

    def _ask(self, command: List[str]) -> str:
        try:
            told = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=ASK_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise Problem("the host %s does not answer" % self.path)
        except OSError as error:
            raise Problem("the host %s cannot be started: %s" % (self.path, error.strerror or error))
        return told.stdout.decode("utf-8", "replace")


@contextlib.contextmanager
def ends_with_us(start: Callable[[], "subprocess.Popen[bytes]"]) -> Iterator["subprocess.Popen[bytes]"]:
    """Starts the host. Whoever ends this command means the host as well, also while it is being started."""
    started: List["subprocess.Popen[bytes]"] = []
    asked: List[bool] = []

    def end(*_: object) -> None:
        asked.append(True)
        for process in started:
            process.terminate()

    # Only the main thread hears signals, and only it may say what happens then.
    is_main = threading.current_thread() is threading.main_thread()
    former = signal.signal(signal.SIGTERM, end) if is_main else None
    try:
        started.append(start())
        if asked:
            started[0].terminate()
        yield started[0]
    finally:
        try:
            # Whatever went wrong here, nothing stays behind.
            if started and started[0].poll() is None:
                started[0].terminate()
                started[0].wait()
        finally:
            if is_main:
                signal.signal(signal.SIGTERM, former or signal.SIG_DFL)


def wait_for(process: "subprocess.Popen[bytes]") -> int:
    """The exit code of a process; one that a signal ended counts as shells count it."""
    while True:
        try:
            code = process.wait()
            return 128 - code if code < 0 else code
        except KeyboardInterrupt:
            # Ctrl-C reached the host as well, which ends by itself.
            continue


def find(command: str) -> Host:
    """The host for a command."""
    path = _given(command) or _on_path(command) or _built() or _fetched(command)
    host = Host(path, command)
    host.check()
    return host


def cache() -> pathlib.Path:
    """What is kept between two runs, for this user."""
    given = os.environ.get(CACHE)
    if given:
        return pathlib.Path(given).expanduser().resolve()
    if sys.platform == "darwin":
        return pathlib.Path.home() / "Library" / "Caches" / "service-plugin"
    base = os.environ.get("XDG_CACHE_HOME")
    return (pathlib.Path(base) if base else pathlib.Path.home() / ".cache") / "service-plugin"


def _given(command: str) -> Optional[pathlib.Path]:
    file = os.environ.get(FILE)
    if file:
        return _runnable(pathlib.Path(file).expanduser(), FILE, command)
    folder = os.environ.get(FOLDER)
    if not folder:
        return None
    for name in (PROGRAM, tool(command)):
        path = pathlib.Path(folder).expanduser() / name
        if path.is_file():
            return _runnable(path, FOLDER, command)
    raise Problem("%s is %s, and there is neither %s nor %s in it" % (FOLDER, folder, PROGRAM, tool(command)))


def _runnable(path: pathlib.Path, variable: str, command: str) -> pathlib.Path:
    if not path.is_file():
        raise Problem("%s is %s, which is no file: it must be the program %s" % (variable, path, PROGRAM))
    if not os.access(str(path), os.X_OK):
        raise Problem("%s cannot be run: `chmod +x %s` allows it (it comes from %s)" % (path, path, variable))
    for other in ("test", "serve"):
        # The tool for another command lies beside the one that is wanted.
        if other != command and path.name.endswith("plugin-" + other):
            sibling = path.with_name(path.name[: -len(other)] + command)
            if not sibling.is_file():
                raise Problem("%s is %s, which cannot %s, and %s is not there" % (variable, path, command, sibling))
            return sibling
    return path


def _on_path(command: str) -> Optional[pathlib.Path]:
    for name in (PROGRAM, tool(command)):
        found = shutil.which(name)
        if found:
            return pathlib.Path(found)
    return None


def built() -> pathlib.Path:
    """Where `make build` in the server's sources leaves a link to what it has built."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (pathlib.Path(base) if base else pathlib.Path.home() / ".cache") / "rillcast" / "bin" / PROGRAM


def _built() -> Optional[pathlib.Path]:
    # A link that leads nowhere is no file: the sources may be gone.
    return built() if built().is_file() else None


def _fetched(command: str) -> pathlib.Path:
    """What was fetched before, or else is fetched now."""
    version = releases.version()
    path = cache() / "host" / version / PROGRAM
    if not path.is_file():
        if not releases.has_address():
            raise Problem(_nowhere(command, path))
        releases.fetch(version, path)
    return path


def _nowhere(command: str, fetched: pathlib.Path) -> str:
    folders = ", ".join(folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder)
    return (
        "no host was found: neither %s nor %s is set, there is neither %s nor %s on the PATH (%s), and neither %s nor "
        "%s is there; run `make build` in the server's sources, or %s; there is no address to fetch one from, which "
        "%s would be"
        % (FILE, FOLDER, PROGRAM, tool(command), folders, built(), fetched, releases.INSTEAD, releases.ADDRESS)
    )


def _numbers(version: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
