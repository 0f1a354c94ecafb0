"""Compiles a plugin's code, or takes what an earlier load of the same code has compiled.

Compiling is most of what loading takes. The server keeps what came of it, for this plugin alone, and hands it in again as
long as the source and the engine are the same. Whatever is wrong with it is compiled as if nothing had been kept.
"""

import __future__
import binascii
import builtins
import marshal
import sys
from types import CodeType
from typing import Any, Dict, List, Optional, Tuple

# Characters of source beyond which nothing is kept: what is made of it has to fit beside it into the plugin's memory. The
# text of a bundle's module counts twice, inside the bundle and by itself.
MAX_KEPT_SOURCE = 2 * 1024 * 1024
# Modules beyond which nothing is kept: a plugin with more of them makes them up while it is loaded.
MAX_KEPT_MODULES = 500

_compile = builtins.compile

# What code that calls `compile` hands down by itself. A function of ours in between has to do it instead.
_INHERITED = 0
for _name in __future__.all_feature_names:
    _INHERITED |= getattr(__future__, _name).compiler_flag

# File and text of a module.
_Key = Tuple[str, str]


class Compiler:
    """For one load: the code of the plugin's entry and of the modules inside it."""

    def __init__(self, kept: str = "") -> None:
        self._entry, self._modules = _read(kept)
        self._used: Dict[_Key, CodeType] = {}
        self._size = 0
        self._is_over = False
        # Texts that had to be compiled.
        self.compiled = 0

    def entry(self, source: str, file: str) -> CodeType:
        """The code of the file that is loaded. The server knows that what it keeps was made from this very source."""
        self._size += len(source)
        if self._entry is None:
            self._entry = _compile(source, file, "exec", dont_inherit=True)
            self.compiled += 1
        return self._entry

    def compile(
        self,
        source: Any,
        filename: Any,
        mode: str,
        flags: int = 0,
        dont_inherit: bool = False,
        optimize: int = -1,
        **more: Any,
    ) -> Any:
        """As Python's own, which it stands for while a plugin is loaded: bundles compile their modules with it."""
        is_module = mode == "exec" and type(source) is type(filename) is str
        is_plain = dont_inherit and not flags and optimize == -1 and not more
        if is_module and is_plain and builtins.compile is _compile:
            return self._module(filename, source)
        if not dont_inherit:
            flags |= sys._getframe(1).f_code.co_flags & _INHERITED
        return builtins.compile(source, filename, mode, flags, True, optimize, **more)

    def _module(self, file: str, text: str) -> CodeType:
        code = self._modules.get((file, text))
        if type(code) is not CodeType:
            code = _compile(text, file, "exec", dont_inherit=True)
            self.compiled += 1
        self._size += len(text)
        self._used[file, text] = code
        if self._is_too_much():
            self._used.clear()
        return code

    def _is_too_much(self) -> bool:
        self._is_over = self._is_over or self._size > MAX_KEPT_SOURCE or len(self._used) > MAX_KEPT_MODULES
        return self._is_over

    def codes(self) -> List[CodeType]:
        """The code of the entry and of the modules, as far as it is known."""
        return ([] if self._entry is None else [self._entry]) + list(self._used.values())

    def to_keep(self) -> str:
        """What the server is to keep for the next load; empty when it has that already, or when it is too much."""
        try:
            if not self.compiled or self._is_too_much():
                return ""
            # In one piece: the texts of modules are constants of the entry too, and are written once.
            return binascii.b2a_base64(marshal.dumps((self._entry, self._used)), newline=False).decode("ascii")
        except BaseException:
            # The plugin has loaded, and may have run out of memory or changed what we use. It goes on without.
            return ""


def _read(kept: str) -> Tuple[Optional[CodeType], Dict[Any, Any]]:
    if kept:
        try:
            entry, modules = marshal.loads(binascii.a2b_base64(kept))
            if type(entry) is CodeType and type(modules) is dict:
                return entry, modules
        except Exception:
            pass
    return None, {}
