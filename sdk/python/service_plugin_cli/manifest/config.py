"""What the operator can set for a plugin."""

from typing import Any, List, Optional

from .node import Node


def read(node: Node, remarks: List[str]) -> None:
    """Check the settings a manifest declares."""
    for key, field in node.members():
        if key.startswith("__"):
            raise field.refuse("names that begin with __ are reserved: choose another one")
        kind = field.optional_text("type")
        if kind is None:
            remarks.append(field.remark("has no type: its values are not checked"))
        remarks += field.strangers(["type", "default", "description"])
        default = field.get("default")
        field.optional_text("description")
        if default is not None and not _accepts(kind, default.value):
            remarks.append(field.remark("the default is not a %s" % kind))


def _accepts(kind: Optional[str], value: Any) -> bool:
    if kind == "string":
        return isinstance(value, str)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    return True
