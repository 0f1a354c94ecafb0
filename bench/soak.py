"""A stream that goes on for many minutes while its publisher is lost again and again: what grows, and which rules break.

200 low-latency viewers (bench/viewers) watch, the publisher is killed every 30 s and is back a second later, and
playlist-check follows the stream through all of it. The slope of the memory is that of a line through the samples after
the first quarter, so that what is filled once (windows, buffers, the allocator's reserves) is not counted.
"""

import concurrent.futures
import contextlib
import functools
import json
import os
import pathlib
import statistics
import subprocess
import threading
import time

import crowd
import programs
import servers
import sources
from rows import row

MINUTES = 5
LONG_MINUTES = 20
VIEWERS = 200
LEVEL = 2
RECONNECT_SECONDS = 30
OUTAGE_SECONDS = 1
SAMPLE_SECONDS = 1
# Of the samples, those of this first share are not looked at for the slope.
SETTLING_SHARE = 0.25
# A shorter run cannot tell a slope of a megabyte an hour from noise; its slope is told and not judged.
JUDGED_MINUTES = 15
SLOPE_LIMIT = 1
FILES_LIMIT = 5
# Of the parts listed; viewers are in the middle of some when a publisher is lost and when the measurement ends.
SHARE_LIMIT = 0.95


def measure(run):
    built = programs.build(crowd.FOLDER)
    if built is None:
        return []
    minutes = run.minutes or (LONG_MINUTES if run.is_long else MINUTES)
    seconds = round(minutes * 60)
    programs.raise_file_limit(VIEWERS * crowd.CONNECTIONS_EACH + 1000)
    with servers.rillcast(run.binary, options=["--set", f"latency_level={LEVEL}"]) as server:
        server.wait_for_200("/api/status")
        with flapping(server) as flaps:
            sources.wait_until_live(server, segments=3)
            with sampled(server) as samples, concurrent.futures.ThreadPoolExecutor() as pool:
                checking = pool.submit(follow_rules, server, seconds)
                seen = crowd.watch(built / "viewers", server, VIEWERS, seconds)
                rules = checking.result()
        reached = flaps["losses"]
    return table(minutes, samples, seen, rules, reached)


@contextlib.contextmanager
def flapping(server):
    """A publisher that is killed and comes back, until the end."""
    counted = {"losses": 0, "refused": 0}
    is_done = threading.Event()
    pushes = [sources.start_push("b", server.rtmp)]

    def flap():
        while not is_done.wait(RECONNECT_SECONDS):
            if pushes[-1].process.poll() is not None:
                counted["refused"] += 1
            pushes[-1].kill()
            # An outage of this length is part of what is measured.
            time.sleep(OUTAGE_SECONDS)
            pushes.append(sources.start_push("b", server.rtmp))
            counted["losses"] += 1

    thread = threading.Thread(target=flap)
    thread.start()
    try:
        yield counted
    finally:
        is_done.set()
        thread.join()
        pushes[-1].kill()
    if counted["refused"]:
        raise RuntimeError(f"the publisher was turned away {counted['refused']} times")


@contextlib.contextmanager
def sampled(server):
    """(seconds, memory in KiB, open files) of the server itself, every second."""
    samples = []
    is_done = threading.Event()
    began = time.perf_counter()

    def sample():
        while not is_done.wait(SAMPLE_SECONDS):
            memory = round(server.own_resident_megabytes() * 1024)
            samples.append((round(time.perf_counter() - began, 1), memory, server.open_files()))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        is_done.set()
        thread.join()


def follow_rules(server, seconds):
    """What playlist-check found; None when it is not built."""
    if checker() is None:
        return None
    with subprocess.Popen(check_command(server, seconds), stdout=subprocess.PIPE, text=True) as checking:
        return verdict(checking)


def check_command(server, seconds):
    return [str(checker()), server.url("/hls/stream.m3u8"), "--seconds", str(seconds), "--json"]


def verdict(checking):
    """What it says at its end: it ends with 1 when rules are broken, and with 2 when there was nothing to check."""
    said = checking.stdout.read()
    if checking.wait() not in (0, 1):
        raise RuntimeError("playlist-check found nothing to check")
    return json.loads(said)


@functools.cache
def checker():
    """Where playlist-check is: named by PLAYLIST_CHECK_BIN, or built; it is a program of the tests."""
    named = os.environ.get("PLAYLIST_CHECK_BIN")
    if named:
        return pathlib.Path(named)
    root = pathlib.Path(__file__).resolve().parent.parent
    built = programs.build(root / "crates" / "testkit", "--bin", "playlist-check")
    return built and built / "playlist-check"


def broken(rules):
    """How often a rule was broken, and how often one was checked."""
    counted = [one for one in rules["rules"] if one["checks"]]
    return sum(one["violations"] for one in counted), sum(one["checks"] for one in counted)


def slope(samples):
    """Megabytes an hour, of the line through the samples that has the smallest squares."""
    kept = samples[int(len(samples) * SETTLING_SHARE) :]
    if len(kept) < 3:
        return None
    line = statistics.linear_regression([at for at, _, _ in kept], [memory for _, memory, _ in kept])
    return line.slope * 3600 / 1024


def table(minutes, samples, seen, rules, losses):
    title = f"soak of {minutes:g} min, {VIEWERS} viewers, publisher lost {losses} times"
    kept = samples[int(len(samples) * SETTLING_SHARE) :]
    # Pictures are drawn and connections come and go at any time, so it is the middle that counts.
    files = [files for _, _, files in kept]
    third = max(len(files) // 3, 1)
    grown = statistics.median(files[-third:]) - statistics.median(files[:third])
    raw = {"samples": samples, "seen": seen, "rules": rules}
    slope_limit = SLOPE_LIMIT if minutes >= JUDGED_MINUTES else None
    rows = [
        row(f"{title}: memory, MB/h", slope(samples), limit=slope_limit, **raw),
        row(f"{title}: memory at the end, MB", samples[-1][1] / 1024, kept[0][1] / 1024, "after a quarter"),
        row(f"{title}: open files more at the end than at the beginning", grown, limit=FILES_LIMIT),
        row(f"{title}: errors of viewers", seen["errors"], limit=0),
        row(f"{title}: share of parts fetched", seen["share_fetched"], limit=SHARE_LIMIT, more_is_better=True),
    ]
    if rules is not None:
        violations, checks = broken(rules)
        which = [one for one in rules["rules"] if one["violations"]]
        rows.append(row(f"{title}: rules broken in {checks} checks", violations, limit=0, broken=which))
    return rows
