"""The standard library inside the sandbox.

A plugin has no files, so Python has no place to import from. The library is in the snapshot as a book (`book.py`), whose
pages nobody touches before a module on them is imported. What most plugins want is imported already.

Importing this module lets Python import from the book; `seal` ends what the making of the engine needs besides.
"""

import gc
import importlib
import importlib.util
import sys

import quiet_loop
import time_zones
from absent import reason_for
from book import Book, filename

# What is done to a module when it has been loaded.
ADJUSTED = {
    "asyncio.unix_events": quiet_loop.install,
    "zoneinfo._common": time_zones.install_lookup,
    "zoneinfo._tzpath": time_zones.install_names,
}

# What plugins import most, and what takes longest to import among that.
COMMON = (
    "base64",
    "collections",
    "contextlib",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "hashlib",
    "hmac",
    "html",
    "itertools",
    "json",
    "math",
    "re",
    "secrets",
    "string",
    "textwrap",
    "time",
    "typing",
    "urllib.parse",
    "uuid",
)


class Library:
    """Finds and loads the modules of the standard library; takes the place of Python's file finder."""

    def __init__(self, book):
        self._book = book

    def names(self):
        """The modules that are here, sorted."""
        return self._book.names()

    # What Python's import system calls.

    def find_spec(self, name, path=None, target=None):
        reason = reason_for(name)
        if reason is not None:
            raise ModuleNotFoundError(f"{name} is not available to plugins: {reason}", name=name)
        if name not in self._book:
            return None
        return importlib.util.spec_from_loader(
            name, self, origin=self.get_filename(name), is_package=self.is_package(name)
        )

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = self.get_filename(module.__name__)
        exec(self.get_code(module.__name__), module.__dict__)
        adjust = ADJUSTED.get(module.__name__)
        if adjust is not None:
            adjust(module)

    # What `linecache` and `inspect` ask for, so that tracebacks show the library's lines.

    def get_filename(self, name):
        return filename(name, self.is_package(name))

    def is_package(self, name):
        return self._book.is_package(name)

    def get_source(self, name):
        return importlib.util.decode_source(self._book.source(name))

    def get_code(self, name):
        return self._book.code(name)


def is_file_finder(finder):
    return getattr(finder, "__name__", "") == "PathFinder"


# Before files are looked for, so that the modules of the engine itself get the library from here, too.
_library = Library(Book())
sys.meta_path.insert(sum(not is_file_finder(finder) for finder in sys.meta_path), _library)


def seal():
    """The engine is complete: import what most plugins want, and let nothing be imported from files any more."""
    for name in COMMON:
        importlib.import_module(name)
    sys.meta_path[:] = [finder for finder in sys.meta_path if not is_file_finder(finder)]
    for name, module in sys.modules.items():
        if name in _library.names() and module.__spec__ is not None:
            # It came from a file, which will be gone when somebody wants to see its lines.
            module.__loader__ = module.__spec__.loader = _library
    sys.path[:] = []
    sys.path_importer_cache.clear()
    # Whatever is here stays for ever. The collector would write to all of it to find that out, and every plugin would
    # have a copy of its own of what they can share.
    gc.collect()
    gc.freeze()
