"""Gives every instance of the engine a seed of its own for Python's hashes.

The engine is a snapshot: every text in it carries its hash and every dictionary lies in the order of its hashes, so the
seed it was made with cannot simply be drawn anew. And it is no secret: it lies in a file that anybody can have. Who
knows it can write chat lines that all have one hash, and a plugin that counts words gets slower with each of them.

So the function that hashes bytes is replaced in the finished component. It knows the texts of the snapshot by their
marks, in a table behind the memory that was there: for those it gives the hash they had. Everything else is hashed with
SipHash and a key that the instance draws when it needs it for the first time.

    Py_HashBuffer(text):
        if the mark of text is in the table: what Py_HashBuffer gave before
        else: SipHash(own key, text)

A mark is SipHash with a key that everybody may know. For a text that has the mark of another one nothing breaks: equal
texts still have equal hashes. Who looks for such texts on purpose finds one in about 2^50 tries, and needs thousands.

The parser of XML has a seed as well, which is drawn together with the key.
"""

import struct

import wasm

# The functions of CPython this is about, as it names them.
REPLACED, SIPHASH, ENTROPY = "Py_HashBuffer", "_Py_KeyedHash", "getentropy"
# Where things of the library are in the memory: exports of the module that has it.
TEXT_TYPE, BYTES_TYPE = "libpython3.14.so:PyUnicode_Type", "libpython3.14.so:PyBytes_Type"
SECRET = "libpython3.14.so:_Py_HashSecret"

# CPython's objects on a machine with 32 bits. Of every object, of types, of texts, of bytes.
OBJECT_TYPE = 4
TYPE_FLAGS = 84
LENGTH, HASH, TEXT_STATE = 8, 12, 16
ASCII_DATA, COMPACT_DATA, DATA_POINTER, BYTES_DATA = 20, 28, 28, 16
IS_TYPE, IS_TEXT, IS_BYTES = 1 << 31, 1 << 28, 1 << 27
STATE_COMPACT, STATE_ASCII = 0x20, 0x40
NOT_HASHED = 0xFFFF_FFFF

# With this key a text's mark is made.
MARK_KEY = 1
# Ahead of the table: the instance's own key.
KEY_ROOM = 64
SLOT = 8
# A snapshot with fewer texts than this was not read well.
FEWEST = 12_000
# What looks like a text and is longer is a pointer read as a length.
LONGEST = 1 << 20
# A longer name is not kept in a table of C code.
LONGEST_KEY = 80
# Below these a word is nothing of the kind; without them the search takes a minute.
LOWEST_HASH, LOWEST_POINTER = 0xFFFF, 0x400
# In the secret: where the seed for XML is, and how long it is.
XML_SALT, XML_SALT_SIZE = 16, 4

BITS = (1 << 64) - 1
HASH_BITS = (1 << 32) - 1


