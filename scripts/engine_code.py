"""Compile the plugin engine to machine code with the compiler of the `wasmtime` wheel.

    engine_code.py LIBRARY TARGET COMPONENT RESULT

A program of its own, because a setting that the compiler does not know ends the process it runs in. The settings are
those of `crates/plugins/src/engine/compiled.rs`, and the switches turn off what the server's wasmtime is built without;
when one is missing, the server refuses the result and says which.
"""

import ctypes
import pathlib
import sys

import elf

SETTINGS = {
    "epoch_interruption": True,
    # Features of wasmtime that the server does not have.
    "gc_support": False,
    "wasm_exceptions": False,
    "wasm_threads": False,
    "concurrency_support": False,
    # A megabyte that only debuggers of machine code read.
    "native_unwind_info": False,
}

# What nobody reads here and half of a download's megabyte each holds: where in the WebAssembly an address came from and
# what functions are called (the server asks for no such trace, and zeros say that nothing is known), and names for
# debuggers.
UNREAD = (".wasmtime.addrmap", ".name.wasm", ".symtab", ".strtab")

# What a pointer to something opaque is in C.
HANDLE = ctypes.c_void_p


class Bytes(ctypes.Structure):
    """What the library calls `wasm_byte_vec_t`."""

    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.POINTER(ctypes.c_uint8))]

    def content(self):
        return ctypes.string_at(self.data, self.size)


class Compiler:
    def __init__(self, library):
        self.library = ctypes.CDLL(str(library))

    def call(self, name, result, *arguments):
        """Calls a function of the library with (type, value) pairs."""
        function = getattr(self.library, name)
        function.restype, function.argtypes = result, [kind for kind, _ in arguments]
        return function(*(value for _, value in arguments))

    def attempt(self, name, *arguments):
        """Calls a function that answers with an error, or with nothing."""
        error = self.call(name, HANDLE, *arguments)
        if error:
            message = Bytes()
            self.call("wasmtime_error_message", None, (HANDLE, error), (ctypes.POINTER(Bytes), ctypes.byref(message)))
            sys.exit(f"{name}: {message.content().decode()}")

    def compile(self, component, target):
        config = self.call("wasm_config_new", HANDLE)
        for setting, is_on in SETTINGS.items():
            self.call(f"wasmtime_config_{setting}_set", None, (HANDLE, config), (ctypes.c_bool, is_on))
        # Without a target the code would need every feature of the processor it was made on.
        self.attempt("wasmtime_config_target_set", (HANDLE, config), (ctypes.c_char_p, target.encode()))
        engine = self.call("wasm_engine_new_with_config", HANDLE, (HANDLE, config))
        compiled, code = HANDLE(), Bytes()
        self.attempt(
            "wasmtime_component_new",
            (HANDLE, engine),
            (ctypes.c_char_p, component),
            (ctypes.c_size_t, len(component)),
            (ctypes.POINTER(HANDLE), ctypes.byref(compiled)),
        )
        self.attempt(
            "wasmtime_component_serialize", (HANDLE, compiled), (ctypes.POINTER(Bytes), ctypes.byref(code))
        )
        return code.content()


def main(arguments):
    library, target, component, result = arguments
    code = Compiler(library).compile(pathlib.Path(component).read_bytes(), target)
    pathlib.Path(result).write_bytes(elf.zeroed(code, UNREAD))


if __name__ == "__main__":
    main(sys.argv[1:])
