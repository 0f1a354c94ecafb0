"""Fresh hashes in a memory of a few objects; `crates/plugins` looks at the engine itself."""

import _imp
import random
import struct
import sys
import unittest

import fresh_hashes
import wasm

SECRET = (0x8ACD_2959, 0xE6D2_5772)
# Where things are in the memory of these tests.
META, TEXT, BYTES, DERIVED, SECRET_AT = 0x100, 0x200, 0x300, 0x400, 0x500
FIRST_OBJECT = 0x600


class Memory:
    """One page, laid out as CPython does it."""

    def __init__(self):
        self.image = bytearray(wasm.PAGE)
        self.end = FIRST_OBJECT
        self.type(META, META, fresh_hashes.IS_TYPE)
        self.type(TEXT, META, fresh_hashes.IS_TEXT)
        self.type(BYTES, META, fresh_hashes.IS_BYTES)
        self.type(DERIVED, META, fresh_hashes.IS_TEXT)
        struct.pack_into("<2I", self.image, SECRET_AT, *SECRET)

    def type(self, at, meta, flags):
        struct.pack_into("<I", self.image, at + fresh_hashes.OBJECT_TYPE, meta)
        struct.pack_into("<I", self.image, at + fresh_hashes.TYPE_FLAGS, flags)

    def put(self, type, length, hash, rest):
        content = struct.pack("<4I", 1, type, length, hash) + rest
        self.image[self.end : self.end + len(content)] = content
        self.end += (len(content) + 31) // 16 * 16

    def text(self, text, type=TEXT, hash=None):
        data = text.encode("ascii" if text.isascii() else "utf-16-le")
        hash = fresh_hashes.hash_before(data, SECRET) if hash is None else hash
        # Kind 1 and ASCII, or kind 2; compact.
        head = struct.pack("<I", 0x64) if text.isascii() else struct.pack("<3I", 0x28, 0, 0)
        self.put(type, len(text), hash, head + data)
        return data

    def apart(self, text, type):
        """A text whose characters lie elsewhere, as in objects of derived types."""
        data = text.encode()
        at = self.end
        self.image[at : at + len(data)] = data
        self.end += (len(data) + 31) // 16 * 16
        self.put(type, len(data), fresh_hashes.hash_before(data, SECRET), struct.pack("<4I", 0x44, 0, 0, at))
        return data

    def bytes(self, data):
        self.put(BYTES, len(data), fresh_hashes.hash_before(data, SECRET), data)
        return data

    def key(self, name, hash=None):
        """An entry of a hash table: the next one, the hash, the name and what it stands for."""
        at = self.end
        self.image[at : at + len(name)] = name
        self.end += (len(name) + 31) // 16 * 16
        hash = fresh_hashes.hash_before(name or b"-", SECRET) if hash is None else hash
        struct.pack_into("<4I", self.image, self.end, 0, hash, at, 0)
        self.end += 16

    def module(self):
        places = {fresh_hashes.TEXT_TYPE: TEXT, fresh_hashes.BYTES_TYPE: BYTES, fresh_hashes.SECRET: SECRET_AT}
        numbers = [b"\x7f\0" + fresh_hashes.number(place) + b"\x0b" for place in places.values()]
        names = [wasm.sized(name.encode()) + bytes((wasm.OF_GLOBAL, at)) for at, name in enumerate(places)]
        data = b"\0" + fresh_hashes.number(0) + b"\x0b" + wasm.sized(bytes(self.image))
        sections = (
            (wasm.MEMORY, b"\1\0\1"),
            (wasm.GLOBAL, wasm.vector(numbers)),
            (wasm.EXPORT, wasm.vector(names)),
            (wasm.DATA, wasm.vector([data])),
        )
        return wasm.Module(wasm.join(b"\0asm\1\0\0\0", [wasm.Section(*section) for section in sections]))


class Finding(unittest.TestCase):
    def test_every_text_with_its_hash_is_found(self):
        memory = Memory()
        wanted = {memory.text("print"), memory.text("Zürich…"), memory.text("a"), memory.bytes(b"\0\xff" * 9)}
        wanted |= {memory.text("derived", DERIVED), memory.apart("elsewhere", DERIVED)}
        self.assertEqual(fresh_hashes.Snapshot(memory.module()).objects(), wanted)

    def test_what_has_no_hash_or_another_one_is_no_text_of_the_snapshot(self):
        memory = Memory()
        memory.text("not yet", hash=fresh_hashes.NOT_HASHED)
        memory.text("freed", hash=7)
        memory.put(TEXT, 0xFFFF_FFF0, 7, b"")
        memory.put(0x12345, 3, 7, b"abc")
        self.assertEqual(fresh_hashes.Snapshot(memory.module()).objects(), set())

    def test_names_in_tables_of_c_code_are_found(self):
        memory = Memory()
        memory.key(b"sha2_256")
        memory.key(b"sys:sys")
        memory.key(b"another", hash=0x1234_5678)
        memory.key(b"")
        memory.key(b"x" * fresh_hashes.LONGEST_KEY)
        self.assertEqual(fresh_hashes.Snapshot(memory.module()).keys(), {b"sha2_256", b"sys:sys"})

    def test_another_layout_of_objects_is_refused(self):
        memory = Memory()
        memory.type(TEXT, META, 0)
        with self.assertRaisesRegex(ValueError, "laid out in another way"):
            fresh_hashes.Snapshot(memory.module()).objects()

    def test_something_else_than_the_engine_is_refused(self):
        with self.assertRaisesRegex(ValueError, "0 modules of the component"):
            fresh_hashes.refresh(b"\0asm\x0d\0\1\0")


