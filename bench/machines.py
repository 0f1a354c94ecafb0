"""Starting several servers that are one, by scripts/cluster.py, and what they need: a PostgreSQL and a NATS that can be
stopped and started meanwhile."""

import contextlib
import dataclasses
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import urllib.parse

import networks
import peers
import servers

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
DEADLINE = 60


class Missing(Exception):
    """What has to be installed."""


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Machines, each as a `servers.Server` with a name, and the address that leads to all of them."""

    nodes: list
    http: str
    rtmp: str
    nats: object
    database: object
    networks: object = None

    def cpu_seconds(self):
        return sum(node.cpu_seconds() for node in self.nodes)


class Nats:
    """A NATS server that is at the same address when it comes back."""

    def __init__(self, folder, host):
        self.program = peers.program("nats-server")
        if self.program is None:
            raise Missing("apt-get install nats-server")
        self.host, self.port = host, servers.free_port(host)
        self.url = f"nats://{host}:{self.port}"
        self.config = pathlib.Path(folder) / "nats.conf"
        jetstream = f'jetstream {{ store_dir: "{folder}/streams", max_memory_store: 1GB, max_file_store: 1GB }}'
        self.config.write_text(f'listen: "{host}:{self.port}"\n{jetstream}\n')
        self.process = None

    def start(self):
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([self.program, "-c", str(self.config)], start_new_session=True, **quiet)
        servers.wait_for_listener(self.port, self.host)

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None


class Database:
    """A PostgreSQL as scripts/postgres.sh starts it; machines find it at `nodes_url`, at `host` if that is given."""

    def __init__(self, host=None):
        told = ["sh", "-c", 'echo "$TEST_POSTGRES_URL"; exec sleep infinity']
        place = f"{host}:{servers.free_port(host)}" if host else None
        command = [str(SCRIPTS / "postgres.sh"), "with", *(["--listen", place] if place else []), "--", *told]
        self.nodes_url = f"postgres://test@{place}/postgres" if place else None
        self.holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)

    def wait(self):
        self.url = self.holder.stdout.readline().strip()
        if not self.url:
            raise Missing("apt-get install postgresql")
        self.nodes_url = self.nodes_url or self.url

    def restart(self):
        """As an operator restarts it: connections are cut, nothing committed is lost."""
        folder = urllib.parse.parse_qs(urllib.parse.urlsplit(self.url).query)["host"][0]
        control = sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"))[-1]
        command = [control, "-D", f"{folder}/db", "-m", "fast", "-w", "-l", f"{folder}/db/log", "restart"]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL)

    def count(self, sql):
        answer = subprocess.run(["psql", self.url, "-qtAXc", sql], check=True, capture_output=True, text=True)
        return int(answer.stdout)

    def stop(self):
        self.holder.terminate()
        self.holder.wait()


@contextlib.contextmanager
def cluster(binary, nodes, options=(), has_networks=False):
    """So many machines; raises `Missing` where something is not installed.

    Those that have networks can be cut off; raises `networks.NotAllowed` where they may not be made.
    """
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        made = stack.enter_context(networks.networks(nodes)) if has_networks else None
        nats = Nats(folder, made.outside("nats") if made else servers.LOOPBACK)
        stack.callback(nats.stop)
        nats.start()
        database = Database(made.outside("cluster") if made else None)
        stack.callback(database.stop)
        database.wait()
        command = [sys.executable, str(SCRIPTS / "cluster.py"), "--binary", str(binary)]
        if made:
            command += [word for place in made.places() for word in ("--at", place)]
        else:
            command += ["--nodes", str(nodes)]
        command += ["--", "--plugin-engine-cache", str(servers.engine_cache()), "--log", "warn", *options]
        env = {**os.environ, "TEST_POSTGRES_URL": database.nodes_url, "RILLCAST_TEST_NATS": nats.url}
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        stack.callback(end, process)
        first = process.stdout.readline()
        if not first:
            raise RuntimeError(f"the cluster did not start: it ended with {process.wait(DEADLINE)}")
        known = json.loads(first)
        found = [as_server(node, known["streamKey"]) for node in known["nodes"]]
        yield Cluster(found, known["http"], f"{known['rtmp']}/{known['streamKey']}", nats, database, made)


def as_server(node, stream_key):
    """A machine as the other benchmarks know a server."""
    url = urllib.parse.urlsplit(node["http"])
    process = types.SimpleNamespace(pid=node["pid"])
    server = servers.Server(process, url.port, None, time.perf_counter(), url.hostname)
    server.rtmp = f"{node['rtmp']}/{stream_key}"
    server.name = node["name"]
    return server


def end(process):
    process.terminate()
    try:
        process.wait(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
