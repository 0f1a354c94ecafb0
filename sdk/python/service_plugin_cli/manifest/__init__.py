"""The manifest of a plugin: what it is called, what it asks for and what it brings along.

The rules are the server's (its room `plugins`, in `manifest.rs`), in its words, so that an author hears of a mistake
before a server does. Every refusal names the place in the document; what is odd but harmless becomes a remark.
"""

import json
from typing import Any, Callable, Dict, List, Optional

from ..problem import closest
from ..slug import PATTERN, derive, is_slug
from . import actions, assets, commands, config, pages
from .node import ManifestError, Node
from .permissions import MEANINGS

FILE_NAME = "plugin.manifest.json"

API = "1"

# As many bytes as the server reads.
MAX_BYTES = 256 * 1024

CATEGORIES = (
    "chat-bots chat-filters moderation authentication themes overlays notifications integrations video analytics games"
    " admin-utilities examples other"
).split()

FIELDS = (
    "api name slug version description category permissions config bot network actions admin styles scripts"
    " extraPageContent tabs commands filterInstance"
).split()

__all__ = ["CATEGORIES", "FILE_NAME", "MEANINGS", "Manifest", "ManifestError", "parse"]


class Manifest:
    """A manifest that was read and found good."""

    def __init__(self, name: str, slug: str) -> None:
        self.name = name
        self.slug = slug
        self.version = ""
        self.category: Optional[str] = None
        # What it asks for, as far as servers know it, sorted.
        self.permissions: List[str] = []
        self.allowed_hosts: List[str] = []
        # The tabs and the content of the viewers' page that code may make, by slug.
        self.tabs: List[str] = []
        self.page_content: List[str] = []
        # The entries of the package that it names.
        self.files: List[str] = []
        # What is odd about it, for its author.
        self.remarks: List[str] = []


def parse(text: str) -> Manifest:
    """Read and check a manifest."""
    root = Node("", _document(text))
    _check_api(root)
    name = root.required_words("name")
    version = root.required_words("version")
    manifest = Manifest(name, _slug(root, name))
    manifest.version = version
    slug, remarks = manifest.slug, manifest.remarks
    remarks += _strangers(root)

    manifest.permissions = granted = _permissions(root, remarks)
    for field in ("actions", "styles", "scripts", "extraPageContent", "tabs"):
        node = root.get(field)
        if node is not None and "ui.modify" not in granted:
            raise node.refuse("needs the permission ui.modify")
    manifest.category = root.optional_text("category")
    if manifest.category is not None and manifest.category not in CATEGORIES:
        remarks.append('category: "%s" is not a known category' % manifest.category)

    def optional(key: str, read: Callable[[Node], Any]) -> Any:
        node = root.get(key)
        return None if node is None else read(node)

    optional("config", lambda node: config.read(node, remarks))
    optional("bot", lambda node: _bot(node, remarks))
    manifest.allowed_hosts = _allowed_hosts(root, granted, remarks)
    optional("actions", lambda node: actions.read_list(node, slug, granted, remarks))
    optional("admin", lambda node: pages.admin_pages(node, remarks))
    content = optional("extraPageContent", lambda node: pages.page_content(node, slug, remarks)) or []
    tabs = optional("tabs", lambda node: pages.tabs(node, slug, remarks)) or []
    manifest.tabs = optional("tabs", lambda node: pages.slugs_of_tabs(node)) or []
    manifest.page_content = optional("extraPageContent", lambda node: pages.slug_of_content(node)) or []
    optional("commands", lambda node: commands.read(node, remarks))
    optional("filterInstance", lambda node: _filter_instance(node, remarks))
    root.optional_text("description")
    styles = assets.entries(root.get("styles"), slug, ".css")
    scripts = assets.entries(root.get("scripts"), slug, ".js")
    manifest.files = styles + scripts + content + tabs
    return manifest


def _document(text: str) -> Any:
    root = Node("", None)
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise root.refuse("is larger than %d KiB" % (MAX_BYTES // 1024))

    def refuse(constant: str) -> Any:
        raise ValueError("%s is no number of JSON" % constant)

    try:
        return json.loads(text[1:] if text.startswith("\ufeff") else text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise root.refuse("is not JSON: %s" % error)


def _check_api(root: Node) -> None:
    node = root.get("api")
    if node is None:
        raise root.refuse_below("api", 'is missing: servers support "%s"' % API)
    if node.value != API:
        raise node.refuse('is another version: servers support "%s"' % API)


def _slug(root: Node, name: str) -> str:
    node = root.get("slug")
    if node is not None:
        given = node.text()
        if not is_slug(given):
            raise node.refuse("must match %s" % PATTERN)
        return given
    derived = derive(name)
    if derived is None:
        raise root.refuse_below(
            "slug", "cannot be made from the name %s: write one that matches %s" % (_quoted(name), PATTERN)
        )
    return derived


def _strangers(root: Node) -> List[str]:
    special: Dict[str, str] = {
        "subscriptions": "is ignored: they follow from the handlers in the code",
        "type": "is ignored: the name of the code file decides",
    }
    unknown = [(key, node) for key, node in root.members() if key not in FIELDS]
    return [node.remark(special.get(key, "is unknown and ignored")) for key, node in unknown]


def _permissions(root: Node, remarks: List[str]) -> List[str]:
    node = root.get("permissions")
    known = set()
    for item in [] if node is None else node.items():
        if item.text() in MEANINGS:
            known.add(item.text())
        else:
            question = closest(item.text(), MEANINGS)
            remarks.append(item.remark('"%s" is not a permission and grants nothing%s' % (item.text(), question)))
    return sorted(known)


def _bot(node: Node, remarks: List[str]) -> None:
    node.optional_text("displayName")
    remarks += node.strangers(["displayName"])


def _filter_instance(node: Node, remarks: List[str]) -> None:
    if node.text() not in ("own", "shared"):
        remarks.append(node.remark('is neither "own" nor "shared", and counts as "shared"'))


def _allowed_hosts(root: Node, granted: List[str], remarks: List[str]) -> List[str]:
    hosts: List[str] = []
    network = root.get("network")
    if network is not None:
        listed = network.get("allowedHosts")
        hosts = [] if listed is None else [item.words().strip() for item in listed.items()]
        remarks += network.strangers(["allowedHosts"])
    if "network.fetch" in granted and not hosts:
        place = Node("network", {})
        raise place.refuse_below(
            "allowedHosts", "must name at least one host, because the plugin asks for network.fetch"
        )
    return hosts


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
