"""Sections of ELF files for 64 bits, which is what compiled WebAssembly is kept in."""

import struct

# Where the table of sections is, and a row of that table.
HEADER, ROW = struct.Struct("<40xQ10xHHH"), struct.Struct("<IIQQQQIIQQ")


def places(code):
    """Where each section begins and how long it is, by its name."""
    table, size, count, names = HEADER.unpack_from(code)
    rows = [ROW.unpack_from(code, table + number * size) for number in range(count)]
    texts = rows[names][4]
    return {code[texts + row[0] : code.index(b"\0", texts + row[0])].decode(): row[4:6] for row in rows}


def sections(code):
    """The sections of an ELF file by name."""
    return {name: code[start : start + length] for name, (start, length) in places(code).items()}


def zeroed(code, names):
    """The same file with nothing but zeros in these sections, which it must have."""
    made = bytearray(code)
    found = places(code)
    for name in names:
        start, length = found[name]
        made[start : start + length] = bytes(length)
    return bytes(made)
