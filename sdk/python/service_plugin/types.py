"""The types of what handlers receive and return. They are in `types.pyi`, for editors and type checkers alone.

Nothing of it exists while a plugin runs, so it is imported below ``if TYPE_CHECKING:``.
"""


def __getattr__(name):  # type: ignore[no-untyped-def]
    if name.startswith("__"):
        raise AttributeError("module 'service_plugin.types' has no attribute %r" % name)
    raise ImportError(
        "service_plugin.types is for type checkers and has no %s while a plugin runs: "
        "import it below `if TYPE_CHECKING:`" % name
    )
