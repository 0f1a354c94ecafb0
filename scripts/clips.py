#!/usr/bin/env python3
"""What scripts/make-clips.sh cannot do with ffmpeg alone.

clips.py cut IN OUT FIRST COUNT    COUNT frames of an ADTS file, beginning with frame FIRST (from 0)
clips.py describe FILE             the packets of a clip as JSON, for tests to compare with
"""

import json
import pathlib
import subprocess
import sys


def cut(source, target, first, count):
    """ffmpeg cuts by time, which is off by a frame at the edges; frames can be counted."""
    frames = adts_frames(pathlib.Path(source).read_bytes())
    chosen = frames[int(first) : int(first) + int(count)]
    if len(chosen) != int(count):
        sys.exit(f"{source} has only {len(frames)} frames")
    pathlib.Path(target).write_bytes(b"".join(chosen))


def adts_frames(data):
    """The frames of an ADTS file, headers included (ISO 13818-7, 6.2: 13 bits of length from bit 30)."""
    frames = []
    at = 0
    while at + 7 <= len(data):
        if data[at] != 0xFF or data[at + 1] & 0xF0 != 0xF0:
            sys.exit(f"no ADTS header at byte {at}")
        size = (data[at + 3] & 0x03) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        frames.append(data[at : at + size])
        at += size
    return frames


def describe(path):
    """Every packet's times in milliseconds, as FLV and RTMP carry them, and which packets are key frames."""
    shown = "stream=index,codec_type,codec_name,profile,width,height,sample_rate,channels"
    shown += ":packet=stream_index,pts,dts,size,flags"
    command = ["ffprobe", "-v", "error", "-show_streams", "-show_packets", "-show_entries", shown, "-of", "json", path]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    tracks = {}
    for stream in answer["streams"]:
        packets = [packet for packet in answer["packets"] if packet["stream_index"] == stream["index"]]
        track = {"codec": stream["codec_name"]}
        for key in ("profile", "width", "height", "sample_rate", "channels"):
            if key in stream:
                track[key] = int(stream[key]) if key == "sample_rate" else stream[key]
        track["packets"] = len(packets)
        track["bytes"] = sum(int(packet["size"]) for packet in packets)
        if stream["codec_type"] == "video":
            track["keys"] = [at for at, packet in enumerate(packets) if "K" in packet["flags"]]
        track["dts"] = [packet["dts"] for packet in packets]
        if any(packet["pts"] != packet["dts"] for packet in packets):
            track["offsets"] = [packet["pts"] - packet["dts"] for packet in packets]
        tracks[stream["codec_type"]] = track
    print(render(tracks))


def render(tracks):
    """One line per fact: a change of a clip can be read in a diff."""
    blocks = []
    for name, track in tracks.items():
        facts = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in track.items())
        blocks.append(f"  {json.dumps(name)}: {{\n{facts}\n  }}")
    return "{\n" + ",\n".join(blocks) + "\n}"


COMMANDS = {"cut": (cut, 4), "describe": (describe, 1)}

if __name__ == "__main__":
    name, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    if name not in COMMANDS or len(arguments) != COMMANDS[name][1]:
        sys.exit(__doc__.strip())
    COMMANDS[name][0](*arguments)
