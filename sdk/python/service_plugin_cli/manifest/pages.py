"""Pages for the operator, tabs and content of the viewers' page."""

from typing import List, Optional, Set, Tuple

from ..slug import PATTERN, is_slug
from . import assets
from .node import Node


def admin_pages(admin: Node, remarks: List[str]) -> None:
    """Check ``admin.pages``."""
    remarks += admin.strangers(["pages"])
    node = admin.get("pages")
    if node is None:
        return
    for path, page in _keyed(node, "path", remarks):
        if not path.startswith("/"):
            remarks.append(page.remark("a path that does not begin with / is read as if it did"))
        why = _bad_pattern(path)
        if why:
            raise page.refuse("the path %s" % why)
        remarks += page.strangers(["title", "icon", "path"])
        page.required_words("title")
        page.optional_text("icon")


def tabs(node: Node, plugin: str, remarks: List[str]) -> List[str]:
    """Check ``tabs``; the answer is the files they name."""
    files: List[str] = []
    slugs: Set[str] = set()
    titles: Set[str] = set()
    for slug, tab in _keyed(node, "slug", remarks):
        if not is_slug(slug):
            raise tab.refuse("the name of a tab must match %s" % PATTERN)
        title = tab.required_words("title")
        if slug in slugs:
            raise tab.refuse('is the second tab with the name "%s"' % slug)
        if title in titles:
            raise tab.refuse('is the second tab with the title "%s"' % title)
        slugs.add(slug)
        titles.add(title)
        remarks += tab.strangers(["title", "content", "slug"])
        files += _html_file(tab, plugin)
    return files


def slugs_of_tabs(node: Node) -> List[str]:
    """The slugs of ``tabs``, which were found good."""
    return [slug for slug, _ in _keyed(node, "slug", [])]


def slug_of_content(node: Node) -> List[str]:
    """The slug of ``extraPageContent``, if it has one."""
    slug = None if isinstance(node.value, str) else node.optional_text("slug")
    return [slug] if slug else []


def page_content(node: Node, plugin: str, remarks: List[str]) -> List[str]:
    """Check ``extraPageContent``, an object or the name of a file alone; the answer is the file it names."""
    if isinstance(node.value, str):
        return [assets.entry(node, plugin, ".html")]
    slug = node.optional_text("slug")
    files = _html_file(node, plugin)
    if not files and not slug:
        raise node.refuse("needs a slug when it has no content")
    remarks += node.strangers(["slug", "content"])
    return files


def _html_file(node: Node, plugin: str) -> List[str]:
    content = node.get("content")
    return [] if content is None else [assets.entry(content, plugin, ".html")]


def _keyed(node: Node, key: str, remarks: List[str]) -> List[Tuple[str, Node]]:
    """The entries of an object by key.

    Older packages have a list whose items carry the key inside; they are understood with a remark, while an object
    whose values repeat the key mixes both forms and is refused.
    """
    if isinstance(node.value, list):
        remarks.append(node.remark("a list is the older form: write an object whose keys are the %ss" % key))
        return [(item.required_words(key), item) for item in node.items()]
    members = node.members()
    for _, member in members:
        inside = member.get(key)
        if inside is not None:
            raise inside.refuse("the %s is the key of this object: leave it out here" % key)
    return members


def _bad_pattern(path: str) -> Optional[str]:
    """Why a path with ``*``, ``?`` and ``\\`` cannot be understood."""
    letters = iter(path)
    for letter in letters:
        if letter == "\\" and next(letters, None) is None:
            return "ends with a lone backslash"
        if letter in "[]{}":
            return "uses brackets or braces, which patterns here do not have: write one page per path"
    return None
