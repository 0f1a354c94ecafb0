"""`make cluster` says where its machines are, puts HAProxy before them, and ends all that it started."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
import urllib.request

import cluster

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Stands in for the server: serves its own name and options, and says where it is.
SERVER = """#!/usr/bin/env python3
import http.server, json, os, socket, sys
words = [word for word in sys.argv[1:] if word != "--node-header"]
options = dict(zip(words[::2], words[1::2]))
if options.get("--log") == "nonsense":
    sys.exit("no such filter")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps([options["--node-name"], words, sorted(os.environ)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
rtmp = socket.create_server(("127.0.0.1", 0))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
ready = {"http": f"http://127.0.0.1:{server.server_port}", "rtmp": f"rtmp://127.0.0.1:{rtmp.getsockname()[1]}"}
unfinished = options["--ready-file"] + ".new"
with open(unfinished, "w") as file:
    json.dump({**ready, "setupUrl": None, "streamKey": options["--initial-stream-key"]}, file)
os.rename(unfinished, options["--ready-file"])
server.serve_forever()
"""


class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.binary = self.folder / "rillcast"
        self.binary.write_text(SERVER)
        self.binary.chmod(self.binary.stat().st_mode | stat.S_IXUSR)

    def start(self, *arguments):
        # Neither PostgreSQL nor NATS is looked at here.
        env = {**os.environ, cluster.DATABASE: "postgres://somewhere", cluster.NATS: "nats://somewhere"}
        command = [sys.executable, str(ROOT / "scripts/cluster.py"), "--binary", str(self.binary), *arguments]
        process = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        code = process.wait(timeout=60)
        process.stdout.close()
        process.stderr.close()
        return code

    def asked(self, url):
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.loads(answer.read())

    def test_the_first_line_says_where_the_machines_are(self):
        known = json.loads(self.start("--nodes", "3", "--", "--log", "debug").stdout.readline())
        self.assertEqual([node["name"] for node in known["nodes"]], ["node1", "node2", "node3"])
        for node in known["nodes"]:
            name, options, variables = self.asked(node["http"])
            self.assertEqual(name, node["name"])
            self.assertEqual(options[-2:], ["--log", "debug"])
            given = dict(zip(options[::2], options[1::2]))
            self.assertEqual((given["--nats"], given["--database-url"]), ("nats://somewhere", "postgres://somewhere"))
            self.assertNotIn(cluster.NATS, variables)
        self.assertEqual((known["nats"], known["streamKey"]), ("nats://somewhere", cluster.STREAM_KEY))

    def test_haproxy_leads_to_the_machines(self):
        if not cluster.program("haproxy"):
            self.skipTest("HAProxy is missing")
        known = json.loads(self.start().stdout.readline())
        self.assertNotIn(known["http"], [node["http"] for node in known["nodes"]])
        self.assertIn(self.asked(known["http"])[0], {"node1", "node2"})

    def test_the_end_leaves_nothing(self):
        process = self.start()
        known = json.loads(process.stdout.readline())
        self.assertEqual(self.end(process), 0)
        for node in known["nodes"]:
            with self.assertRaises(ProcessLookupError):
                os.kill(node["pid"], 0)
        self.assertFalse(pathlib.Path(known["folder"]).exists())

    def test_a_machine_that_does_not_start_is_told_with_its_last_words(self):
        process = self.start("--", "--log", "nonsense")
        said = process.stderr.read()
        self.assertEqual(process.wait(), 1)
        self.assertIn("node1 ended with 1", said)
        self.assertIn("no such filter", said)

    def test_a_machine_in_a_namespace_trusts_the_network_it_is_in(self):
        there = cluster.place("first=198.18.7.11/24")
        self.assertEqual((there.address, there.proxies), ("198.18.7.11", "198.18.7.0/24"))
        self.assertEqual(there.entering[1:], ("netns", "exec", "first"))

    def test_a_place_that_is_none_is_refused(self):
        process = self.start("--at", "first=somewhere")
        self.assertIn("invalid place value", process.stderr.read())
        self.assertEqual(process.wait(), 2)

    def test_a_program_that_is_not_there_is_told_with_what_to_do(self):
        self.binary.unlink()
        process = self.start()
        self.assertIn("make build", process.stderr.read())
        self.assertEqual(process.wait(), 2)


if __name__ == "__main__":
    unittest.main()
