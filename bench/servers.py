"""Starting the server under test on free ports of the loopback interface, and looking at a running process."""

import contextlib
import http.client
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

DEADLINE = 30
LOOPBACK = "127.0.0.1"
STREAM_KEY = "bench-stream-key-0123456789"
# Of the kernel's accounts, in a second.
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A running process that answers HTTP, and takes in a stream when `rtmp` is given."""

    def __init__(self, process, port, folder, started, host=LOOPBACK):
        self.process = process
        self.host = host
        self.port = port
        self.folder = folder
        self.started = started
        self.rtmp = None
        self.playlist = "/hls/0/video.m3u8"

    def url(self, path):
        return f"http://{self.host}:{self.port}{path}"

    def wait_for_200(self, path):
        """Seconds from the start of the process to the first 200."""
        while time.perf_counter() - self.started < DEADLINE:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.get(path)[0] == 200:
                    return time.perf_counter() - self.started
            time.sleep(0.0005)
        raise TimeoutError(f"no answer on port {self.port}")

    def get(self, path):
        """Status and body, over a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def resident_megabytes(self):
        """Resident memory of the process and its children."""
        return sum(resident_kilobytes(pid) for pid in family(self.process.pid)) / 1024

    def own_resident_megabytes(self):
        """The same without children, who come and go."""
        return resident_kilobytes(self.process.pid) / 1024

    def cpu_seconds(self):
        """User and system time of the process and its children so far, also of those that have ended."""
        return sum(sum(cpu_ticks(pid)) for pid in family(self.process.pid)) / TICKS

    def own_cpu_seconds(self):
        """The same without children."""
        return cpu_ticks(self.process.pid)[0] / TICKS

    def open_files(self):
        """How many files and sockets the process has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def resident_kilobytes(pid):
    """Of one process; nothing of one that has just ended."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def cpu_ticks(pid):
    """Of one process by the kernel's accounts: its own, and that of its children that have ended."""
    with contextlib.suppress(OSError):
        # The name in the second field may hold spaces; the fields after its bracket do not.
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])
    return 0, 0


def engine_cache():
    """Where the engine of plugins is unpacked, once for all servers of a benchmark."""
    return cache() / "engine"


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(base) / "rillcast" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def family(pid):
    """A process and its children. The kernel lists a child with the thread that has started it."""
    children = []
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        # Threads end between one look and the next.
        with contextlib.suppress(OSError):
            children += (thread / "children").read_text().split()
    return [pid, *map(int, children)]


def free_port(host=LOOPBACK):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def rillcast(binary, data=None, options=()):
    """Our server; with `data`, on a data folder that is there already."""
    with tempfile.TemporaryDirectory() as folder:
        port, rtmp_port = free_port(), free_port()
        command = [str(binary), "--data-dir", str(data or f"{folder}/data"), "--listen", f"127.0.0.1:{port}"]
        command += ["--rtmp-listen", f"127.0.0.1:{rtmp_port}", "--stream-key", STREAM_KEY, "--log", "warn", *options]
        if "--plugin-engine-cache" not in options:
            command += ["--plugin-engine-cache", str(engine_cache())]
        with running(command, port, folder) as server:
            server.rtmp = f"rtmp://127.0.0.1:{rtmp_port}/live/{STREAM_KEY}"
            yield server


@contextlib.contextmanager
def running(command, port, folder):
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield Server(process, port, folder, started)
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for_listener(port, host=LOOPBACK):
    """Waits until something listens, without connecting: some peers take one connection only."""
    wanted = f"{socket.inet_aton(host)[::-1].hex().upper()}:{port:04X}"
    deadline = time.perf_counter() + DEADLINE
    while time.perf_counter() < deadline:
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[1] == wanted and fields[3] == "0A":
                return
        time.sleep(0.01)
    raise TimeoutError(f"nothing listens on port {port}")


def status_body(server):
    """What our server answers, so that the peer can serve the same bytes."""
    body = server.get("/api/status")[1]
    json.loads(body)
    return body
