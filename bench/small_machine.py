"""The server on a machine that is hardly one: 256 MB of memory and one core, by a control group.

A 720p stream comes in, 50 low-latency viewers watch, five plugins run, and somebody talks. What counts against the limit
is everything: the process, its children, and the files it has written or mapped. Needs root, and control groups of either
version.
"""

import concurrent.futures
import contextlib
import pathlib
import shutil
import tempfile
import time

import chat_load
import crowd
import plugin_setup
import programs
import servers
import sources
from rows import row

MEGABYTES = 256
SECONDS = 60
VIEWERS = 50
PLUGINS = ("dice", "live-notice", "poll", "song-wishes", "word-shield")
LINES_PER_SECOND = 2
SHARE_LIMIT = 0.95

GROUPS = pathlib.Path("/sys/fs/cgroup")
# Names of what is needed in version 1 and in version 2.
OLD = {"limit": "memory.limit_in_bytes", "peak": "memory.max_usage_in_bytes"}
NEW = {"limit": "memory.max", "peak": "memory.peak"}


def measure(run):
    viewers, people = programs.build(crowd.FOLDER), programs.build(chat_load.FOLDER)
    if viewers is None or people is None:
        return []
    sources.source("c")
    with group() as cgroup, tempfile.TemporaryDirectory() as data:
        options = ["--admin-password", chat_load.PASSWORD, "--plugin-engine-cache", f"{data}/engine"]
        options += ["--set", "latency_level=2", "--set", "chat_spam_protection=false"]
        with servers.rillcast(starter(run.binary, cgroup, data), data, options) as server:
            plugin_server = plugin_setup.PluginServer(server)
            server.wait_for_200("/api/status")
            for slug in PLUGINS:
                plugin_server.ask(f"/{slug}/enable", b"")
            plugin_server.until_running(len(PLUGINS))
            with sources.pushing("c", server.rtmp), concurrent.futures.ThreadPoolExecutor() as pool:
                sources.wait_until_live(server, segments=3)
                with chat_load.people(server, people, VIEWERS) as room:
                    talking = pool.submit(room.talk, VIEWERS, LINES_PER_SECOND, SECONDS)
                    seen = crowd.watch(viewers / "viewers", server, VIEWERS, SECONDS)
                    said = talking.result()
            is_alive = server.process.poll() is None
            failed = plugin_server.sums()["failed"]
            peak = int((cgroup / file_names(cgroup)["peak"]).read_text()) / 1024 / 1024
            own = server.resident_megabytes()
    name = f"{MEGABYTES} MB, one core, 720p, {VIEWERS} viewers, {len(PLUGINS)} plugins, chat"
    if not is_alive:
        raise RuntimeError(f"{name}: the server was killed")
    return [
        row(f"{name}: most memory of the group, MB", peak, MEGABYTES, "the limit", limit=MEGABYTES),
        row(f"{name}: memory of the processes at the end (RSS), MB", own, MEGABYTES, "the limit", limit=MEGABYTES),
        row(f"{name}: share of listed parts that viewers got", seen["share_fetched"], 1, "all", limit=SHARE_LIMIT, more_is_better=True),
        row(f"{name}: lines of chat lost", said["lost"], said["sent"], "said", limit=0),
        row(f"{name}: lines of chat, p99 ms", said["lag_ms"]["p99"]),
        row(f"{name}: calls of plugins that failed", failed, 0, "none", limit=0),
    ]


def file_names(cgroup):
    return NEW if (cgroup / NEW["limit"]).exists() else OLD


@contextlib.contextmanager
def group():
    """A control group with the limit, gone when nobody is in it any more."""
    old = GROUPS / "memory"
    cgroup = (old if (old / OLD["limit"]).exists() else GROUPS) / "rillcast-bench"
    cgroup.mkdir()
    try:
        (cgroup / file_names(cgroup)["limit"]).write_text(str(MEGABYTES * 1024 * 1024))
        yield cgroup
    finally:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                cgroup.rmdir()
                break
            time.sleep(0.1)


def starter(binary, cgroup, folder):
    """A program that enters the group, keeps to one core, and becomes the server."""
    script = pathlib.Path(folder) / "start"
    core = shutil.which("taskset")
    script.write_text(f'#!/bin/sh\necho $$ > {cgroup}/cgroup.procs && exec {core} -c 0 {binary} "$@"\n')
    script.chmod(0o755)
    return script
