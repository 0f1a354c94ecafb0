"""Other servers (bench/fediverse) and a server of ours among them: names, certificates, settings, followers.

All is on the loopback interface. Our server finds the others by `--danger-resolve` and believes a certificate authority
that is made for the run; apart from that it is as an operator runs it, behind a proxy that would do TLS for it.
"""

import base64
import contextlib
import dataclasses
import json
import pathlib
import sqlite3
import subprocess
import tempfile
import time
import urllib.request

import chat_load
import programs
import servers

FOLDER = pathlib.Path(__file__).resolve().parent / "fediverse"
DOMAIN = "peers.example"
HOST = "live.bench.example"
ACTOR = f"https://{HOST}/federation/user/live"
PASSWORD = chat_load.PASSWORD
# Connections of the server and of the others, with room to spare.
FILES = 20_000
DEADLINE = 60
EC_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


class RemoteServers:
    """Everybody else, in one process; a command is answered when it is done."""

    def __init__(self, process, authority):
        self.process = process
        self.authority = authority
        self.ports = json.loads(process.stdout.readline())
        self.asked = 0
        self.answers = {}

    def send(self, command, **details):
        """Begins something; `answer` waits for its end."""
        self.asked += 1
        line = json.dumps({"id": self.asked, "do": command, **details})
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.asked

    def answer(self, number):
        while number not in self.answers:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the other servers are gone")
            said = json.loads(line)
            self.answers[said["id"]] = said
        said = self.answers.pop(number)
        if "problem" in said:
            raise RuntimeError(said["problem"])
        return said["answer"]

    def ask(self, command, **details):
        return self.answer(self.send(command, **details))


@contextlib.contextmanager
def others():
    """The other servers; None when they cannot be built."""
    built = programs.build(FOLDER)
    if built is None:
        yield None
        return
    programs.raise_file_limit(FILES)
    with tempfile.TemporaryDirectory() as folder:
        authority, certificate, key = certificates(pathlib.Path(folder))
        command = [str(built / "fediverse"), str(certificate), str(key)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            yield RemoteServers(process, authority)
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


def certificates(folder):
    """A certificate authority, and a certificate with its key for every name below the domain."""
    authority, authority_key = folder / "authority.crt", folder / "authority.key"
    wishes = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"]
    name = ["-days", "2", "-subj", "/CN=authority of a benchmark"]
    openssl("req", "-x509", *EC_KEY, *name, *wishes, "-keyout", authority_key, "-out", authority)
    paths = [folder / f"peers.{kind}" for kind in ("crt", "key", "csr", "ext")]
    certificate, key, request, extensions = paths
    openssl("req", *EC_KEY, "-subj", f"/CN={DOMAIN}", "-keyout", key, "-out", request)
    extensions.write_text(f"subjectAltName=DNS:*.{DOMAIN}\nbasicConstraints=critical,CA:FALSE\n")
    signer = ["-CA", authority, "-CAkey", authority_key, "-CAcreateserial", "-days", "2"]
    openssl("x509", "-req", "-in", request, *signer, "-extfile", extensions, "-out", certificate)
    return authority, certificate, key


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


@dataclasses.dataclass(frozen=True)
class FederatedServer:
    """Our server with an account, among the others."""

    server: servers.Server
    data: pathlib.Path

    def ask(self, path, body=None):
        """As the operator; the answer as a document, or as text where it is none."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url(path), data, {"Content-Type": "application/json"})
        credentials = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        request.add_header("Authorization", f"Basic {credentials}")
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
        return json.loads(text) if text.startswith(("{", "[")) else text

    def set(self, path, value):
        self.ask(f"/api/admin/config/{path}", {"value": value})

    def post(self, text):
        self.ask("/api/admin/federation/send", {"value": text})

    def counter(self, name, *labels):
        """A counter or gauge of the metrics, all that have these labels together."""
        lines = self.ask("/api/admin/prometheus").splitlines()
        found = [line for line in lines if line.startswith(name) and all(label in line for label in labels)]
        return sum(float(line.split()[-1]) for line in found)

    def rows(self, query):
        """What the database says, beside the running server."""
        with contextlib.closing(sqlite3.connect(f"file:{database(self.data)}?mode=ro", uri=True)) as opened:
            return opened.execute(query).fetchone()[0]

    def receiver(self):
        """Where the others find us."""
        return {"server": f"127.0.0.1:{self.server.port}", "actor": ACTOR}


def database(data):
    [path] = data.glob("*.db")
    return path


@contextlib.contextmanager
def ours(binary, others, hosts, followers=(), settings=()):
    """Our server, with `followers` as (iri, inbox, shared inbox) in its database since before its start.

    `hosts` are the names it can find, each with the kind of server that is there.
    """
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data, config = folder / "data", folder / "config.toml"
        found = ",".join(f"{host}=127.0.0.1:{others.ports[kind]}" for host, kind in hosts)
        config.write_text(f'danger_resolve = "{found}"\nextra_ca = "{others.authority}"\n')
        options = ["--config", str(config), "--server-url", f"https://{HOST}", "--admin-password", PASSWORD]
        with servers.rillcast(binary, data, options) as server:
            account = FederatedServer(server, data)
            server.wait_for_200("/api/status")
            for path, value in [*settings, ("federation/enable", True)]:
                account.set(path, value)
            until(lambda: has_key(server), "the account has no key")
        add_followers(database(data), followers)
        with servers.rillcast(binary, data, options) as server:
            server.wait_for_200("/api/status")
            yield FederatedServer(server, data)


def has_key(server):
    request = urllib.request.Request(server.url("/federation/user/live"))
    request.add_header("Accept", "application/activity+json")
    with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=20) as answer:
        return "publicKeyPem" in answer.read().decode()
    return False


def add_followers(path, followers):
    now = int(time.time() * 1000)
    columns = "iri, host, inbox, shared_inbox, username, handle, name, follow_id, follow_json, is_directory, state"
    statement = (
        f"INSERT INTO ap_followers ({columns}, created_at, approved_at, validated_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 'accepted', ?, ?, ?)"
    )

    def row_of(number, iri, inbox, shared):
        host, name = iri.split("/")[2], iri.split("/")[-1]
        follow = f"{iri}/follows/0"
        text = json.dumps({"id": follow, "type": "Follow", "actor": iri, "object": ACTOR})
        when = now - number
        return (iri, host, inbox, shared, name, f"@{name}@{host}", name, follow, text, when, when, now)

    with contextlib.closing(sqlite3.connect(path)) as opened, opened:
        opened.executemany(statement, (row_of(number, *one) for number, one in enumerate(followers)))


def until(is_so, complaint, seconds=DEADLINE, pause=0.05):
    """Waits until something is so."""
    deadline = time.perf_counter() + seconds
    while not is_so():
        if time.perf_counter() > deadline:
            raise TimeoutError(complaint)
        time.sleep(pause)

