"""Buttons below the player."""

import re
from typing import List, Optional

from .node import Node

_KNOWN = ["title", "url", "html", "icon", "color", "description", "openExternally"]


def read_list(node: Node, slug: str, granted: List[str], remarks: List[str]) -> None:
    """Check the buttons of a manifest."""
    for item in node.items():
        _read(item, slug, granted)
        remarks += item.strangers(_KNOWN)


def _read(node: Node, slug: str, granted: List[str]) -> None:
    node.required_words("title")
    url, html, icon = _given(node, "url"), _given(node, "html"), _given(node, "icon")
    if (url is None) == (html is None):
        raise node.refuse("needs exactly one of url and html")
    if url is not None:
        _check_target(url, slug, granted)
    if html is not None:
        html.text()
    if icon is not None:
        _check_target(icon, slug, granted)
    node.optional_text("color")
    node.optional_text("description")
    flag = node.get("openExternally")
    if flag is not None:
        flag.flag()


def _given(node: Node, key: str) -> Optional[Node]:
    found = node.get(key)
    # An empty text counts as none: tools write every member.
    return None if found is None or found.value == "" else found


def _check_target(node: Node, slug: str, granted: List[str]) -> None:
    """An address of a button: somewhere else by http(s), or a page of the plugin itself."""
    given = node.words().strip()
    if given.lower().startswith(("http://", "https://")):
        return
    if not given.startswith("/"):
        raise node.refuse("must be an address that begins with http:// or https://, or a path that begins with /")
    if given.startswith("/plugins/") and not given.startswith("/plugins/%s/" % slug):
        owner = given.split("/")[2]
        raise node.refuse('leads to the plugin "%s": a button can only lead to pages of "%s" itself' % (owner, slug))
    if _climbs(given):
        raise node.refuse("must not climb out of the plugin's own pages with ..")
    if "http.serve" not in granted:
        raise node.refuse("leads to a page of the plugin, which needs the permission http.serve")


def _climbs(address: str) -> bool:
    """Would a browser take a step up in this path? It reads ``%2e`` as a dot and a backslash as a slash."""
    path = re.split("[?#]", address)[0].lower().replace("%2e", ".")
    return ".." in re.split(r"[/\\]", path)
