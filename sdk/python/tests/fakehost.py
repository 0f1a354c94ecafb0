"""A host made of a few lines of shell, and a place to fetch one from."""

import functools
import gzip
import hashlib
import http.server
import os
import threading
from unittest import mock

from service_plugin_cli import host, releases

from .cli import InFolder

# Writes down how it was called, and ends as it is told to.
SCRIPT = """#!/bin/sh
case "$*" in
  --version) echo "rillcast ${FAKE_VERSION:-0.3.0}"; exit 0 ;;
  *--help*) echo "  --load-only   Only load it"; echo "  --filter <TEXT>  Some only"; echo "$FAKE_HELP"; exit 0 ;;
esac
[ -z "$FAKE_CODE_OF_CTRL_C" ] || trap 'exit $FAKE_CODE_OF_CTRL_C' INT
echo "$0 $*" >> "$FAKE_CALLS"
echo "port=$PORT" >> "$FAKE_CALLS"
[ -z "$FAKE_WAITS_FOR" ] || while ! grep -q "$FAKE_WAITS_FOR" "$FAKE_FILE" 2>/dev/null; do sleep 0.05; done
exit ${FAKE_CODE:-0}
"""


class WithHost(InFolder):
    """A test whose environment says nothing of hosts, until it does."""

    def setUp(self):
        super().setUp()
        self.calls_file = self.folder / "calls"
        clean = {
            name: text for name, text in os.environ.items() if not name.startswith(("SERVICE_PLUGIN_", "RILLCAST_"))
        }
        clean.update(PATH="/usr/bin:/bin", FAKE_CALLS=str(self.calls_file), no_proxy="*")
        clean[host.CACHE] = str(self.folder / "cache")
        clean["XDG_CACHE_HOME"] = str(self.folder / "caches")
        patch = mock.patch.dict(os.environ, clean, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def set(self, **variables):
        os.environ.update({name: str(value) for name, value in variables.items()})

    def host(self, name="bin/rillcast"):
        script = self.write(name, SCRIPT)
        script.chmod(0o755)
        return script

    def use_host(self):
        script = self.host()
        self.set(SERVICE_PLUGIN_HOST=script)
        return script

    def until(self, is_so):
        """Wait for something another thread or process does."""
        waiting = threading.Event()
        for _ in range(600):
            if is_so():
                return
            waiting.wait(0.05)
        self.fail("that never happened")

    def calls(self):
        """How the host was called, without what it was asked about itself."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        return [line for line in lines if not line.startswith("port=")]


class Release:
    """A release on a server of this process."""

    def __init__(self, test, program=SCRIPT.encode(), version="0.3.0"):
        self.folder = test.folder / "releases"
        packed = gzip.compress(program)
        self.put("v%s/%s" % (version, releases.asset()), packed)
        self.put("v%s/SHA256SUMS" % version, self.sums(packed))
        self.asked = []
        handler = functools.partial(Handler, self.asked, directory=str(self.folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        test.addCleanup(thread.join)
        test.addCleanup(self.server.server_close)
        test.addCleanup(self.server.shutdown)
        self.address = "http://127.0.0.1:%d" % self.server.server_port

    @staticmethod
    def sums(packed, name=None):
        return ("%s  %s\n" % (hashlib.sha256(packed).hexdigest(), name or releases.asset())).encode()

    def put(self, name, content):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and remembers what was asked for."""

    def __init__(self, asked, *args, **kwargs):
        self.asked = asked
        super().__init__(*args, **kwargs)

    def do_GET(self):
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *args):
        pass
