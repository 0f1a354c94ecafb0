"""A crowd of hostile publishers, as a process of its own so that its work is not taken for the server's.

Usage: hostile_publishers.py PORT HOW_MANY ADDRESSES

Each of them connects, misbehaves in its own way, and connects again a while after it was sent away. They come from as many
addresses of the loopback interface as are asked for. Prints a line when all have tried once, and a JSON report when standard
input ends.
"""

import collections
import errno
import heapq
import itertools
import json
import os
import selectors
import socket
import struct
import sys
import time

import rtmp

# Sent away, a stranger comes back after this long; a thousand of them are then a thousand connections a second.
AGAIN_SECONDS = 1.0
# Who drips sends a byte this often.
DRIP_SECONDS = 0.5
# So many begin at once; more would only fill the listener's queue.
AT_ONCE = 50
HELLO = b"\x03" + bytes(8) + bytes(1528)
ECHO = bytes(1536)


def message(kind, body, stream=0):
    """One message in chunks of 128 bytes, as long as no size was agreed on."""
    head = b"\x03" + bytes(3) + struct.pack(">I", len(body))[1:] + bytes([kind]) + struct.pack("<I", stream)
    pieces = [body[at : at + 128] for at in range(0, len(body), 128)] or [b""]
    return head + b"\xc3".join(pieces)


def command(*values):
    return message(20, b"".join(rtmp.amf(value) for value in values))


CONNECT = command("connect", 1.0, {"app": "live", "type": "nonprivate", "tcUrl": "rtmp://127.0.0.1/live"})
GUESS = CONNECT + command("createStream", 2.0, None) + command("publish", 3.0, None, "a-guess-at-the-key", "live")
# What each kind says at once, and whether it drips afterwards.
KINDS = {
    "says nothing": (b"", False),
    "half a greeting": (HELLO[:700], False),
    "a byte now and then": (b"\x03", True),
    "a greeting and then a byte now and then": (HELLO + ECHO, True),
    "garbage": (os.urandom(4000), False),
    "garbage after a greeting": (HELLO + ECHO + os.urandom(4000), False),
    "a message of 16 MiB announced": (HELLO + ECHO + b"\x03" + bytes(3) + b"\xff\xff\xff\x14" + bytes(4), True),
    "commands without end": (HELLO + ECHO + CONNECT + command("nothing", 0.0, None) * 800, False),
    "a wrong key": (HELLO + ECHO + GUESS, False),
    "a request of the web": (b"GET / HTTP/1.1\r\nHost: live\r\n\r\n", False),
}


class HostilePublishers:
    """All of them, in one thread."""

    def __init__(self, port, size, addresses):
        self.to = ("127.0.0.1", port)
        self.kinds = list(itertools.islice(itertools.cycle(KINDS), size))
        self.addresses = [f"127.0.{1 + number // 250}.{1 + number % 250}" for number in range(addresses)]
        self.selector = selectors.DefaultSelector()
        self.due = []
        self.sockets = {}
        self.tried = set()
        self.report = collections.Counter()
        self.held = collections.Counter()
        self.most_open = 0

    def run(self):
        sys.stdin = os.fdopen(os.dup(0))
        self.selector.register(sys.stdin, selectors.EVENT_READ, None)
        for number in range(len(self.kinds)):
            heapq.heappush(self.due, (0.0, number, "come"))
        has_told = False
        while True:
            self.do_what_is_due()
            if not has_told and len(self.tried) == len(self.kinds):
                has_told = True
                print(json.dumps({"all_tried": True}), flush=True)
            for key, _ in self.selector.select(0.02):
                if key.data is None:
                    return
                self.hear(key.data)
            self.most_open = max(self.most_open, len(self.sockets))

    def do_what_is_due(self):
        for _ in range(AT_ONCE):
            if not self.due or self.due[0][0] > time.monotonic():
                return
            _, number, what = heapq.heappop(self.due)
            if what == "come":
                self.come(number)
            elif number in self.sockets and self.sockets[number][1] == what:
                self.drip(number, what)

    def later(self, seconds, number, what):
        heapq.heappush(self.due, (time.monotonic() + seconds, number, what))

    def come(self, number):
        self.tried.add(number)
        self.report["connections"] += 1
        opening, drips = KINDS[self.kinds[number]]
        one = socket.socket()
        # Its own numbers are soon used up otherwise: each is kept for a minute after its connection.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        try:
            one.bind((self.addresses[number % len(self.addresses)], 0))
            one.settimeout(1)
            one.connect(self.to)
            one.setblocking(False)
            if opening:
                one.send(opening)
        except OSError as problem:
            self.report[f"problem {errno.errorcode.get(problem.errno, problem)}"] += 1
            one.close()
            self.later(AGAIN_SECONDS, number, "come")
            return
        began = time.monotonic()
        self.sockets[number] = (one, began)
        self.selector.register(one, selectors.EVENT_READ, number)
        if drips:
            self.later(DRIP_SECONDS, number, began)

    def drip(self, number, began):
        try:
            self.sockets[number][0].send(b"\x00")
            self.later(DRIP_SECONDS, number, began)
        except OSError:
            self.gone(number)

    def hear(self, number):
        try:
            if self.sockets[number][0].recv(65536):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self.gone(number)

    def gone(self, number):
        one, began = self.sockets.pop(number)
        self.selector.unregister(one)
        one.close()
        held = time.monotonic() - began
        # The server's patience is seconds; whoever is closed at once was not let in, or was understood at once.
        if held > 1:
            self.held[self.kinds[number]] += 1
        self.later(AGAIN_SECONDS, number, "come")


def main(port, size, addresses):
    crowd = HostilePublishers(int(port), int(size), int(addresses))
    crowd.run()
    print(json.dumps({**crowd.report, "most_open": crowd.most_open, "held_over_a_second": crowd.held}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
