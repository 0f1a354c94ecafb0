#!/usr/bin/env python3
"""Makes the short streams with the codecs of Enhanced RTMP: crates/media/tests/clips/NAME.flv.

    python3 scripts/enhanced_clips.py           all of them
    python3 scripts/enhanced_clips.py NAME …    only these

The ffmpeg of most systems cannot write such FLV yet, so it makes fragmented MP4 and the tags are written here.
The clips are committed, so tests neither encode nor depend on an encoder's version.
Needs ffmpeg with libx265, libaom, libvpx and libopus.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

OUT = pathlib.Path(__file__).resolve().parent.parent / "crates/media/tests/clips"
SECONDS = "4"
PICTURE = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30", "-t", SECONDS, "-pix_fmt", "yuv420p", "-g", "30"]
SOUND = ["-f", "lavfi", "-i", "sine=frequency=330:beep_factor=2:sample_rate=48000", "-t", SECONDS]
X265 = "keyint=30:min-keyint=30:scenecut=0:open-gop=0:bframes=2:info=0:pools=none:frame-threads=1:log-level=none"
HEVC = [*PICTURE, "-c:v", "libx265", "-preset", "veryfast", "-b:v", "60k", "-x265-params", X265, "-tag:v", "hvc1"]
AV1 = [*PICTURE, "-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used", "8", "-threads", "1", "-b:v", "60k"]
VP9 = [*PICTURE, "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-threads", "1", "-b:v", "60k"]
OPUS = [*SOUND, "-ac", "2", "-c:a", "libopus", "-b:a", "32k"]
FLAC = [*SOUND, "-ac", "1", "-c:a", "flac", "-sample_fmt", "s16", "-strict", "-2"]
# Optional fields of a fragment's headers: the flag of each, its name, and its length where it differs.
TRACK_FIELDS = [(1, "base", 8), (2, "entry", 4), (8, "duration", 4), (16, "size", 4), (32, "flags", 4)]
SAMPLE_FIELDS = [(0x100, "duration"), (0x200, "size"), (0x400, "flags"), (0x800, "composition")]
CLIPS = {
    "hevc-opus": (HEVC, "hvc1", OPUS),
    "hevc-old-flac": (HEVC, "12", FLAC),
    "av1-opus": (AV1, "av01", OPUS),
    "vp9-opus": (VP9, "vp09", OPUS),
}


def boxes(data, start=0):
    """Names and bodies of the boxes one after the other."""
    at = start
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        yield name, data[at + 8 : at + size], at
        at += size


def find(data, name):
    """The body of the first box of this name, wherever it is inside the sample entry."""
    at = data.find(name)
    size = struct.unpack_from(">I", data, at - 4)[0]
    return data[at + 4 : at - 4 + size]


def samples(data):
    """Decode time, composition offset (both in seconds), whether it is a key frame, and the bytes."""
    moov = next(body for name, body, _ in boxes(data) if name == b"moov")
    timescale = struct.unpack_from(">I", find(moov, b"mdhd"), 12)[0]
    for name, moof, at in boxes(data):
        if name != b"moof":
            continue
        traf = next(body for child, body, _ in boxes(moof) if child == b"traf")
        defaults, when, offset = {}, 0, 0
        for child, body, _ in boxes(traf):
            flags = int.from_bytes(body[1:4], "big")
            if child == b"tfhd":
                field = 8
                for bit, key, size in TRACK_FIELDS:
                    if flags & bit:
                        defaults[key] = int.from_bytes(body[field : field + size], "big")
                        field += size
            elif child == b"tfdt":
                when = int.from_bytes(body[4:], "big")
            elif child == b"trun":
                count, field = struct.unpack_from(">I", body, 4)[0], 8
                if flags & 1:
                    offset = at + struct.unpack_from(">i", body, field)[0]
                    field += 4
                first = None
                if flags & 4:
                    first = struct.unpack_from(">I", body, field)[0]
                    field += 4
                for index in range(count):
                    sample = dict(defaults, composition=0)
                    if index == 0 and first is not None:
                        sample["flags"] = first
                    for bit, key in SAMPLE_FIELDS:
                        if flags & bit:
                            sample[key] = struct.unpack_from(">i" if key == "composition" else ">I", body, field)[0]
                            field += 4
                    is_key = not sample.get("flags", 0) & 0x10000
                    payload = data[offset : offset + sample["size"]]
                    yield when / timescale, sample["composition"] / timescale, is_key, payload
                    offset += sample["size"]
                    when += sample["duration"]


def picture_tags(data, codec):
    """The tags of a picture: a stamp and a body each."""
    record = {"hvc1": b"hvcC", "12": b"hvcC", "av01": b"av1C", "vp09": b"vpcC"}[codec]
    config = find(data, record)
    if codec == "12":
        yield 0, b"\x1c\0\0\0\0" + config
    else:
        yield 0, b"\x90" + codec.encode() + config
    for when, composition, is_key, payload in samples(data):
        kind = 0x10 if is_key else 0x20
        offset = round(composition * 1000).to_bytes(3, "big", signed=True)
        if codec == "12":
            body = bytes([kind | 12, 1]) + offset + payload
        elif codec == "hvc1" and composition:
            body = bytes([0x80 | kind | 1]) + b"hvc1" + offset + payload
        else:
            # Without a composition time; for AV1 and VP9 both kinds say the same.
            body = bytes([0x80 | kind | (3 if codec == "hvc1" else 1)]) + codec.encode() + payload
        yield round(when * 1000), body


def sound_tags(data):
    """The tags of Opus or FLAC sound: a stamp and a body each."""
    if b"dOps" in data:
        _, channels, skip, rate, gain, family = struct.unpack(">BBHIhB", find(data, b"dOps"))
        head = b"OpusHead" + struct.pack("<BBHIhB", 1, channels, skip, rate, gain, family)
        codec = b"Opus"
    else:
        head = b"fLaC" + find(data, b"dfLa")[4:]
        codec = b"fLaC"
    yield 0, b"\x90" + codec + head
    for when, _, _, payload in samples(data):
        yield round(when * 1000), b"\x91" + codec + payload


def track(options):
    """One track as fragmented MP4."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "track.mp4"
        flags = "+frag_keyframe+delay_moov+default_base_moof"
        command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *options, "-fflags", "+bitexact", "-movflags", flags]
        subprocess.run([*command, str(file)], check=True)
        return file.read_bytes()


def flv(tags):
    """A file of tags: kind, stamp and body each."""
    out = bytearray(b"FLV\x01\x05\0\0\0\x09\0\0\0\0")
    for kind, stamp, body in tags:
        head = bytes([kind]) + len(body).to_bytes(3, "big") + (stamp & 0xFFFFFF).to_bytes(3, "big") + b"\0\0\0\0"
        out += head + body + (len(head) + len(body)).to_bytes(4, "big")
    return bytes(out)


def main(names):
    """Makes the clips called `names`, or all."""
    OUT.mkdir(exist_ok=True)
    for name in names or CLIPS:
        picture, codec, sound = CLIPS[name]
        tags = [(9, stamp, body) for stamp, body in picture_tags(track(picture), codec)]
        tags += [(8, stamp, body) for stamp, body in sound_tags(track(sound))]
        tags.sort(key=lambda tag: tag[1])
        (OUT / f"{name}.flv").write_bytes(flv(tags))
        print(f"{name}: {len(tags)} tags")


if __name__ == "__main__":
    main(sys.argv[1:])
