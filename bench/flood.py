"""Requests that nobody should believe, from many addresses at once (bench/fediverse), while people follow and chat.

All of them have a fresh date and the right digest. Half carry key ids of one server, each another one; a quarter those of
a hundred servers; an eighth the key of a follower that is known already; the rest is garbage. What is fetched for them
is counted by the servers they name.
"""

import concurrent.futures
import pathlib
import subprocess
import tempfile
import time

import chat_load
import federation_setup
import programs
from rows import row

RATE, ADDRESSES = 2_000, 500
SECONDS = 60
LONG_SECONDS = 120
FRAMED = f"framed.{federation_setup.DOMAIN}"
OTHERS = 100
FRIENDS = 6
FOLLOW_LIMIT_SECONDS = 5
# Of one that was never accepted.
NEVER_SECONDS = 60
CORES_LIMIT = 1
# A second, of one server.
FETCH_LIMIT = 20
CHAT_LIMIT = 2
# Sockets, lines per second of all together.
CHAT = (200, 10)
CHAT_SECONDS = 30
SETTLE_SECONDS = 2
WITHOUT = "without"


def measure(run):
    built = programs.build(chat_load.FOLDER)
    with federation_setup.others() as others:
        if others is None or built is None:
            return []
        seconds = LONG_SECONDS if run.is_long else SECONDS
        hosts = [FRAMED, *(f"other{number}.{federation_setup.DOMAIN}" for number in range(OTHERS))]
        hosts += [friend(number) for number in range(FRIENDS + 1)]
        with federation_setup.ours(run.binary, others, [(host, "live") for host in hosts]) as ours:
            with tempfile.TemporaryDirectory() as folder:
                return both(ours, others, chat(ours, built, pathlib.Path(folder)), seconds)


def both(ours, others, room, seconds):
    """First without the flood, then with it."""
    calm = follow(ours, others, 0)
    quiet = room.talk(*CHAT, CHAT_SECONDS)
    quiet_cores = quiet["server_cpu_seconds"] / CHAT_SECONDS
    others.ask("reset")
    known = f"https://{friend(0)}/users/anna#main-key"
    plan = {"seconds": seconds, "rate": RATE, "addresses": ADDRESSES, "known_key": known}
    before, began = ours.server.cpu_seconds(), time.perf_counter()
    memory = ours.server.resident_megabytes()
    flooding = others.send("flood", **plan, **ours.receiver())
    time.sleep(SETTLE_SECONDS)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        talking = pool.submit(room.talk, *CHAT, CHAT_SECONDS)
        follows = []
        for number in range(1, FRIENDS + 1):
            follows.append(follow(ours, others, number))
            time.sleep(max(0, began + number * seconds / (FRIENDS + 1) - time.perf_counter()))
        loud = talking.result()
    flood = others.answer(flooding)
    cores = (ours.server.cpu_seconds() - before) / (time.perf_counter() - began)
    seen = {"flood": flood, "follows": follows, "counted": others.ask("count")}
    seen["memory"] = ours.server.resident_megabytes() - memory
    seen["rows"] = ours.rows("SELECT COUNT(*) FROM ap_inbox")
    print(f"  {seen}", flush=True)
    return [*table(seen, calm, seconds), *costs(cores, quiet_cores, loud, quiet)]


def table(seen, calm, seconds):
    title = f"flood of {RATE} bad requests/s"
    fetched = seen["counted"]["fetches_of_one_host"] / seconds
    sending = {"ratio_limit": 0.95, "more_is_better": True}
    taken = [one["seconds"] for one in seen["follows"]]
    slowest = max(NEVER_SECONDS if one is None else one for one in taken)
    return [
        row(f"{title}: sent a second", seen["flood"]["rate"], RATE, "wanted", **sending, seen=seen),
        row(
            f"{title}: slowest of {FRIENDS} follows to its Accept, s",
            slowest,
            calm["seconds"],
            WITHOUT,
            limit=FOLLOW_LIMIT_SECONDS,
        ),
        row(f"{title}: documents fetched of one server a second", fetched, limit=FETCH_LIMIT),
        row(f"{title}: requests left in the queue", seen["rows"]),
        row(f"{title}: memory, MiB", seen["memory"]),
    ]


def costs(cores, quiet_cores, loud, quiet):
    title = f"flood of {RATE} bad requests/s"
    sockets, rate = CHAT
    chat_title = f"{title}, chat of {sockets}, {rate} lines/s"
    late = [loud["lag_ms"]["p99"], quiet["lag_ms"]["p99"]]
    return [
        row(f"{title}: cores used", cores, quiet_cores, WITHOUT, limit=CORES_LIMIT),
        row(f"{chat_title}: p99, ms", *late, WITHOUT, ratio_limit=CHAT_LIMIT, seen=loud, peer_seen=quiet),
        row(f"{chat_title}: lines lost", loud["lost"], quiet["lost"], WITHOUT, limit=0),
    ]


def friend(number):
    return f"friend{number}.{federation_setup.DOMAIN}"


def follow(ours, others, number):
    return others.ask("follow", host=friend(number), **ours.receiver())


def chat(ours, built, folder):
    """People for the chat, made before anything is measured."""
    tokens = folder / "tokens"
    command = [str(built / "chatters"), "register", "--server", f"127.0.0.1:{ours.server.port}"]
    with tokens.open("w") as file:
        subprocess.run([*command, "--sockets", str(CHAT[0])], stdout=file, check=True)
    return chat_load.Room(ours.server, built, tokens)
