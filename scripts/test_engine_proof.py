"""The comparison of two engines, with small files in place of them."""

import contextlib
import io
import struct
import unittest

import elf
import engine_code
import engine_proof


def file_of(parts):
    """A file with these sections, as an ELF file lays them out."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (*parts, ".shstrtab"))
    contents = [*parts.values(), names]
    offsets, at = [], 64
    for content in contents:
        offsets.append(at)
        at += len(content)
    rows = [struct.pack("<IIQQQQIIQQ", *[0] * 10)]
    name_at = 1
    for name, offset, content in zip((*parts, ".shstrtab"), offsets, contents, strict=True):
        rows.append(struct.pack("<IIQQQQIIQQ", name_at, 1, 0, 0, offset, len(content), 0, 0, 1, 0))
        name_at += len(name) + 1
    header = bytearray(64)
    header[:4] = b"\x7fELF"
    struct.pack_into("<Q", header, 40, at)
    struct.pack_into("<HHH", header, 58, 64, len(rows), len(rows) - 1)
    return bytes(header) + b"".join(contents) + b"".join(rows)


class Proof(unittest.TestCase):
    WHOLE = {name: name.encode() * 3 for name in engine_proof.COMPARED}

    def test_sections_are_read_by_name(self):
        read = elf.sections(file_of(self.WHOLE))
        self.assertEqual({name: read[name] for name in self.WHOLE}, self.WHOLE)

    def test_what_nobody_reads_is_zeros_and_everything_else_as_it_was(self):
        unread = {name: b"unread" for name in engine_code.UNREAD}
        code = file_of({**self.WHOLE, **unread, ".after": b"after"})
        zeroed = elf.sections(elf.zeroed(code, engine_code.UNREAD))
        self.assertEqual({name: zeroed[name] for name in unread}, {name: bytes(6) for name in unread})
        self.assertEqual({**elf.sections(code), **unread}, {**zeroed, **unread})

    def test_a_section_that_is_not_there_is_no_success(self):
        with self.assertRaises(KeyError):
            elf.zeroed(file_of(self.WHOLE), engine_code.UNREAD)

    def test_nothing_that_is_compared_is_zeroed(self):
        self.assertFalse(set(engine_code.UNREAD) & set(engine_proof.COMPARED))

    def test_equal_engines_may_differ_in_what_is_not_run(self):
        one, other = file_of({**self.WHOLE, ".wasmtime.addrmap": b"1"}), file_of(self.WHOLE)
        self.assertEqual(engine_proof.differences(one, other), [])

    def test_a_different_or_missing_section_is_named(self):
        for name in engine_proof.COMPARED:
            changed = {**self.WHOLE, name: b"other"}
            missing = {part: content for part, content in self.WHOLE.items() if part != name}
            for other in (changed, missing):
                self.assertEqual(engine_proof.differences(file_of(self.WHOLE), file_of(other)), [name])
                self.assertEqual(engine_proof.differences(file_of(other), file_of(self.WHOLE)), [name])

    def test_a_stage_is_named_as_it_begins_and_timed_when_it_has_ended(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), engine_proof.stage("building"):
            self.assertEqual(said.getvalue(), "engine-proof: building …\n")
        self.assertRegex(said.getvalue(), r"\nengine-proof: building: \d+ s\n$")


if __name__ == "__main__":
    unittest.main()
