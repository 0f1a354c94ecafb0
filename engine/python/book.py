"""The standard library as one file: the code and the compressed source of every module, and where each of them lies.

Compiling leaves the memory of a Python full of holes and of names that nobody asks for again. So one engine compiles the
library and writes it down (`compiler.py`), and another, whose memory becomes the snapshot, only reads what was written.
"""

import marshal
import os
import zlib

ROOT = "/python"

# Where the one leaves it for the other: among the sources of the engine.
PATH = os.path.dirname(__file__) + "/library.bin"

# Folders of the library that are no library.
LEFT_OUT = frozenset({"__pycache__", "ensurepip", "idlelib", "lib-dynload", "site-packages", "test", "turtledemo"})

# Bytes of the number at the beginning, which says how long the table of contents is.
HEAD = 8


def filename(name, is_package):
    """Where a module would lie."""
    path = "/".join([ROOT, *name.split(".")])
    return path + ("/__init__.py" if is_package else ".py")


def write(path=PATH):
    """Compile every module of the library and write all of them down."""
    places, pieces, end = {}, [], 0
    for name, is_package, source in modules(ROOT, ""):
        code = compile(source, filename(name, is_package), "exec", dont_inherit=True)
        both = (marshal.dumps(code), zlib.compress(source, 9))
        middle, start, end = end + len(both[0]), end, end + sum(map(len, both))
        places[name] = (is_package, start, middle, end)
        pieces += both
    contents = marshal.dumps(places)
    with open(path, "wb") as file:
        file.write(len(contents).to_bytes(HEAD, "little") + contents + b"".join(pieces))


def modules(folder, prefix):
    """Name, kind and source of every module below a folder."""
    for name in sorted(os.listdir(folder)):
        path = folder + "/" + name
        if name.endswith(".py") and name != "__main__.py":
            is_package = name == "__init__.py"
            with open(path, "rb") as file:
                yield (prefix[:-1] if is_package else prefix + name[:-3]), is_package, file.read()
        elif name.isidentifier() and name not in LEFT_OUT and os.path.isfile(path + "/__init__.py"):
            yield from modules(path, prefix + name + ".")


class Book:
    """What `write` has written."""

    def __init__(self, path=PATH):
        # Without a buffer, and into its place at once: every copy would stay in the snapshot as rubbish.
        with open(path, "rb", buffering=0) as file:
            size = int.from_bytes(file.read(HEAD), "little")
            self._places = marshal.loads(file.read(size))
            pieces = bytearray(max(end for *_, end in self._places.values()))
            rest = memoryview(pieces)
            while rest:
                rest = rest[file.readinto(rest) :]
        self._pieces = memoryview(pieces).toreadonly()

    def names(self):
        """The modules, sorted."""
        return sorted(self._places)

    def __contains__(self, name):
        return name in self._places

    def is_package(self, name):
        return name in self._places and self._places[name][0]

    def code(self, name):
        _, start, middle, _ = self._places[name]
        return marshal.loads(self._pieces[start:middle])

    def source(self, name):
        _, _, middle, end = self._places[name]
        return zlib.decompress(self._pieces[middle:end])
