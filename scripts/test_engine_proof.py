"""The comparison of two engines, with small files in place of them."""

import struct
import unittest

import engine_proof


def elf(parts):
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
        read = engine_proof.sections(elf(self.WHOLE))
        self.assertEqual({name: read[name] for name in self.WHOLE}, self.WHOLE)

    def test_equal_engines_may_differ_in_what_is_not_run(self):
        one, other = elf({**self.WHOLE, ".wasmtime.addrmap": b"1"}), elf(self.WHOLE)
        self.assertEqual(engine_proof.differences(one, other), [])

    def test_a_different_or_missing_section_is_named(self):
        for name in engine_proof.COMPARED:
            changed = {**self.WHOLE, name: b"other"}
            missing = {part: content for part, content in self.WHOLE.items() if part != name}
            for other in (changed, missing):
                self.assertEqual(engine_proof.differences(elf(self.WHOLE), elf(other)), [name])
                self.assertEqual(engine_proof.differences(elf(other), elf(self.WHOLE)), [name])


if __name__ == "__main__":
    unittest.main()
