"""A publisher that knows when it sent which frame: RTMP by hand, real-time pace, in a thread of its own."""

import os
import socket
import struct
import threading
import time
import urllib.parse

CHUNK_BYTES = 65536
AUDIO, VIDEO = 8, 9
# Chunk streams of the two tracks; the numbers are the sender's choice.
CHANNELS = {AUDIO: 4, VIDEO: 6}


class Publisher:
    """Publishes an FLV file once or in a loop. `sent` holds (timestamp in ms, time) of every video frame."""

    def __init__(self, url, path):
        self.parts = urllib.parse.urlsplit(url)
        self.tags = list(flv_tags(path))
        self.sent = []
        self.accepted_at = None
        self.problem = None
        self.is_stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_stopped.set()
        self.thread.join(timeout=10)

    def run(self):
        try:
            self.publish()
        except OSError as problem:
            if not self.is_stopped.is_set():
                self.problem = problem

    def publish(self):
        self.dial()
        with self.socket:
            self.say_hello()
            self.send_all(self.tags)

    def publish_once(self):
        """Asks to publish, hears the answer, and goes."""
        self.dial()
        with self.socket:
            self.say_hello()

    def dial(self):
        self.socket = socket.create_connection((self.parts.hostname, self.parts.port), timeout=10)
        self.accepted_at = time.perf_counter()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def say_hello(self):
        application, key = self.parts.path.lstrip("/").split("/", 1)
        self.socket.sendall(b"\x03" + bytes(8) + os.urandom(1528))
        answer = self.read(1 + 1536 + 1536)
        self.socket.sendall(answer[1:1537])
        self.send(2, 1, 0, 0, struct.pack(">I", CHUNK_BYTES))
        base = f"rtmp://{self.parts.hostname}:{self.parts.port}/{application}"
        self.command(0, "connect", 1, {"app": application, "type": "nonprivate", "tcUrl": base})
        self.read_until(b"_result")
        self.command(0, "createStream", 2, None)
        result = self.read_until(b"_result", 7 + 9 + 1 + 9)
        self.stream = int(struct.unpack(">d", result[-8:])[0])
        self.command(self.stream, "publish", 3, None, key, "live")
        self.read_until(b"NetStream.Publish.")

    def send_all(self, tags):
        started = time.perf_counter()
        length = self.loop_length(tags)
        turn = 0
        self.socket.setblocking(True)
        while not self.is_stopped.is_set():
            for kind, timestamp, payload in tags:
                if turn > 0 and is_setup(payload):
                    continue
                timestamp += turn * length
                pause = started + timestamp / 1000 - time.perf_counter()
                if pause > 0 and self.is_stopped.wait(pause):
                    return
                self.send(CHANNELS[kind], kind, self.stream, timestamp, payload)
                if kind == VIDEO and not is_setup(payload):
                    self.sent.append((timestamp, time.perf_counter()))
                self.drain()
            turn += 1

    def loop_length(self, tags):
        """Milliseconds from the first frame to the first of the next turn."""
        times = [timestamp for kind, timestamp, payload in tags if kind == VIDEO and not is_setup(payload)]
        return round((times[-1] - times[0]) * len(times) / (len(times) - 1))

    def command(self, stream, name, transaction, target, *arguments):
        body = b"".join(amf(value) for value in (name, float(transaction), target, *arguments))
        self.send(3, 20, stream, 0, body)

    def send(self, channel, kind, stream, timestamp, payload):
        """One message, always with a full header; the timestamp is written long where it must be."""
        short = min(timestamp, 0xFFFFFF)
        long = struct.pack(">I", timestamp) if short == 0xFFFFFF else b""
        head = bytes([channel]) + struct.pack(">I", short)[1:] + struct.pack(">I", len(payload))[1:]
        message = head + bytes([kind]) + struct.pack("<I", stream) + long + payload[:CHUNK_BYTES]
        for at in range(CHUNK_BYTES, len(payload), CHUNK_BYTES):
            message += bytes([0xC0 | channel]) + long + payload[at : at + CHUNK_BYTES]
        self.socket.sendall(message)

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError("the server closed the connection")
            data += more
        return data

    def read_until(self, text, extra=0):
        """Up to a name in an answer, and `extra` bytes from its beginning. Names are short enough for one chunk."""
        data = b""
        while text not in data or len(data) - data.index(text) < extra:
            more = self.socket.recv(4096)
            if not more:
                raise ConnectionError(f"the server closed the connection instead of saying {text.decode()}")
            data += more
        at = data.index(text)
        return data[at : at + extra]

    def drain(self):
        """Acknowledgements are read and thrown away, so that the server can go on writing them."""
        try:
            self.socket.recv(4096, socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass


def amf(value):
    if value is None:
        return b"\x05"
    if isinstance(value, float):
        return b"\x00" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"\x02" + struct.pack(">H", len(value)) + value.encode()
    pairs = b"".join(struct.pack(">H", len(name)) + name.encode() + amf(item) for name, item in value.items())
    return b"\x03" + pairs + b"\x00\x00\x09"


def is_setup(payload):
    """Whether this describes the codec instead of carrying a frame (H.264 and AAC alike)."""
    return payload[1] == 0


def flv_tags(path):
    """(type, timestamp in ms, payload) of the audio and video tags of a file."""
    data = path.read_bytes()
    at = 9 + 4
    while at + 11 <= len(data):
        size = int.from_bytes(data[at + 1 : at + 4], "big")
        timestamp = int.from_bytes(data[at + 4 : at + 7], "big") | data[at + 7] << 24
        kind = data[at] & 0x1F
        payload = data[at + 11 : at + 11 + size]
        # The end-of-sequence mark of a file is no frame, and what its author says about it is not needed.
        is_end = kind == VIDEO and payload[1] == 2
        if kind in CHANNELS and not is_end:
            yield kind, timestamp, payload
        at += 11 + size + 4
