"""What each kind of failure costs the people at a cluster: lines of the chat, the picture, and how long work stands still.

Each failure has a fresh cluster of three behind HAProxy. A publisher that is lost connects again. chaos.mjs is a talker at
a machine that stays, a listener whom HAProxy led to the one that is hit, and viewers at HAProxy.
"""

import base64
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import chat_load
import machines
import networks
import peers
import servers
import sources
from rows import row

FOLDER = pathlib.Path(__file__).resolve().parent
NODES = 3
NATS_SECONDS = 30
FROZEN_SECONDS = 20
CUT_SECONDS = 20
# Before a failure and after it is over.
CALM_SECONDS, AFTER_SECONDS = 5, 15
TAKEOVER_LIMIT = 10
# From the end of a failure on.
WELL_LIMIT = 10
OPTIONS = ("--admin-password", chat_load.PASSWORD, "--set", "chat_spam_protection=false")


def measure(run):
    if peers.program("node") is None or peers.program("haproxy") is None:
        print("chaos needs node and haproxy: its rows are missing")
        return []
    subprocess.run([sys.executable, str(machines.SCRIPTS / "npm.py"), "install", "e2e"], check=True)
    rows = []
    for name, fault in FAULTS.items():
        print(f"   {name}", flush=True)
        try:
            rows += suffered(run.binary, name, fault)
        except networks.NotAllowed as why:
            rows.append(row(f"{name}: missing, because no networks can be made here: {why}", None))
        except machines.Missing as missing:
            print(f"there is no cluster to measure: {missing}")
            return []
    return rows


def suffered(binary, name, fault):
    lasted = took = well = None
    made = machines.cluster(binary, NODES, OPTIONS, has_networks=fault.needs_networks)
    with made as cluster, pushed_again(cluster.rtmp):
        is_live = came_live(cluster)
        hit = victim(cluster, fault)
        steady = next(node for node in cluster.nodes if node is not hit)
        with probing(cluster, steady, hit or cluster.nodes[-1]) as probe:
            time.sleep(CALM_SECONDS)
            begun = time.perf_counter()
            fault.begin(cluster, hit)
            if fault.loses_work:
                took = taken_over(steady, hit, begun)
            if fault.end:
                time.sleep(max(begun + fault.seconds - time.perf_counter(), 0))
                fault.end(cluster, hit)
                lasted = time.perf_counter() - begun
                well = well_again(cluster.nodes, is_live)
            time.sleep(AFTER_SECONDS)
            seen = report_of(probe)
    rows = [
        row(f"{name}: acknowledged lines lost", seen["lost"], limit=0, seen=seen),
        row(f"{name}: lines doubled", seen["doubled"], limit=0),
        row(f"{name}: lines not taken, of {seen['sent']}", seen["sent"] - seen["acknowledged"]),
        row(f"{name}: longest silence of the chat, s", seen["longestSilenceMs"] / 1000),
        row(f"{name}: longest time without a new part, the worst of the viewers, s", seen["longestGapMs"] / 1000 if is_live else None),
    ]
    if lasted is not None:
        rows.append(row(f"{name}: how long the failure itself took, s", lasted))
    if took is not None:
        rows.append(row(f"{name}: until another has its work, s", took, limit=TAKEOVER_LIMIT))
    if well is not None:
        rows.append(row(f"{name}: afterwards, until all machines are well, s", well, limit=WELL_LIMIT))
    return rows


def came_live(cluster):
    """Whether all machines play the stream."""
    try:
        for node in cluster.nodes:
            sources.wait_until_live(node)
        return True
    except TimeoutError:
        print("not all machines play the stream", flush=True)
        return False


