#!/usr/bin/env python3
"""Run a cluster on this machine for a first look and for tests: PostgreSQL, NATS, machines, and HAProxy before them.

    cluster.py [--nodes N | --at NAMESPACE=ADDRESS/BITS…] [--listen ADDRESS] [--data FOLDER] [--binary FILE] [-- OPTION…]

Its first line is a JSON document that says where everything is:

    {"http": …, "rtmp": …, "streamKey": …, "setupUrl": …, "nats": …, "database": …,
     "nodes": [{"name": "node1", "http": …, "rtmp": …, "pid": …}, …]}

`http` and `rtmp` lead through HAProxy, with deploy/haproxy-cluster.cfg, and are those of the first machine where HAProxy
is not installed. Ctrl-C ends everything that was started, and takes it away. So does the end of the first machine's
start, if that fails; a machine that ends later is told, and the others go on.

With --at a machine runs in a network namespace that is there already, and serves at that address; PostgreSQL and NATS have
to be where it reaches them.

The database and NATS are fresh ones on every run. With --data the machines keep what they log there.
OPTION… is for every machine: `-- --log debug`.
"""

import argparse
import contextlib
import ctypes
import dataclasses
import ipaddress
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import e2e
import supervise

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROXY = ROOT / "deploy" / "haproxy-cluster.cfg"
DATABASE, NATS = "TEST_POSTGRES_URL", "RILLCAST_TEST_NATS"
STREAM_KEY = "cluster-stream-key"
START_SECONDS = 60.0
# A machine promises to be gone ten seconds after SIGTERM.
STOP_SECONDS = 15.0
LOOK_SECONDS = 0.05
# Each has connections to the database.
MAX_NODES = 12


class Problem(Exception):
    """Something a person can do something about."""


class Stopped(Exception):
    """Somebody asked for the end."""