class Table(unittest.TestCase):
    def test_every_mark_is_reached_from_its_slot_and_there_is_always_an_empty_one(self):
        chance = random.Random(1)
        for count in (1, 2, 3, 1_000):
            marks = {chance.getrandbits(64) | 1 for _ in range(count)}
            # As many that want the same slot.
            marks |= {(number << 20) + 5 for number in range(1, count)}
            table = struct.unpack(f"<{len(fresh_hashes.slots(marks)) // 8}Q", fresh_hashes.slots(marks))
            self.assertGreaterEqual(len(table), 2 * len(marks))
            self.assertEqual({mark for mark in table if mark}, marks)
            for mark in marks:
                at = mark % len(table)
                while table[at] != mark:
                    self.assertTrue(table[at], "an empty slot lies before it")
                    at = (at + 1) % len(table)

    def test_a_mark_that_looks_like_an_empty_slot_is_refused(self):
        with self.assertRaisesRegex(ValueError, "the mark of an empty slot"):
            fresh_hashes.slots({0, 1})

    def test_it_lies_behind_the_memory_that_was_there(self):
        module = Memory().module()
        place = fresh_hashes.append(module, b"x" * (wasm.PAGE + 1))
        self.assertEqual(place, wasm.PAGE)
        self.assertEqual(module.memory(), (0, 3, b""))
        self.assertEqual(module.segments()[1], (wasm.PAGE, b"x" * (wasm.PAGE + 1)))


class Function(unittest.TestCase):
    def test_the_new_one_takes_the_place_of_the_old_one_which_goes_behind_all_others(self):
        name = wasm.sized
        of_type = bytes((wasm.OF_FUNCTION, 0))
        known = enumerate((b"other", b"_Py_KeyedHash", b"x", b"y"))
        names = b"".join(bytes((index,)) + name(text) for index, text in known)
        sections = (
            (wasm.IMPORT, wasm.vector([name(b"env") + name(text) + of_type for text in (b"malloc", b"getentropy")])),
            (wasm.FUNCTION, wasm.vector([b"\3", b"\4"])),
            (wasm.EXPORT, wasm.vector([name(b"Py_HashBuffer") + bytes((wasm.OF_FUNCTION, 2))])),
            (wasm.CODE, wasm.vector([name(b"\0\1\x0b"), name(b"\0\2\x0b")])),
            (wasm.CUSTOM, name(b"name") + b"\1" + name(b"\4" + names)),
        )
        module = wasm.Module(wasm.join(b"\0asm\1\0\0\0", [wasm.Section(*section) for section in sections]))
        fresh_hashes.replace(module, 0x20_0000, 1 << 15, 0x30_0000)
        new, other, old = module.bodies()
        self.assertEqual((other, old), (b"\0\2\x0b", b"\0\1\x0b"))
        self.assertEqual(module.types_of_functions(), [3, 4, 3])
        self.assertEqual(new, fresh_hashes.function(4, 1, 1, 0x20_0000, 1 << 15, 0x30_0000))

    def test_key_and_seed_for_xml_are_drawn(self):
        code = fresh_hashes.function(4, 5, 6, 0x20_0000, 1 << 15, 0x30_0000)
        for place, size in ((0x20_0000, 8), (0x30_0000, 4)):
            self.assertIn(fresh_hashes.number(place) + fresh_hashes.number(size) + b"\x10\6", code)


class Hashing(unittest.TestCase):
    @unittest.skipIf(sys.version_info < (3, 11), "this Python has another SipHash")
    def test_marks_are_the_ones_that_cpython_makes(self):
        for size in (*range(20), 255, 256, 1_000):
            text = bytes(number * 7 & 0xFF for number in range(size))
            for key in (0, 1, (1 << 63) - 1):
                mark = int.from_bytes(_imp.source_hash(key, text), "little")
                self.assertEqual(fresh_hashes.siphash(key, text), mark)


if __name__ == "__main__":
    unittest.main()
