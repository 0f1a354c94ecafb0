"""Reading and writing of WebAssembly binaries."""

import unittest

import wasm

MAGIC = b"\0asm\1\0\0\0"


def module(*parts):
    return wasm.Module(wasm.join(MAGIC, [wasm.Section(id, content) for id, content in parts]))


class Numbers(unittest.TestCase):
    def test_a_number_is_read_as_it_was_written(self):
        for number in (0, 1, 63, 64, 127, 128, 8_191, 8_192, 65_535, 1 << 31, (1 << 64) - 1):
            self.assertEqual(wasm.Reader(wasm.unsigned(number)).unsigned(), number)
            for signed in (number, -number):
                self.assertEqual(wasm.Reader(wasm.signed(signed)).signed(), signed)

    def test_a_number_that_a_linker_made_longer_than_it_must_be_is_the_same(self):
        self.assertEqual(wasm.Reader(b"\x81\x80\x80\x80\x00").unsigned(), 1)
        self.assertEqual(wasm.Reader(b"\xff\xff\xff\xff\x7f").signed(), -1)


class Modules(unittest.TestCase):
    def test_sections_are_written_as_they_were_read(self):
        binary = wasm.join(MAGIC, [wasm.Section(wasm.CUSTOM, b"\4name"), wasm.Section(wasm.DATA, b"\0" * 300)])
        self.assertEqual(wasm.Module(binary).encode(), binary)

    def test_what_is_cut_off_is_told(self):
        binary = wasm.join(MAGIC, [wasm.Section(wasm.DATA, b"\0" * 300)])
        with self.assertRaisesRegex(ValueError, "300 bytes are wanted at 11 and 299 are there"):
            wasm.Module(binary[:-1])

    def test_a_section_that_is_missing_is_told(self):
        with self.assertRaisesRegex(ValueError, "0 sections 11 where one is wanted"):
            module().segments()

    def test_imports_of_every_kind_are_passed_over_to_count_the_functions(self):
        kinds = (b"\0\5", b"\1\x70\1\2\3", b"\2\0\1", b"\3\x7f\0", b"\0\6")
        imports = [wasm.sized(b"env") + wasm.sized(name) + kind for name, kind in zip((b"a", b"b", b"c", b"d", b"e"), kinds)]
        self.assertEqual(module((wasm.IMPORT, wasm.vector(imports))).imported_functions(), ["a", "e"])

    def test_contents_of_the_memory_are_read_with_their_places(self):
        segments = wasm.vector([b"\0\x41\x80\x01\x0b\2hi", b"\0\x41\0\x0b\0"])
        self.assertEqual(module((wasm.DATA, segments)).segments(), [(128, b"hi"), (0, b"")])
        with self.assertRaisesRegex(ValueError, "of kind 1"):
            module((wasm.DATA, wasm.vector([b"\1\2hi"]))).segments()

    def test_globals_that_are_more_than_a_number_are_told_apart(self):
        values = wasm.vector([b"\x7f\0\x41\x05\x0b", b"\x7f\0\x23\x01\x0b"])
        self.assertEqual(module((wasm.GLOBAL, values)).globals(), [5, None])


class Assembling(unittest.TestCase):
    def test_instructions_become_their_codes(self):
        text = """
            block           ;; a comment
                local.get x
                i64.load
                i64.eqz
                br_if 0
            end
            i32.const -2
        """
        self.assertEqual(wasm.assemble(text, {"x": 3}).hex(), "02402003290300500d000b417e0b")

    def test_what_is_no_instruction_is_told(self):
        for line in ("i32.nop", "local.get", "end 1", "br 0 1"):
            with self.assertRaisesRegex(ValueError, line):
                wasm.assemble(line, {})


if __name__ == "__main__":
    unittest.main()
