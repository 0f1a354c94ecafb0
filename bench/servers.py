"""Starting the server under test and its peer on free ports of the loopback interface."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

DEADLINE = 30


class Server:
    """A running process that answers HTTP."""

    def __init__(self, process, port, folder, started):
        self.process = process
        self.port = port
        self.folder = folder
        self.started = started

    def wait_for_200(self, path):
        """Seconds from the start of the process to the first 200."""
        while time.perf_counter() - self.started < DEADLINE:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", path)
                if connection.getresponse().status == 200:
                    return time.perf_counter() - self.started
            except OSError:
                time.sleep(0.0005)
        raise TimeoutError(f"no answer on port {self.port}")

    def resident_megabytes(self):
        """Resident memory of the process and its children."""
        pids = [self.process.pid]
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        total = 0
        for pid in pids + [int(child) for child in children]:
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1])
        return total / 1024


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def rillcast(binary, data=None):
    """Our server; with `data`, on a data folder that is there already."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = [str(binary), "--data-dir", str(data or f"{folder}/data"), "--listen", f"127.0.0.1:{port}"]
        command += ["--rtmp-listen", "127.0.0.1:0", "--log", "warn"]
        with running(command, port, folder) as server:
            yield server


@contextlib.contextmanager
def nginx(body):
    """nginx with one worker per core, serving `body` as /api/status; None when it is not installed."""
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        root = pathlib.Path(folder)
        (root / "www" / "api").mkdir(parents=True)
        (root / "www" / "api" / "status").write_bytes(body)
        root.chmod(0o755)
        (root / "nginx.conf").write_text(
            f"""daemon off; master_process on; worker_processes auto; pid {root}/pid; error_log {root}/error.log;
            {'user root;' if os.geteuid() == 0 else ''}
            events {{ worker_connections 4096; }}
            http {{ access_log off; sendfile on; keepalive_requests 1000000; default_type application/json;
              client_body_temp_path {root}/b; proxy_temp_path {root}/p; fastcgi_temp_path {root}/f;
              uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;
              server {{ listen 127.0.0.1:{port}; root {root}/www; }} }}
            """
        )
        with running([program, "-c", str(root / "nginx.conf")], port, folder) as server:
            yield server


@contextlib.contextmanager
def running(command, port, folder):
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield Server(process, port, folder, started)
    finally:
        process.terminate()
        process.wait(timeout=20)


def status_body(server):
    """What our server answers, so that the peer can serve the same bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("GET", "/api/status")
    body = connection.getresponse().read()
    json.loads(body)
    return body
