"""Posts to many followers on other servers (bench/fediverse): how fast, what dead servers cost, how many requests.

The followers are written into the database before the server is started; the post is made as the operator makes it, and
what arrives is counted by those to whom it is sent. Connections are TLS, and their certificates are verified.
"""

import time

import federation_setup
from rows import row

# Few servers that are well connected: their connections are used again and again.
BUSY_HOSTS, BUSY_FOLLOWERS = 4, 10_000
HOSTS = 10_000
SHARED_HOSTS, SHARED_FOLLOWERS = 500, 10_000
# Of every ten servers.
KINDS = ["refusing", "hole", "slow", "live", "live", "live", "live", "live", "live", "live"]
SIGN_SECONDS = 5
# Of the rate of the bare arithmetic.
RATE_LIMIT = 0.5
DEAD_LIMIT = 1.25
MEMORY_LIMIT_MB = 150
MEDIAN_LIMIT_SECONDS, LAST_LIMIT_SECONDS = 30, 180
# What is counted to the end is counted this long after nothing waits any more.
AFTER_SECONDS = 3
PEER = "bare RSA-2048"


def measure(run):
    with federation_setup.others() as others:
        if others is None:
            return []
        return [*busy(run, others), *dead(run, others), *shared(run, others)]


def busy(run, others):
    """Deliveries a second over connections that stay, and signatures a second by themselves on one core."""
    hosts = [(name(number), "live") for number in range(BUSY_HOSTS)]
    followers = [person(number % BUSY_HOSTS, f"u{number}") for number in range(BUSY_FOLLOWERS)]
    with federation_setup.ours(run.binary, others, hosts, followers) as ours:
        before = others.ask("sign", seconds=SIGN_SECONDS)["rate"]
        seen = deliver(ours, others, len(followers))
        after = others.ask("sign", seconds=SIGN_SECONDS)["rate"]
    rate = seen["posts"] / seen["last"]
    signatures = (before + after) / 2
    title = f"deliveries a second to {BUSY_HOSTS} servers, {BUSY_FOLLOWERS} inboxes"
    limits = {"ratio_limit": RATE_LIMIT, "more_is_better": True}
    return [
        row(title, rate, signatures, PEER, **limits, seen=seen, signatures=[before, after]),
        row(f"{title}: CPU ms each", seen["cpu"] * 1e3 / seen["posts"], 1e3 / signatures, PEER),
    ]


def dead(run, others):
    """To as many servers with dead ones between them, to as many that all live, and to the living ones alone."""
    names = [(name(number), KINDS[number % len(KINDS)]) for number in range(HOSTS)]
    living = [pair for pair in names if pair[1] == "live"]
    found = {}
    for title, hosts in [("all live", [(host, "live") for host, _ in names]), ("alone", living), ("with dead", names)]:
        followers = [person(int(host[1:].split(".")[0]), "anna") for host, _ in hosts]
        with federation_setup.ours(run.binary, others, hosts, followers) as ours:
            found[title] = deliver(ours, others, sum(kind == "live" for _, kind in hosts))
    with_dead, alone, all_live = found["with dead"], found["alone"], found["all live"]
    title = f"post to {HOSTS} servers, 3 of 10 dead"
    peer = f"{len(living)} alone"
    return [
        row(f"{title}: living ones reached", with_dead["inboxes"], limit=len(living), more_is_better=True),
        row(f"{title}: half of them after, s", with_dead["median"], alone["median"], peer, limit=MEDIAN_LIMIT_SECONDS),
        row(
            f"{title}: the last of them after, s",
            with_dead["last"],
            all_live["last"],
            f"{HOSTS} that live",
            limit=LAST_LIMIT_SECONDS,
            ratio_limit=DEAD_LIMIT,
            seen=with_dead,
            peer_seen=all_live,
        ),
        row(f"{title}: the last, living ones alone, s", with_dead["last"], alone["last"], peer, peer_seen=alone),
        row(f"{title}: memory, MiB", with_dead["memory"], alone["memory"], peer, limit=MEMORY_LIMIT_MB),
        row(f"{title}: CPU, s", with_dead["cpu"], alone["cpu"], peer),
    ]


def shared(run, others):
    """Followers behind shared inboxes: one request for each of these."""
    hosts = [(name(number), "live") for number in range(SHARED_HOSTS)]
    followers = []
    for number in range(SHARED_FOLLOWERS):
        iri, inbox, _ = person(number % SHARED_HOSTS, f"u{number}")
        followers.append((iri, inbox, f"https://{name(number % SHARED_HOSTS)}/inbox"))
    with federation_setup.ours(run.binary, others, hosts, followers) as ours:
        seen = deliver(ours, others, SHARED_HOSTS)
        federation_setup.until(lambda: waiting(ours) == 0, "something still waits")
        time.sleep(AFTER_SECONDS)
        seen = {**seen, **others.ask("count")}
    title = f"post to {SHARED_FOLLOWERS} followers behind {SHARED_HOSTS} shared inboxes"
    return [
        row(f"{title}: requests", seen["posts"], SHARED_HOSTS, "inboxes", limit=SHARED_HOSTS, seen=seen),
        row(f"{title}: inboxes reached", seen["inboxes"], limit=SHARED_HOSTS, more_is_better=True),
        row(f"{title}: the last after, s", seen["last"]),
    ]


def name(number):
    return f"h{number}.{federation_setup.DOMAIN}"


def person(number, who):
    iri = f"https://{name(number)}/users/{who}"
    return iri, f"{iri}/inbox", None


def waiting(ours):
    return ours.rows("SELECT COUNT(*) FROM deliveries WHERE state IN ('pending', 'in_flight')")


def deliver(ours, others, wanted):
    """Posts, and waits until as many living servers have it; what it took."""
    before, cpu = ours.server.resident_megabytes(), ours.server.cpu_seconds()
    highest = before
    others.ask("reset")
    ours.post("We are live with something special")
    deadline = time.perf_counter() + LAST_LIMIT_SECONDS
    while True:
        seen = others.ask("count")
        highest = max(highest, ours.server.resident_megabytes())
        if seen["posts"] >= wanted or time.perf_counter() > deadline:
            break
        time.sleep(0.05)
    used = ours.server.cpu_seconds() - cpu
    # What waits for dead servers may take memory for longer.
    for _ in range(20):
        time.sleep(0.1)
        highest = max(highest, ours.server.resident_megabytes())
    seen = {**seen, "memory": highest - before, "cpu": used}
    print(f"  {seen}", flush=True)
    return seen
