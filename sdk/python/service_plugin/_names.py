"""Names that code asks for and nobody defines.

Python says so when the line runs, which for a handler is at the first event. This reads the code that was compiled, so
it also works for code that an earlier load has compiled. Whatever may define a name later, in a way that cannot be read
off the code, is given the benefit of the doubt: a warning that is wrong would be worse than none.
"""

import builtins
import sys
from opcode import opmap
from types import CodeType, FunctionType
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Set

# Code objects beyond which nothing is looked at: it has to be quick.
MAX_CODES = 5000

# Names that only some Pythons have; code that asks for them has asked first where it is.
_ELSEWHERE = frozenset(
    "WindowsError basestring buffer cmp execfile file get_ipython intern long raw_input reduce reload reveal_locals"
    " reveal_type unichr unicode xrange _ __builtins__ __path__".split()
    + "BaseExceptionGroup EncodingWarning ExceptionGroup PythonFinalizationError aiter anext".split()
)
# Who uses these can define anything.
_DYNAMIC = frozenset("__builtins__ builtins exec globals vars".split())
_DYNAMIC_ATTRIBUTES = frozenset(["__dict__", "_convert_", "modules"])

_EXTENDED = opmap["EXTENDED_ARG"]
# Since 3.11 the lowest bit of the argument of LOAD_GLOBAL says something else.
_GLOBAL_SHIFT = 1 if sys.version_info >= (3, 11) else 0


class Missing(NamedTuple):
    """A name that is not defined, and where it is asked for."""

    name: str
    file: str
    line: int


class Looked:
    """What the code of one file asks for and defines."""

    __slots__ = ("wanted", "defined", "attributes", "texts", "is_dynamic", "count")

    def __init__(self, codes: Iterable[CodeType], most: int = MAX_CODES, has_run: bool = True) -> None:
        # With the code that asks for it first.
        self.wanted: Dict[str, CodeType] = {}
        self.defined: Set[str] = set()
        # Also names of other modules can be set as attributes, directly or by `setattr`.
        self.attributes: Set[str] = set()
        self.texts: Set[str] = set()
        self.is_dynamic = False
        self.count = 0
        waiting = list(codes)[::-1]
        while waiting and self.count < most:
            code = waiting.pop()
            self.count += 1
            self._look(code, has_run)
            waiting += [one for one in reversed(code.co_consts) if type(one) is CodeType]

    def _look(self, code: CodeType, has_run: bool) -> None:
        names = code.co_names
        if not names:
            return
        steps = code.co_code
        operations, arguments = steps[::2], steps[1::2]
        self.defined.update(_used(names, operations, arguments, "STORE_NAME"))
        self.defined.update(_used(names, operations, arguments, "STORE_GLOBAL"))
        self.attributes.update(_used(names, operations, arguments, "STORE_ATTR"))
        asked = set(_used(names, operations, arguments, "LOAD_GLOBAL", _GLOBAL_SHIFT))
        plain = set(_used(names, operations, arguments, "LOAD_NAME"))
        if "setattr" in asked or "setattr" in plain:
            self.texts.update(_texts(code))
        if not _DYNAMIC.isdisjoint(asked | plain) or not _DYNAMIC_ATTRIBUTES.isdisjoint(names):
            self.is_dynamic = True
        # Annotations are for tools, and who catches the error knows of it.
        if code.co_name == "__annotate__" or "NameError" in asked | plain:
            return
        # The body of a module that has run has found all it asked for.
        for name in asked if has_run else asked | plain:
            self.wanted.setdefault(name, code)


def missing(looked: Looked, known: Iterable[str], others: Iterable[Looked] = ()) -> List[Missing]:
    """What the file asks for that is not `known`, nor defined by itself, nor set from another file of the plugin."""
    if looked.is_dynamic:
        return []
    candidates = set(looked.wanted).difference(looked.defined, known, vars(builtins), _ELSEWHERE)
    for other in (looked, *others) if candidates else ():
        candidates -= other.attributes
        candidates -= other.texts
    found = [_place(name, looked.wanted[name]) for name in candidates]
    return sorted(found, key=lambda one: (one.file, one.line, one.name))


