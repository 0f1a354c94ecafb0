"""The standard library inside the sandbox.

A plugin has no files, so Python has no place to import from. While the snapshot is made the library lies under
`/python`: every source is read there once and kept compressed, beside what it is compiled to. What most plugins want is
imported already; any other module is when a plugin asks for it.
"""

import gc
import importlib
import importlib.util
import marshal
import os
import sys
import zlib

import quiet_loop
import time_zones
from absent import reason_for

ROOT = "/python"

# Folders of the library that are no library.
LEFT_OUT = frozenset({"__pycache__", "ensurepip", "idlelib", "lib-dynload", "site-packages", "test", "turtledemo"})

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

    def __init__(self):
        self._packages = set()
        self._sources = {}  # name -> compressed source
        self._codes = {}  # name -> compressed code

    def read(self, folder=ROOT, prefix=""):
        """Read every source below a folder. Works only while the snapshot is made."""
        for name in sorted(os.listdir(folder)):
            path = folder + "/" + name
            if name.endswith(".py") and name != "__main__.py":
                self._keep(path, prefix, name[:-3])
            elif name.isidentifier() and name not in LEFT_OUT and os.path.isfile(path + "/__init__.py"):
                self.read(path, prefix + name + ".")

    def _keep(self, path, prefix, stem):
        is_package = stem == "__init__"
        name = prefix[:-1] if is_package else prefix + stem
        with open(path, "rb") as file:
            source = file.read()
        if is_package:
            self._packages.add(name)
        self._sources[name] = zlib.compress(source, 9)
        code = compile(source, self.get_filename(name), "exec", dont_inherit=True)
        self._codes[name] = zlib.compress(marshal.dumps(code), 9)

    def names(self):
        """The modules that are here, sorted."""
        return sorted(self._sources)

    # What Python's import system calls.

    def find_spec(self, name, path=None, target=None):
        reason = reason_for(name)
        if reason is not None:
            raise ModuleNotFoundError(f"{name} is not available to plugins: {reason}", name=name)
        if name not in self._sources:
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
        path = "/".join([ROOT, *name.split(".")])
        return path + ("/__init__.py" if self.is_package(name) else ".py")

    def is_package(self, name):
        return name in self._packages

    def get_source(self, name):
        return importlib.util.decode_source(zlib.decompress(self._sources[name]))

    def get_code(self, name):
        return marshal.loads(zlib.decompress(self._codes[name]))


def install():
    """Read the library and let Python import from it alone: built in, frozen, ours."""
    library = Library()
    library.read()
    finders = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") != "PathFinder"]
    sys.meta_path[:] = [*finders, library]
    for name, module in sys.modules.items():
        if name in library.names() and module.__spec__ is not None:
            # It came from a file, which will be gone when somebody wants to see its lines.
            module.__loader__ = module.__spec__.loader = library
    sys.path[:] = []
    sys.path_importer_cache.clear()
    for name in COMMON:
        importlib.import_module(name)
    # Whatever is here stays for ever. The collector would write to all of it to find that out, and every plugin would
    # have a copy of its own of what they can share.
    gc.collect()
    gc.freeze()
    return library
