"""What it costs to believe another server: stored bytes of a signed request → what is done with it, on one core.

Beside that, the whole way: signed posts over HTTP (bench/fediverse) into the durable queue, and out of it.
"""

import json
import pathlib
import subprocess
import time

import federation_setup
import programs
from rows import row

FOLDER = pathlib.Path(__file__).resolve().parent / "proofs"
SECONDS = 20
LONG_SECONDS = 120
# Of the rate of the bare arithmetic.
RATIO_LIMIT = 0.5
PEER = "bare RSA-2048"
# Those of one person are handled in order, and each must be known before anything is measured.
HOSTS, WRITERS = 8, 64
# Fewer than the queue holds.
REQUESTS = 8_000
# Then those that are not handled are given up.
HANDLED_SECONDS = 300
# As much as can be set: the limits are not what is measured.
MOST = 100_000
SETTINGS = [("federation/inboxperaddress", MOST), ("federation/inboxperhost", MOST)]


def measure(run):
    built = programs.build(FOLDER)
    if built is None:
        return []
    seconds = LONG_SECONDS if run.is_long else SECONDS
    output = subprocess.run([built / "proofs", str(seconds)], check=True, capture_output=True, text=True).stdout
    seen = json.loads(output)
    name = "inbox: signed requests believed a second, key known, one core"
    limits = {"ratio_limit": RATIO_LIMIT, "more_is_better": True}
    believed = row(name, seen["decisions"], seen["verifications"], PEER, **limits, seen=seen)
    return [believed, *whole_way(run, seen["verifications"])]


def whole_way(run, verifications):
    """With the connections, the database and what follows from a post; the senders are on the same cores."""
    hosts = [(f"press{number}.{federation_setup.DOMAIN}", "live") for number in range(HOSTS)]
    with federation_setup.others() as others:
        if others is None:
            return []
        with federation_setup.ours(run.binary, others, hosts, settings=SETTINGS) as ours:
            others.ask("burst", first=0, requests=WRITERS, **ours.receiver())
            federation_setup.until(lambda: handled(ours) >= WRITERS, "the first posts are not handled")
            cpu = ours.server.cpu_seconds()
            seen = others.ask("burst", first=WRITERS, requests=REQUESTS, **ours.receiver())
            began = time.perf_counter() - seen["seconds"]
            federation_setup.until(lambda: handled(ours) >= WRITERS + taken(seen), "the posts are not handled", HANDLED_SECONDS)
            seen["handled_seconds"] = time.perf_counter() - began
            seen["cpu"] = ours.server.cpu_seconds() - cpu
    print(f"  {seen}", flush=True)
    number = taken(seen)
    rates = [number / seen[seconds] for seconds in ("seconds", "handled_seconds")]
    more = {"more_is_better": True, "seen": seen}
    return [
        row("inbox: posts taken a second, HTTP to disk", rates[0], verifications, PEER, **more),
        row("inbox: posts handled a second, HTTP to what follows", rates[1], verifications, PEER, **more),
        row("inbox: posts not taken", REQUESTS - number, limit=0),
        row("inbox: CPU ms of a post, all in all", seen["cpu"] * 1e3 / max(number, 1), 1e3 / verifications, PEER),
    ]


def taken(seen):
    return seen["statuses"].get("202", 0)


def handled(ours):
    return ours.counter("rillcast_inbox_activities_total", 'outcome="handled"')
