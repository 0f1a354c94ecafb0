"""Tests for clips.py."""

import pathlib
import tempfile
import unittest

import clips


def frame(size, fill):
    """An ADTS frame of `size` bytes, header included."""
    header = bytes([0xFF, 0xF1, 0x4C, 0x80 | size >> 11, size >> 3 & 0xFF, (size & 7) << 5 | 0x1F, 0xFC])
    return header + bytes([fill]) * (size - len(header))


class Cut(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name) / "in.aac"
        self.target = pathlib.Path(folder.name) / "out.aac"

    def test_takes_the_frames_asked_for_whatever_their_size(self):
        frames = [frame(7 + 300 * number, number) for number in range(8)]
        self.source.write_bytes(b"".join(frames))
        clips.cut(self.source, self.target, "2", "3")
        self.assertEqual(self.target.read_bytes(), b"".join(frames[2:5]))

    def test_refuses_to_make_a_shorter_clip_than_asked_for(self):
        self.source.write_bytes(frame(20, 1) * 4)
        with self.assertRaises(SystemExit):
            clips.cut(self.source, self.target, "2", "3")

    def test_refuses_what_is_no_adts(self):
        self.source.write_bytes(b"RIFF" * 10)
        with self.assertRaises(SystemExit):
            clips.cut(self.source, self.target, "0", "1")


class Render(unittest.TestCase):
    def test_writes_one_line_per_fact(self):
        text = clips.render({"video": {"packets": 2, "dts": [0, 33]}})
        self.assertEqual(text, '{\n  "video": {\n    "packets": 2,\n    "dts": [0, 33]\n  }\n}')


if __name__ == "__main__":
    unittest.main()
