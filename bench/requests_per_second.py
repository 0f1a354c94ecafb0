"""Answers per second on /api/status, against nginx serving the same bytes as a file."""

import re
import subprocess

import peers
import servers
from rows import row

SECONDS = 8
CONNECTIONS = 64


def measure(run):
    with servers.rillcast(run.binary) as server:
        server.wait_for_200("/api/status")
        body = servers.status_body(server)
        ours = rate(server.port)
    with peers.nginx({"/api/status": body}) as server:
        peer = None
        if server is not None:
            server.wait_for_200("/api/status")
            peer = rate(server.port)
    if ours is None:
        print("wrk is missing: no rates")
        return []
    name = f"GET /api/status, {CONNECTIONS} connections, requests/s"
    return [row(name, ours, peer, "nginx", more_is_better=True)]


def rate(port):
    wrk = peers.program("wrk")
    if wrk is None:
        return None
    command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", f"http://127.0.0.1:{port}/api/status"]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS + 30).stdout
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))
