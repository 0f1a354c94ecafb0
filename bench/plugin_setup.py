"""Packages to measure with, a server that has them enabled, and what it says about them."""

import base64
import contextlib
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

import chat_load
import servers

ROOT = pathlib.Path(__file__).resolve().parent.parent
SDK = ROOT / "sdk" / "python"
sys.path.insert(0, str(SDK))

from service_plugin_cli import archive  # noqa: E402
from service_plugin_cli.project import Project  # noqa: E402

KINDS = ROOT / "bench" / "plugin_calls" / "plugins"
EXAMPLES = ROOT / "plugins"
MANIFEST = "plugin.manifest.json"
BOUNDARY = "a-package-of-a-benchmark"
DEADLINE = 120


def write_many(folder, count):
    """As many packages as wanted, of both kinds in turns: one that only hears, one that also filters."""
    folder.mkdir()
    kinds = [KINDS / "hears", KINDS / "filters"]
    return [write(folder, kinds[number % 2], f"p{number:03}-{kinds[number % 2].name}") for number in range(count)]


def write_examples(folder):
    """The plugins that come with the server."""
    folder.mkdir()
    return [write(folder, path.parent, path.parent.name) for path in sorted(EXAMPLES.glob(f"*/{MANIFEST}"))]


def write_filters(folder, count, **manifest):
    """As many plugins that filter, with more in their manifests."""
    folder.mkdir()
    return [write(folder, KINDS / "filters", f"f{number:03}-filters", **manifest) for number in range(count)]


def write(folder, source, slug, **manifest):
    """The package of a plugin, and beside it what is inside."""
    project = Project(source)
    inside = archive.contents(project, project.built())
    inside[MANIFEST] = json.dumps({**json.loads(inside[MANIFEST]), "slug": slug, **manifest}).encode()
    unpacked, package = folder / slug, folder / f"{slug}.ocpkg"
    package.write_bytes(archive.pack(inside))
    for name, content in inside.items():
        path = unpacked / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return package


def engine_cache():
    """Where the engine is unpacked, for every server of a benchmark."""
    return servers.engine_cache()


@dataclasses.dataclass(frozen=True)
class PluginServer:
    """A server and its plugins."""

    server: servers.Server

    def ask(self, path, body=None, kind="application/json"):
        """As the operator."""
        request = urllib.request.Request(self.server.url(f"/api/admin/plugins{path}"), body)
        credentials = base64.b64encode(f"admin:{chat_load.PASSWORD}".encode()).decode()
        request.add_header("Authorization", f"Basic {credentials}")
        if body is not None:
            request.add_header("Content-Type", kind)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def install(self, package):
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="plugin"; filename="{package.name}"\r\n\r\n'
        body = head.encode() + package.read_bytes() + f"\r\n--{BOUNDARY}--\r\n".encode()
        self.ask("", body, f"multipart/form-data; boundary={BOUNDARY}")
        self.ask(f"/{package.stem}/enable", b"")

    def running(self):
        return [entry for entry in self.ask("") if entry["running"]]

    def until_running(self, count):
        """Seconds from the start of the process until that many plugins run."""
        self.server.wait_for_200("/api/status")
        while time.perf_counter() - self.server.started < DEADLINE:
            if len(self.running()) >= count:
                return time.perf_counter() - self.server.started
            time.sleep(0.005)
        entries = self.ask("")
        wanted = [entry for entry in entries if entry["enabled"]]
        problems = [entry.get("lastError") for entry in wanted if not entry["running"]]
        raise TimeoutError(f"{len(problems)} of {len(wanted)} plugins do not run: {problems[:3]}")

    def sums(self):
        """What all plugins together were called for, and what went wrong."""
        entries = self.ask("")
        named = {name: sum(entry["callStats"][name] for entry in entries) for name in ("total", "failed")}
        return {**named, "dropped": sum(entry["droppedEvents"] for entry in entries)}

    def megabytes(self):
        """Resident memory, and the same with pages that are mapped more than once counted once."""
        return [memory(self.server.process.pid, line) for line in ("Rss:", "Pss:")]


def memory(pid, line):
    """A sum over all mappings of a process, in MiB."""
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    [found] = [one for one in lines if one.startswith(line)]
    return int(found.split()[1]) / 1024


@contextlib.contextmanager
def serving(binary, data):
    options = ["--admin-password", chat_load.PASSWORD, "--plugin-engine-cache", str(engine_cache())]
    with servers.rillcast(binary, data, options) as server:
        yield PluginServer(server)


@contextlib.contextmanager
def prepared_data(binary, packages):
    """A data folder whose next server has these plugins enabled."""
    with tempfile.TemporaryDirectory() as data:
        with serving(binary, data) as plugin_server:
            plugin_server.until_running(0)
            for package in packages:
                plugin_server.install(package)
            plugin_server.until_running(len(packages))
        yield data


def bare_command():
    """Starts the peer of a plugin, when the path of a package is added."""
    return [sys.executable, "-I", str(ROOT / "bench" / "bare_plugin.py"), str(SDK)]


@contextlib.contextmanager
def bare_plugins(packages):
    """A CPython process for each package; the processes, and the seconds until all have loaded it."""
    begin = time.perf_counter()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    processes = [subprocess.Popen([*bare_command(), str(package)], **pipes) for package in packages]
    try:
        if any(process.stdout.readline() != b"ready\n" for process in processes):
            raise RuntimeError("a plugin was not loaded by CPython")
        yield processes, time.perf_counter() - begin
    finally:
        for process in processes:
            process.kill()
            process.communicate()
