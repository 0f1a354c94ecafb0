"""Reading WebAssembly binaries, and writing them with a few bytes changed: only what `fresh_hashes.py` needs."""

import dataclasses

HEADER = 8

# Sections of a module.
CUSTOM, IMPORT, FUNCTION, MEMORY, GLOBAL, EXPORT, CODE, DATA = 0, 2, 3, 5, 6, 7, 10, 11
# The section of a component that holds a module.
CORE_MODULE = 1

# What is imported or exported.
OF_FUNCTION, OF_TABLE, OF_MEMORY, OF_GLOBAL = range(4)

I32, I64 = 0x7F, 0x7E
I32_CONST, END = 0x41, 0x0B

# What `assemble` knows: instructions with nothing behind them, with an index, with a number, of the memory, of blocks.
PLAIN = {"unreachable": 0x00, "end": END, "return": 0x0F, "select": 0x1B, "i32.eqz": 0x45, "i32.ne": 0x47}
PLAIN |= {"i64.eqz": 0x50, "i64.eq": 0x51, "i32.add": 0x6A, "i32.mul": 0x6C, "i32.and": 0x71, "i32.or": 0x72}
PLAIN |= {"i64.or": 0x84, "i32.wrap_i64": 0xA7}
INDEXED = {"br": 0x0C, "br_if": 0x0D, "call": 0x10, "local.get": 0x20, "local.set": 0x21, "local.tee": 0x22}
NUMBERED = {"i32.const": I32_CONST, "i64.const": 0x42}
STORED = {"i64.load": 0x29, "i64.store": 0x37}
BLOCKS = {"block": 0x02, "loop": 0x03, "if": 0x04}
# A block without a result, and how the 64-bit numbers of the memory are aligned: log2 of their bytes.
EMPTY, ALIGNED = 0x40, 3

PAGE = 65_536


def unsigned(number):
    """LEB128."""
    out = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        if not number:
            return bytes((*out, low))
        out.append(low | 0x80)


def signed(number):
    """LEB128 of a number that may be below zero."""
    out = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        if number == (-1 if low & 0x40 else 0):
            return bytes((*out, low))
        out.append(low | 0x80)


def vector(items):
    return unsigned(len(items)) + b"".join(items)


def sized(content):
    return unsigned(len(content)) + content


class Reader:
    """Walks over bytes, front to back."""

    def __init__(self, content, at=0):
        self.content, self.at = content, at

    def more(self):
        return self.at < len(self.content)

    def byte(self):
        self.at += 1
        return self.content[self.at - 1]

    def unsigned(self):
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def signed(self):
        start = self.at
        number = self.unsigned()
        bits = 7 * (self.at - start)
        return number - (1 << bits) if number >> (bits - 1) else number

    def take(self, count):
        taken = self.content[self.at : self.at + count]
        if len(taken) < count:
            raise ValueError(f"{count} bytes are wanted at {self.at} and {len(taken)} are there")
        self.at += count
        return taken

    def sized(self):
        return self.take(self.unsigned())

    def name(self):
        return self.sized().decode()


@dataclasses.dataclass
class Section:
    id: int
    content: bytes


def sections(binary):
    reader = Reader(binary, HEADER)
    found = []
    while reader.more():
        found.append(Section(reader.byte(), reader.sized()))
    return found


def join(header, parts):
    return header + b"".join(bytes((part.id,)) + sized(part.content) for part in parts)


