"""Names of bundled files in the manifest: styles, scripts, and the content of tabs and the page."""

from typing import List, Optional

from .node import Node


def entry(node: Node, slug: str, suffix: str) -> str:
    """The entry of the package that a name in the manifest means, always below ``assets/``."""
    name = node.words().strip()
    if name.lower().startswith(("http://", "https://", "//")):
        raise node.refuse("is an address elsewhere: files of a plugin must be bundled in its assets/ folder")
    if name.startswith("/plugins/"):
        owner, _, inside = name[len("/plugins/") :].partition("/")
        if owner != slug:
            raise node.refuse('belongs to the plugin "%s": only files of "%s" itself can be used' % (owner, slug))
    else:
        inside = name[1:] if name.startswith("/") else name
    if any(part in ("", ".", "..") for part in inside.split("/")):
        raise node.refuse("must name a file below assets/, without . and .. in its path")
    if not name.lower().endswith(suffix):
        raise node.refuse("must be a file that ends with %s" % suffix)
    return "assets/" + inside


def entries(node: Optional[Node], slug: str, suffix: str) -> List[str]:
    """A list of such names, which may be absent."""
    return [] if node is None else [entry(item, slug, suffix) for item in node.items()]