def refresh(component):
    """The component with fresh hashes."""
    parts = wasm.sections(component)
    modules = {at: wasm.Module(part.content) for at, part in enumerate(parts) if part.id == wasm.CORE_MODULE}
    memory_at, memory = only(modules, lambda exports: "memory" in exports and TEXT_TYPE in exports)
    python_at, python = only(modules, lambda exports: exports.get(REPLACED, (None,))[0] == wasm.OF_FUNCTION)

    snapshot = Snapshot(memory)
    texts = snapshot.objects() | snapshot.keys()
    if len(texts) < FEWEST:
        raise ValueError(f"only {len(texts)} texts with a hash were found in the snapshot")
    table = slots({siphash(MARK_KEY, text) for text in texts})
    place = append(memory, bytes(KEY_ROOM) + table)
    replace(python, place, len(table) // SLOT, snapshot.secret + XML_SALT)

    for at, module in ((memory_at, memory), (python_at, python)):
        parts[at] = wasm.Section(wasm.CORE_MODULE, module.encode())
    return wasm.join(component[: wasm.HEADER], parts)


def only(modules, wanted):
    found = [
        (at, module)
        for at, module in modules.items()
        if any(section.id == wasm.EXPORT for section in module.sections) and wanted(module.exports())
    ]
    if len(found) != 1:
        raise ValueError(f"{len(found)} modules of the component look like the one that is wanted")
    return found[0]


def siphash(key, text):
    """SipHash-1-3 with a key whose second half is zero: what `_Py_KeyedHash` is."""
    a, b, c, d = key ^ 0x736F6D6570736575, 0x646F72616E646F6D, key ^ 0x6C7967656E657261, 0x7465646279746573
    whole = len(text) & ~7
    last = int.from_bytes(text[whole:], "little") | (len(text) & 0xFF) << 56
    for (word,) in (*struct.iter_unpack("<Q", text[:whole]), (last,)):
        a, b, c, d = mix(a, b, c, d ^ word)
        a ^= word
    c ^= 0xFF
    for _ in range(3):
        a, b, c, d = mix(a, b, c, d)
    return a ^ b ^ c ^ d


def mix(a, b, c, d):
    a, c = (a + b) & BITS, (c + d) & BITS
    b, d, a = turn(b, 13) ^ a, turn(d, 16) ^ c, turn(a, 32)
    c, a = (c + b) & BITS, (a + d) & BITS
    return a, turn(b, 17) ^ c, turn(c, 32), turn(d, 21) ^ a


def turn(number, count):
    return (number << count | number >> (64 - count)) & BITS


class Snapshot:
    """What in the memory depends on the seed."""

    def __init__(self, memory):
        numbers, exports = memory.globals(), memory.exports()
        places = {name: numbers[exports[name][1]] for name in (TEXT_TYPE, BYTES_TYPE, SECRET)}
        self.image = picture(memory)
        self.words = memoryview(self.image).cast("I")
        if not all(kind_of(self.words, places[name]) for name in (TEXT_TYPE, BYTES_TYPE)):
            raise ValueError("texts do not have the type of texts: objects are laid out in another way")
        self.secret = places[SECRET]
        self.seeds = struct.unpack_from("<2I", self.image, self.secret)

    def objects(self):
        """The bytes of every text and bytes object that has its hash.

        Nobody has a list of them, so the memory is searched for what points to their types, and it is one if it carries
        the hash that its bytes have.
        """
        # Types that are derived from theirs lie anywhere.
        kinds = {word: kind for word in set(self.words) if (kind := kind_of(self.words, word))}
        found = set()
        for at, word in enumerate(self.words):
            if word in kinds:
                start = at * 4 - OBJECT_TYPE
                text = content(self.image, self.words, start, kinds[word])
                if text and hash_before(text, self.seeds) == self.words[(start + HASH) // 4]:
                    found.add(text)
        return found

    def keys(self):
        """The names in hash tables of C code, where a name's hash lies before the pointer to it."""
        found, hashes = set(), {}
        before = 0
        for word in self.words:
            if before > LOWEST_HASH and LOWEST_POINTER < word < len(self.image):
                if word not in hashes:
                    name, end, _ = self.image[word : word + LONGEST_KEY].partition(b"\0")
                    hashes[word] = hash_before(name, self.seeds) if name and end else None
                if hashes[word] == before:
                    found.add(self.image[word : self.image.index(b"\0", word)])
            before = word
        return found


def kind_of(words, at):
    """Whether the type of texts or of bytes is there, or one derived from them: its own type is a type of types."""
    kind = flags(words, at) & (IS_TEXT | IS_BYTES)
    return kind if kind and flags(words, words[(at + OBJECT_TYPE) // 4]) & IS_TYPE else 0


def flags(words, at):
    is_inside = 0 < at and not at % 4 and (at + TYPE_FLAGS) // 4 < len(words)
    return words[(at + TYPE_FLAGS) // 4] if is_inside else 0


def content(image, words, at, kind):
    """The bytes that an object's hash would be made of; nothing if it cannot be such an object."""
    if at < 0 or (at + DATA_POINTER) // 4 >= len(words):
        return b""
    length = words[(at + LENGTH) // 4]
    if kind & IS_BYTES:
        start, width = at + BYTES_DATA, 1
    else:
        state = words[(at + TEXT_STATE) // 4]
        width = state >> 2 & 7
        if state & STATE_COMPACT:
            start = at + (ASCII_DATA if state & STATE_ASCII else COMPACT_DATA)
        else:
            start = words[(at + DATA_POINTER) // 4]
    return image[start : start + length * width] if length < LONGEST else b""


def hash_before(text, seeds):
    """The hash that CPython gives bytes on a machine that reads only aligned words: Fowler, Noll and Vo's."""
    whole = (len(text) - 1) // 4 * 4
    number = seeds[0] ^ text[0] << 7
    for word in (*(word for (word,) in struct.iter_unpack("<I", text[:whole])), *text[whole:]):
        number = number * 1_000_003 & HASH_BITS ^ word
    number ^= len(text) ^ seeds[1]
    return number if number != NOT_HASHED else NOT_HASHED - 1


def picture(memory):
    """The memory as an instance finds it."""
    _, pages, _ = memory.memory()
    image = bytearray(pages * wasm.PAGE)
    for start, part in memory.segments():
        image[start : start + len(part)] = part
    return bytes(image)


def slots(marks):
    """A hash table of marks, at most half full: a mark is in the first slot from its own on that was free."""
    count = 1
    while count < 2 * len(marks):
        count *= 2
    if 0 in marks:
        raise ValueError("a text has the mark of an empty slot")
    table = [0] * count
    for mark in sorted(marks):
        at = mark % count
        while table[at]:
            at = (at + 1) % count
        table[at] = mark
    return struct.pack(f"<{count}Q", *table)


def append(memory, content):
    """Puts something behind the memory, in pages that nobody knows of, and says where."""
    bounds, pages, rest = memory.memory()
    added = -(-len(content) // wasm.PAGE)
    memory.section(wasm.MEMORY).content = b"\1" + bytes((bounds,)) + wasm.unsigned(pages + added) + rest
    start = pages * wasm.PAGE
    offset = number(start) + bytes((wasm.END,))
    reader, count = memory.reader(wasm.DATA)
    there = reader.content[reader.at :]
    segment = b"\0" + offset + wasm.sized(content)
    memory.section(wasm.DATA).content = wasm.unsigned(count + 1) + there + segment
    return start


def number(value):
    return bytes((wasm.I32_CONST,)) + wasm.signed(value)


def replace(python, place, count, salt):
    """Puts the new function where the old one was, and the old one behind all others."""
    imported, names = python.imported_functions(), python.function_names()
    index = python.exports()[REPLACED][1]
    bodies, types = python.bodies(), python.types_of_functions()
    own = index - len(imported)
    before = len(imported) + len(bodies)
    bodies.append(bodies[own])
    types.append(types[own])
    bodies[own] = function(before, names[SIPHASH], imported.index(ENTROPY), place, count, salt)
    python.section(wasm.FUNCTION).content = wasm.vector([wasm.unsigned(type) for type in types])
    python.section(wasm.CODE).content = wasm.vector([wasm.sized(body) for body in bodies])


def function(before, keyed_hash, entropy, place, count, salt):
    """`Py_HashBuffer(text, size)`."""
    names = {"before": before, "siphash": keyed_hash, "entropy": entropy}
    names |= {"own_key": place, "table": place + KEY_ROOM, "last_slot": count - 1, "slot_size": SLOT}
    names |= {"salt": salt, "salt_size": XML_SALT_SIZE}
    names |= {"mark_key": MARK_KEY, "text": 0, "size": 1, "slot": 2, "hash": 2, "mark": 3, "found": 4}
    # Behind the two parameters: a local of 32 bits and two of 64.
    variables = wasm.vector([bytes((1, wasm.I32)), bytes((2, wasm.I64))])
    return variables + wasm.assemble(HASH_BUFFER, names)


HASH_BUFFER = """
    local.get size
    i32.eqz
    if                      ;; nothing has the hash 0
        i32.const 0
        return
    end

    i64.const mark_key
    local.get text
    local.get size
    call siphash
    local.tee mark
    i32.wrap_i64
    local.set slot          ;; the first in which the mark may be

    block
        loop
            local.get slot
            i32.const last_slot
            i32.and
            i32.const slot_size
            i32.mul
            i32.const table
            i32.add
            i64.load
            local.tee found
            i64.eqz
            br_if 1         ;; an empty one: no text of the snapshot

            local.get found
            local.get mark
            i64.eq
            if              ;; one of the snapshot: the hash that it has there
                local.get text
                local.get size
                call before
                return
            end

            local.get slot
            i32.const 1
            i32.add
            local.set slot
            br 0
        end
    end

    i32.const own_key
    i64.load
    i64.eqz
    if                      ;; the first time: the key is drawn
        i32.const own_key
        i32.const 8
        call entropy
        i32.const salt
        i32.const salt_size
        call entropy
        i32.or
        if
            unreachable     ;; a seed that everybody knows is worse than no instance
        end
        i32.const own_key
        i32.const own_key
        i64.load
        i64.const 1
        i64.or              ;; so that it is never zero
        i64.store
    end

    i32.const own_key
    i64.load
    local.get text
    local.get size
    call siphash
    i32.wrap_i64
    local.set hash
    local.get hash
    i32.const -2            ;; in place of -1, which means failure to CPython
    local.get hash
    i32.const -1
    i32.ne
    select
"""