@contextlib.contextmanager
def pushed_again(url):
    """A publisher that connects again a second after it was lost, as OBS does."""
    is_over = threading.Event()
    path = str(sources.source("b"))
    command = [peers.program("ffmpeg"), "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", path]
    command += ["-c", "copy", "-f", "flv", url]

    def push():
        while not is_over.is_set():
            with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
                while process.poll() is None and not is_over.wait(0.1):
                    pass
                process.kill()
            is_over.wait(1)

    thread = threading.Thread(target=push, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(timeout=10)


@contextlib.contextmanager
def probing(cluster, steady, hit):
    about = {"all": cluster.http, "steady": steady.url(""), "hit": hit.name}
    command = [peers.program("node"), str(FOLDER / "chaos.mjs"), json.dumps(about)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if not process.stdout.readline():
            raise RuntimeError("the probe did not start")
        yield process
    finally:
        process.kill()
        process.wait()


def report_of(probe):
    probe.stdin.close()
    return json.loads(probe.stdout.readline())


def holds(server):
    """Names of leases by the name of their machine, as a machine sees them."""
    credentials = base64.b64encode(f"admin:{chat_load.PASSWORD}".encode()).decode()
    request = urllib.request.Request(server.url("/api/admin/nodes"))
    request.add_header("Authorization", f"Basic {credentials}")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return {node["name"]: set(node["holds"]) for node in json.load(answer)}


def victim(cluster, fault):
    """Which machine it is that suffers; None when all do."""
    if fault.hits is None:
        return None
    held = holds(cluster.nodes[0])
    ingest = next((name for name, work in held.items() if "ingest" in work), None)
    worker = max((name for name in held if name != ingest), key=lambda name: len(held[name]))
    idle = min((name for name in held if name != ingest), key=lambda name: len(held[name]))
    wanted = {"ingest": ingest, "work": worker, "nothing": idle}[fault.hits]
    return next(node for node in cluster.nodes if node.name == wanted)


def taken_over(steady, hit, begun):
    """Seconds until others hold all that the machine held; None if it held nothing."""
    work = holds(steady).get(hit.name, set())
    if not work:
        return None
    while time.perf_counter() - begun < servers.DEADLINE:
        with contextlib.suppress(OSError):
            now = holds(steady)
            others = set().union(*(held for name, held in now.items() if name != hit.name))
            if work <= others:
                return time.perf_counter() - begun
        time.sleep(0.1)
    return servers.DEADLINE


def well_again(nodes, is_live):
    """Seconds until all are ready, and have the picture that the first of them has now."""
    begun = time.perf_counter()
    wanted = max(place(node) for node in nodes) if is_live else 0
    while time.perf_counter() - begun < servers.DEADLINE:
        with contextlib.suppress(OSError):
            if all(node.get("/readyz")[0] == 200 and place(node) >= wanted for node in nodes):
                return time.perf_counter() - begun
        time.sleep(0.1)
    return servers.DEADLINE


def place(node):
    with contextlib.suppress(OSError):
        return place_of(node.get(node.playlist)[1])
    return 0


def place_of(playlist):
    """How many segments were finished until then; of what is no playlist, none."""
    first = re.search(rb"^#EXT-X-MEDIA-SEQUENCE:(\d+)", playlist, re.M)
    return int(first[1]) + playlist.count(b"\n#EXTINF:") if first else 0


@dataclasses.dataclass(frozen=True)
class Fault:
    """What happens, to the machine that holds `hits`, if it is one."""

    begin: object
    hits: str | None = None
    # After how long what.
    seconds: float = 0
    end: object = None
    # Others have to take over what the machine holds.
    loses_work: bool = False
    needs_networks: bool = False


def kill(_, hit):
    os.kill(hit.process.pid, signal.SIGKILL)


def freeze(_, hit):
    os.kill(hit.process.pid, signal.SIGSTOP)


def thaw(_, hit):
    """It goes on as if nothing had been."""
    os.kill(hit.process.pid, signal.SIGCONT)


def network_cut(hits, bridges, loses_work=False):
    def begin(cluster, hit):
        cluster.networks.cut(cluster.nodes.index(hit), bridges)

    def end(cluster, hit):
        cluster.networks.mend(cluster.nodes.index(hit), bridges)

    return Fault(begin, hits, CUT_SECONDS, end, loses_work, needs_networks=True)


ALL_OF_IT, ONLY_NATS = tuple(networks.BRIDGES), ("nats",)
FAULTS = {
    "a web machine killed": Fault(kill, "nothing", loses_work=True),
    "the machine that takes in the stream killed": Fault(kill, "ingest", loses_work=True),
    "the machine with the work killed": Fault(kill, "work", loses_work=True),
    f"a machine frozen for {FROZEN_SECONDS} s": Fault(freeze, "nothing", FROZEN_SECONDS, thaw),
    f"NATS away for {NATS_SECONDS} s": Fault(
        lambda cluster, _: cluster.nats.stop(), None, NATS_SECONDS, lambda cluster, _: cluster.nats.start()
    ),
    "PostgreSQL restarted": Fault(lambda *_: None, end=lambda cluster, _: cluster.database.restart()),
    f"a web machine cut off for {CUT_SECONDS} s": network_cut("nothing", ALL_OF_IT, loses_work=True),
    f"the machine that takes in the stream cut off for {CUT_SECONDS} s": network_cut("ingest", ALL_OF_IT, loses_work=True),
    f"a web machine without NATS for {CUT_SECONDS} s": network_cut("nothing", ONLY_NATS),
    f"the machine that takes in the stream without NATS for {CUT_SECONDS} s": network_cut("ingest", ONLY_NATS),
}