def stop(*_):
    # Once: what follows is the tidying up.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise Stopped


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ends_with_us():
    """In a child before its program starts: it must not outlive a parent that is killed."""
    ctypes.CDLL(None).prctl(supervise.PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def program(name):
    """Debian has servers where only root looks."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def environment():
    """A setting of the person who runs this is for all machines; what is ours is for none."""
    return {name: value for name, value in os.environ.items() if name not in (DATABASE, NATS, "RILLCAST_BIN")}


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a machine runs, and who is before it."""

    address: str = "127.0.0.1"
    proxies: str = "127.0.0.1"
    entering: tuple = ()


def place(text):
    """NAMESPACE=ADDRESS/BITS."""
    namespace, _, address = text.partition("=")
    there = ipaddress.ip_interface(address)
    return Place(str(there.ip), str(there.network), (program("ip") or "ip", "netns", "exec", namespace))


class Cluster:
    """What was started, and how it is ended."""

    def __init__(self, folder, nats, database):
        self.folder = pathlib.Path(folder)
        self.nats = nats
        self.database = database
        self.children = {}

    def start(self, name, command):
        log = self.folder / f"{name}.log"
        with log.open("ab") as output:
            # Sessions of their own: a Ctrl-C of the terminal reaches this program, which ends them one after the other.
            self.children[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment(),
                start_new_session=True,
                preexec_fn=ends_with_us,
            )
        return self.children[name]

    def node(self, binary, name, place, options):
        """Starts a machine, and answers what it says of itself once it serves."""
        folder = self.folder / name
        ready = folder / "ready.json"
        folder.mkdir(exist_ok=True)
        ready.unlink(missing_ok=True)
        command = [*place.entering, binary, "--data-dir", str(folder / "data"), "--ready-file", str(ready)]
        anywhere = f"{place.address}:0"
        command += ["--listen", anywhere, "--rtmp-listen", anywhere, "--trusted-proxies", place.proxies]
        command += ["--database-url", self.database, "--secret-key-file", str(self.folder / "secret.key")]
        command += ["--cluster", "local", "--nats", self.nats, "--node-name", name, "--node-header"]
        command += ["--initial-stream-key", STREAM_KEY, *options]
        process = self.start(name, command)
        said = self.until(process, name, lambda: json.loads(ready.read_text()))
        return {"name": name, **said, "pid": process.pid}

    def proxy(self, listen, nodes):
        """HAProxy with the configuration of the guide, and the addresses of this cluster."""
        rtmp = f"127.0.0.1:{free_port()}"
        config = self.folder / "haproxy.cfg"
        config.write_text(adapted(PROXY.read_text(), listen, rtmp, nodes))
        process = self.start("haproxy", [program("haproxy"), "-db", "-f", str(config)])
        self.until(process, "haproxy", lambda: socket.create_connection(split(listen), timeout=1).close() or True)
        return f"http://{listen}", f"rtmp://{rtmp}/live"

    def until(self, process, name, look):
        """What `look` answers as soon as it does."""
        end = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(OSError, ValueError):
                return look()
            if process.poll() is not None:
                raise Problem(f"{name} ended with {process.returncode}:\n{self.log_of(name)}")
            if time.monotonic() > end:
                raise Problem(f"{name} does not serve after {START_SECONDS:g} s:\n{self.log_of(name)}")
            time.sleep(LOOK_SECONDS)

    def log_of(self, name):
        with contextlib.suppress(OSError):
            return "\n".join((self.folder / f"{name}.log").read_text("utf-8", "replace").splitlines()[-20:])
        return ""

    def watch(self, name, process):
        code = process.wait()
        if self.children.get(name) is process:
            print(f"cluster: {name} ended with {code}:\n{self.log_of(name)}", file=sys.stderr, flush=True)

    def end(self):
        """The proxy first, so that nobody is sent to a machine that goes."""
        children, self.children = self.children, {}
        last = [name for name in children if name != "haproxy"]
        for group in (["haproxy"], last):
            processes = [children[name] for name in group if name in children]
            for process in processes:
                process.terminate()
            end = time.monotonic() + STOP_SECONDS
            for process in processes:
                try:
                    process.wait(timeout=max(end - time.monotonic(), 0.1))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def split(address):
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def host_of(url):
    return url.split("://")[-1].split("/")[0]


def adapted(text, listen, rtmp, nodes):
    """The configuration of the guide with other addresses; what stands for the operator's own has to be there."""
    text = replaced(text, ":443 ssl crt /etc/haproxy/live.example.org.pem alpn h2,http/1.1", listen)
    text = replaced(text, "    http-request set-header X-Forwarded-Proto https\n", "")
    text = replaced(text, "bind :1935", f"bind {rtmp}")
    # Without PROXY's example ports: each machine of ours has ports of its own.
    text = replaced(text, "check port 8080 inter", "check inter")
    for kind, port in (("http", 8080), ("rtmp", 1935)):
        example = f"    server left  10.0.0.11:{port}\n    server right 10.0.0.12:{port}\n"
        text = replaced(text, example, "".join(server_line(node, kind) for node in nodes))
    return text


def server_line(node, kind):
    check = "" if kind == "http" else f" port {split(host_of(node['http']))[1]}"
    return f"    server {node['name']} {host_of(node[kind])}{check}\n"


def replaced(text, old, new):
    if old not in text:
        raise Problem(f"{PROXY.name} does not say {old.strip()!r} any more")
    return text.replace(old, new)


def run(asked, folder):
    cluster = Cluster(folder, os.environ[NATS], os.environ[DATABASE])
    try:
        # The first one makes the key and the tables.
        places = enumerate(asked.at or [Place()] * asked.nodes, 1)
        nodes = [cluster.node(asked.binary, f"node{number}", place, asked.options) for number, place in places]
        http, rtmp = nodes[0]["http"], nodes[0]["rtmp"]
        if not program("haproxy"):
            print("cluster: HAProxy is not installed: the addresses are those of the first machine", file=sys.stderr)
        else:
            http, rtmp = cluster.proxy(asked.listen or f"127.0.0.1:{free_port()}", nodes)
        known = {"http": http, "rtmp": rtmp, "streamKey": nodes[0].get("streamKey") or STREAM_KEY}
        known["setupUrl"] = nodes[0].get("setupUrl")
        document = {**known, "nats": cluster.nats, "database": cluster.database, "folder": str(folder)}
        shown = [{name: node[name] for name in ("name", "http", "rtmp", "pid")} for node in nodes]
        print(json.dumps({**document, "nodes": shown}), flush=True)
        for name, process in list(cluster.children.items()):
            threading.Thread(target=cluster.watch, args=(name, process), daemon=True).start()
        while True:
            signal.pause()
    finally:
        cluster.end()


def options():
    parser = argparse.ArgumentParser(
        prog="cluster.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=2, metavar="N", help="how many machines there are (default 2)")
    there = "a network namespace for a machine, and its address and network there; once for each, instead of --nodes"
    parser.add_argument("--at", type=place, action="append", metavar="NAMESPACE=ADDRESS/BITS", help=there)
    where = "where HAProxy listens for viewers, such as 127.0.0.1:8080 (default: a free port)"
    parser.add_argument("--listen", metavar="ADDRESS", help=where)
    parser.add_argument("--data", type=pathlib.Path, metavar="FOLDER", help="where the logs stay (default: nowhere)")
    parser.add_argument("--binary", help="the server (default: RILLCAST_BIN, or the last dev build)")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="for every machine")
    return parser


def checked(parser, arguments):
    asked = parser.parse_args(arguments)
    if not 1 <= len(asked.at or range(asked.nodes)) <= MAX_NODES:
        parser.error(f"--nodes takes 1 to {MAX_NODES}")
    if asked.listen:
        try:
            split(asked.listen)
        except ValueError:
            parser.error(f"--listen takes an address and a port, such as 127.0.0.1:8080, not {asked.listen}")
    asked.binary = asked.binary or os.environ.get("RILLCAST_BIN") or e2e.dev_build()
    if not os.access(asked.binary, os.X_OK):
        parser.error(f"there is no program at {asked.binary}: run `make build`, or name another with --binary")
    return asked


def main(arguments):
    asked = checked(options(), arguments)
    missing = [script for variable, script in ((DATABASE, "postgres.sh"), (NATS, "nats.sh")) if variable not in os.environ]
    if missing:
        # Each starts its server, then the rest of the line, and ends both.
        beside = [word for script in missing for word in (str(ROOT / "scripts" / script), "with", "--")]
        command = [*beside, sys.executable, str(pathlib.Path(__file__).resolve()), *arguments]
        os.execv(command[0], command)
    for number in SIGNALS:
        signal.signal(number, stop)
    try:
        if asked.data:
            asked.data.mkdir(parents=True, exist_ok=True)
            return run(asked, asked.data.resolve())
        with tempfile.TemporaryDirectory(prefix="rillcast-cluster.") as folder:
            return run(asked, folder)
    except Stopped:
        return 0
    except Problem as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