class Module:
    """A core module, whose sections may be replaced."""

    def __init__(self, binary):
        self.header, self.sections = binary[:HEADER], sections(binary)

    def encode(self):
        return join(self.header, self.sections)

    def section(self, id):
        """The one section of a kind."""
        found = [section for section in self.sections if section.id == id]
        if len(found) != 1:
            raise ValueError(f"a module has {len(found)} sections {id} where one is wanted")
        return found[0]

    def reader(self, id):
        """A reader behind the count with which the content of most sections begins, and that count."""
        reader = Reader(self.section(id).content)
        return reader, reader.unsigned()

    def exports(self):
        """Kind and index of what is exported, by name."""
        reader, count = self.reader(EXPORT)
        found = {}
        for _ in range(count):
            name, kind = reader.name(), reader.byte()
            found[name] = (kind, reader.unsigned())
        return found

    def imported_functions(self):
        """Their names, in the order of their indices."""
        reader, count = self.reader(IMPORT)
        found = []
        for _ in range(count):
            _, name, kind = reader.name(), reader.name(), reader.byte()
            if kind == OF_FUNCTION:
                reader.unsigned()
                found.append(name)
            elif kind == OF_GLOBAL:
                reader.take(2)
            elif kind in (OF_TABLE, OF_MEMORY):
                if kind == OF_TABLE:
                    reader.byte()
                limits(reader)
            else:
                raise ValueError(f"{name!r} is an import of the unknown kind {kind}")
        return found

    def function_names(self):
        """Indices by the names that the linker noted."""
        for section in self.sections:
            reader = Reader(section.content)
            if section.id != CUSTOM or reader.name() != "name":
                continue
            while reader.more():
                part, content = reader.byte(), Reader(reader.sized())
                if part == 1:
                    pairs = [(content.unsigned(), content.name()) for _ in range(content.unsigned())]
                    return {name: index for index, name in pairs}
        return {}

    def globals(self):
        """What those of one's own begin with; `None` where it is not simply a number."""
        reader, count = self.reader(GLOBAL)
        found = []
        for _ in range(count):
            reader.take(2)
            found.append(constant(reader))
        return found

    def bodies(self):
        reader, count = self.reader(CODE)
        return [reader.sized() for _ in range(count)]

    def types_of_functions(self):
        reader, count = self.reader(FUNCTION)
        return [reader.unsigned() for _ in range(count)]

    def memory(self):
        """How many pages the only memory has at least, and what follows that."""
        reader, count = self.reader(MEMORY)
        if count != 1:
            raise ValueError(f"a module has {count} memories where one is wanted")
        flags, least = reader.byte(), reader.unsigned()
        return flags, least, reader.take(len(reader.content) - reader.at)

    def segments(self):
        """Where the contents of the memory go, and those contents."""
        reader, count = self.reader(DATA)
        found = []
        for _ in range(count):
            kind = reader.unsigned()
            if kind:
                raise ValueError(f"a data segment is of kind {kind}, not simply there from the beginning")
            found.append((constant(reader), reader.sized()))
        return found


def limits(reader):
    """Skips how large something may be."""
    if reader.byte() & 1:
        reader.unsigned()
    reader.unsigned()


def constant(reader):
    """The number an expression stands for, if it is only that."""
    # One instruction with one operand, as linkers write them: else `global.get`, `i64.const`, `ref.null`.
    is_number = reader.byte() == I32_CONST
    operand = reader.signed()
    if reader.byte() != END:
        raise ValueError("an expression is longer than a constant")
    return operand if is_number else None


def assemble(text, names):
    """The code of a function, from its instructions as the text format writes them, without brackets.

    Whatever follows an instruction is a number or one of the names; `;;` begins a comment.
    """
    code = bytearray()
    for line in text.splitlines():
        operation, *operands = line.partition(";;")[0].split() or [None]
        values = [names[operand] if operand in names else int(operand) for operand in operands]
        if operation in PLAIN and not values:
            code.append(PLAIN[operation])
        elif operation in INDEXED and len(values) == 1:
            code += bytes((INDEXED[operation],)) + unsigned(values[0])
        elif operation in NUMBERED and len(values) == 1:
            code += bytes((NUMBERED[operation],)) + signed(values[0])
        elif operation in STORED and not values:
            code += bytes((STORED[operation], ALIGNED, 0))
        elif operation in BLOCKS and not values:
            code += bytes((BLOCKS[operation], EMPTY))
        elif operation:
            raise ValueError(f"this is no instruction that is known here: {line.strip()}")
    code.append(END)
    return bytes(code)
