"""A publisher that crashes and comes back: how long the picture stands beyond the outage itself, and what breaks."""

import time

import player
import servers
import sources
from rows import row

ROUNDS = 3
OUTAGE_SECONDS = 3
# Before the first outage and after each.
PLAY_SECONDS = 12
# Part length of latency level 2 and what we allow ourselves, in seconds.
STALL_LIMIT = 0.5 + 0.3


def measure(run):
    if not player.is_possible():
        return []
    with servers.rillcast(run.binary) as server:
        server.wait_for_200("/api/status")
        outages, report = watch(server)
    extra = [stall_in(report, outage) - outage["seconds"] for outage in outages]
    name = f"publisher killed, back after {OUTAGE_SECONDS} s"
    return [
        row(f"{name}: stall beyond the outage, s (worst)", max(extra), limit=STALL_LIMIT, raw=extra, seen=report),
        row(f"{name}: fatal errors in hls.js", len(report["fatal"]), limit=0),
    ]


def watch(server):
    """The outages, in wall-clock milliseconds as the page counts, and the player's report."""
    outages = []
    push = sources.start_push("b", server.rtmp)
    try:
        sources.wait_until_live(server)
        with player.playing(server.url("/hls/stream.m3u8")) as viewer:
            time.sleep(PLAY_SECONDS)
            for _ in range(ROUNDS):
                push.kill()
                gone = time.time()
                # An outage of this length is what is measured.
                time.sleep(OUTAGE_SECONDS)
                push = sources.start_push("b", server.rtmp)
                outages.append({"from": gone * 1000, "seconds": time.time() - gone})
                time.sleep(PLAY_SECONDS)
            return outages, viewer.report()
    finally:
        push.kill()


def stall_in(report, outage):
    """Seconds the picture stood still because of an outage: until the next one, all stalls count."""
    until = outage["from"] + (outage["seconds"] + PLAY_SECONDS) * 1000
    stalls = [stall for stall in report["stalls"] if outage["from"] <= stall["to"] <= until]
    total = sum(stall["to"] - stall["from"] for stall in stalls) / 1000
    stands = report["standsSince"]
    if stands is not None and stands >= outage["from"]:
        total += (until - stands) / 1000
    return total