def of_loaded(codes: Iterable[CodeType], spaces: Iterable[Dict[str, Any]]) -> List[Missing]:
    """The same for a plugin that was loaded: the code of its files, and the namespaces of its modules."""
    known: Dict[str, Set[str]] = {}
    roots: Dict[str, List[CodeType]] = {}
    for code in codes:
        roots.setdefault(code.co_filename, []).append(code)
    compiled = set(roots)
    for space in spaces:
        # Which namespace the code of a file has is also known from what it has left there.
        files: Set[str] = {str(space.get("__file__"))} & compiled
        for code in _functions(space):
            files.add(code.co_filename)
            if code.co_filename not in compiled:
                roots.setdefault(code.co_filename, []).append(code)
        for file in files:
            known.setdefault(file, set()).update(space)
    if not any(_is_doubtful(roots[file], names) for file, names in known.items()):
        return []
    looked: Dict[str, Looked] = {}
    left = MAX_CODES
    for file in known:
        looked[file] = Looked(roots[file], left)
        left -= looked[file].count
        if left <= 0:
            return []
    found: List[Missing] = []
    for file, one in looked.items():
        found += missing(one, known[file], looked.values())
    return found


def _is_doubtful(codes: Iterable[CodeType], known: Set[str]) -> bool:
    """Whether there is anything to look into. Mostly there is not, and this is a tenth of the work."""
    defined = vars(builtins)
    waiting = list(codes)
    count = 0
    while waiting and count < MAX_CODES:
        code = waiting.pop()
        count += 1
        waiting += [one for one in code.co_consts if type(one) is CodeType]
        names = [name for name in code.co_names if name not in known and name not in defined]
        # Mostly names of attributes.
        if names:
            steps = code.co_code
            for name in _used(code.co_names, steps[::2], steps[1::2], "LOAD_GLOBAL", _GLOBAL_SHIFT):
                if name in names:
                    return True
    return False


def _functions(space: Dict[str, Any]) -> Iterator[CodeType]:
    """The code of the functions of a namespace that were made in it, and of those of its classes."""
    for value in list(space.values()):
        several = list(vars(value).values()) if isinstance(value, type) else [value]
        for one in several:
            if type(one) is FunctionType and one.__globals__ is space:
                yield one.__code__


def _used(names: Any, operations: bytes, arguments: bytes, operation: str, shift: int = 0) -> Iterator[str]:
    """The names that one kind of instruction has as its argument."""
    wanted = opmap[operation]
    at = operations.find(wanted)
    while at >= 0:
        yield names[_argument(operations, arguments, at) >> shift]
        at = operations.find(wanted, at + 1)


def _argument(operations: bytes, arguments: bytes, at: int) -> int:
    number, bits = arguments[at], 8
    while at and operations[at - 1] == _EXTENDED:
        at -= 1
        number |= arguments[at] << bits
        bits += 8
    return number


def _texts(code: CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        for one in constant if type(constant) is tuple else (constant,):
            if type(one) is str:
                yield one


def _place(name: str, code: CodeType) -> Missing:
    # Only for a warning: most plugins have none.
    import dis

    operations, arguments = code.co_code[::2], code.co_code[1::2]
    line = code.co_firstlineno
    shifts = {opmap["LOAD_GLOBAL"]: _GLOBAL_SHIFT, opmap["LOAD_NAME"]: 0}
    offset = next(
        2 * at
        for at, operation in enumerate(operations)
        if operation in shifts and code.co_names[_argument(operations, arguments, at) >> shifts[operation]] == name
    )
    for start, number in dis.findlinestarts(code):
        if start > offset:
            break
        line = number or line
    return Missing(name, code.co_filename, line)
