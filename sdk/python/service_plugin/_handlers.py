"""What a handler may be."""

from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# Flags of a code object that mark `async def`: a coroutine and an asynchronous generator.
_ASYNC = 0x80 | 0x200


def refuse_coroutine(handler: F, where: str) -> F:
    """`handler`, if it can be called and gives its answer when it returns."""
    if not callable(handler):
        raise TypeError("%s needs a function, not %s" % (where, type(handler).__name__))
    inner = getattr(handler, "func", handler)  # functools.partial
    code = getattr(inner, "__code__", None) or getattr(getattr(type(inner), "__call__", None), "__code__", None)
    if code is not None and code.co_flags & _ASYNC:
        raise TypeError(
            "%s: %s is 'async def', but handlers must be ordinary functions: nothing in a plugin runs beside them"
            % (where, getattr(inner, "__name__", "the handler"))
        )
    return handler
