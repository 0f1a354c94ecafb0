"""Several machines that are one: the order and delay of lines among them, and how soon a part is at another machine.

Beside each number stands that of one server that is alone, measured in the same run in the same way.
"""

import dataclasses

import chat_load
import crowd
import machines
import part_delay
import programs
import rtmp
import servers
import sources
from rows import row

NODES = 3
SOCKETS = 1_000
RATE = 20
SECONDS, LONG_SECONDS = 30, 120
# Of lines that were said at another machine, and of parts that another machine took in.
LINE_LIMIT_MS = 150
PART_LIMIT_MS = 60
PEER = "one server alone"
OPTIONS = ("--admin-password", chat_load.PASSWORD, "--set", "chat_spam_protection=false")
VIEWERS, VIEWER_SECONDS = 500, 20
# A second machine adds at least 0.8 of what the first serves, if a viewer costs it at most 1.25 times as much.
VIEWER_LIMIT = 1.25


def measure(run):
    built = programs.build(chat_load.FOLDER)
    if built is None:
        return []
    programs.raise_file_limit(NODES * SOCKETS * 2 + 1_000)
    seconds = LONG_SECONDS if run.is_long else SECONDS
    with servers.rillcast(run.binary, options=OPTIONS) as server:
        server.wait_for_200("/api/status")
        alone = lines_of([server], server, built, seconds)
        alone_parts, alone_viewers = parts_at(server, server.rtmp), viewers_at(server, server.rtmp)
    try:
        with machines.cluster(run.binary, NODES, OPTIONS) as cluster:
            together = lines_of(cluster.nodes, cluster, built, seconds)
            rows = line_rows(together, alone)
            try:
                rows += media_rows(cluster, alone_parts, alone_viewers)
            except (TimeoutError, RuntimeError) as problem:
                print(f"the other machines do not play the stream: {problem}", flush=True)
                rows += [row(f"{PART}: p99, ms", None, limit=PART_LIMIT_MS)]
            return rows
    except machines.Missing as missing:
        print(f"there is no cluster to measure: {missing}")
        return []


def lines_of(nodes, measured, built, seconds):
    """What people at all of these machines heard, who are dealt among them."""
    with chat_load.people(nodes[0], built, NODES * SOCKETS) as room:
        several = MachinesRoom(measured, built, room.tokens, nodes)
        several.talk(chat_load.WARM_SOCKETS, RATE, 3)
        return several.talk(NODES * SOCKETS, RATE, seconds)


@dataclasses.dataclass(frozen=True)
class MachinesRoom(chat_load.Room):
    """A chat that is at several addresses."""

    nodes: list

    def address(self):
        return ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)


def line_rows(us, them):
    name = f"chat, {NODES} machines of {SOCKETS} sockets, {RATE} lines/s"
    far, near = us["far_lag_ms"], them["lag_ms"]
    return [
        row(f"{name}: at another machine p50, ms", far["p50"], near["p50"], PEER, seen=us, peer_seen=them),
        row(f"{name}: at another machine p99, ms", far["p99"], near["p99"], PEER, limit=LINE_LIMIT_MS),
        row(f"{name}: lines lost", us["lost"], them["lost"], PEER, limit=0),
        row(f"{name}: lines doubled", us["doubled"], them["doubled"], PEER, limit=0),
        row(f"{name}: different orders", us["orders"], them["orders"], PEER, limit=1),
        row(f"{name}: connections lost", us["errors"], them["errors"], PEER, limit=0),
        row(f"{name}: CPU µs per line heard", chat_load.cpu_each(us), chat_load.cpu_each(them), PEER),
    ]


PART = "closing frame sent → part fetched at another machine"


def parts_at(server, url):
    """Delays of parts that are pushed to an address, in ms."""
    with rtmp.Publisher(url, sources.source("b")) as publisher:
        return part_delay.delays(publisher, part_delay.follow_parts(server, publisher))


def viewers_at(server, url):
    """What low-latency viewers of a machine saw and cost; None where their program cannot be built."""
    folder = programs.build(crowd.FOLDER)
    if folder is None:
        return None
    with sources.pushing("b", url):
        sources.wait_until_live(server, segments=3)
        return crowd.watch(folder / "viewers", server, VIEWERS, VIEWER_SECONDS)


def media_rows(cluster, alone, alone_viewers):
    """The stream goes to the first machine, viewers are at the last."""
    here, there = cluster.nodes[0], cluster.nodes[-1]
    delays = parts_at(there, here.rtmp)
    percentile = part_delay.percentile
    watched = viewers_at(there, here.rtmp)
    seen = []
    if watched is not None:
        cost, cost_alone = crowd.cpu_per_viewer_minute(watched), crowd.cpu_per_viewer_minute(alone_viewers)
        name = f"{VIEWERS} viewers at another machine"
        seen = [
            row(f"{name}: CPU ms per viewer-minute", cost, cost_alone, PEER, ratio_limit=VIEWER_LIMIT, seen=watched),
            row(f"{name}: errors", watched["errors"], alone_viewers["errors"], PEER, limit=0),
        ]
    return [
        row(f"{PART}: p50, ms", percentile(delays, 50), percentile(alone, 50), PEER, raw=delays, peer_raw=alone),
        row(f"{PART}: p99, ms", percentile(delays, 99), percentile(alone, 99), PEER, limit=PART_LIMIT_MS),
        *seen,
    ]
