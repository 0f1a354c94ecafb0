"""What a manifest may say. The cases are those of the server's own tests, in crates/plugins/src/manifest."""

import json
import pathlib
import re
import unittest

from service_plugin_cli import manifest
from service_plugin_cli.manifest import ManifestError, parse
from service_plugin_cli.manifest.permissions import MEANINGS

SERVER = pathlib.Path(__file__).resolve().parents[3] / "crates/plugins/src"
GOOD = {"api": "1", "name": "Door Bell", "version": "0.2.0", "permissions": ["ui.modify", "http.serve"]}
FETCH = {"permissions": ["network.fetch"]}
BARE_UI = {"permissions": ["ui.modify"]}


def read(**changes):
    return parse(json.dumps(dict(GOOD, **changes)))


# Where it is wrong, what is said, and the members that are wrong.
REFUSALS = [
    ("api", 'support "1"', {"api": "2"}),
    ("api", 'support "1"', {"api": 1}),
    ("api", "missing", {"api": None}),
    ("name", "missing", {"name": None}),
    ("name", "empty", {"name": "  "}),
    ("version", "missing", {"version": None}),
    ("version", "text", {"version": 1}),
    ("slug", "cannot be made", {"name": "日本"}),
    ("slug", "^[a-z]", {"slug": "Bell"}),
    ("permissions", "list", {"permissions": "chat.send"}),
    ("permissions[1]", "text", {"permissions": ["ui.modify", 7]}),
    ("config.__x", "reserved", {"config": {"__x": {}}}),
    ("config", "object", {"config": []}),
    ('admin.pages["/a"].title', "missing", {"admin": {"pages": {"/a": {}}}}),
    ('admin.pages["/a["]', "brackets", {"admin": {"pages": {"/a[": {"title": "A"}}}}),
    ('admin.pages["/a\\\\"]', "lone backslash", {"admin": {"pages": {"/a\\": {"title": "A"}}}}),
    ('admin.pages["/a"].path', "leave it out", {"admin": {"pages": {"/a": {"title": "A", "path": "/a"}}}}),
    ("network.allowedHosts", "at least one host", FETCH),
    ("network.allowedHosts", "at least one", dict(FETCH, network={"allowedHosts": []})),
    ("network.allowedHosts[1]", "empty", {"network": {"allowedHosts": ["a.example", " "]}}),
    ("actions[0].title", "missing", {"actions": [{"url": "/x"}]}),
    ("actions[0]", "exactly one", {"actions": [{"title": "x"}]}),
    ("actions[0]", "exactly one", {"actions": [{"title": "x", "url": "/x", "html": "y"}]}),
    ("actions[0].url", '"other"', {"actions": [{"title": "x", "url": "/plugins/other/x"}]}),
    ("actions[0].url", "climb", {"actions": [{"title": "x", "url": "/plugins/door-bell/%2e./other"}]}),
    ("actions[0].url", "https://", {"actions": [{"title": "x", "url": "javascript:alert(1)"}]}),
    ("actions[0].icon", '"other"', {"actions": [{"title": "x", "html": "y", "icon": "/plugins/other/i.png"}]}),
    ("actions[0].url", "http.serve", dict(BARE_UI, actions=[{"title": "x", "url": "/x"}])),
    ("actions[0].icon", "http.serve", dict(BARE_UI, actions=[{"title": "x", "html": "y", "icon": "/i.png"}])),
    ("actions[0].openExternally", "true or false", {"actions": [{"title": "x", "html": "y", "openExternally": 1}]}),
    ("styles[0]", "bundled", {"styles": ["https://e.example/x.css"]}),
    ("styles[0]", "bundled", {"styles": ["//e.example/x.css"]}),
    ("styles[1]", ".css", {"styles": ["a.css", "b.js"]}),
    ("styles[0]", "empty", {"styles": [""]}),
    ("styles[0]", "..", {"styles": ["../x.css"]}),
    ("scripts[0]", '"other"', {"scripts": ["/plugins/other/x.js"]}),
    ("extraPageContent.content", ".html", {"extraPageContent": {"content": "x.txt"}}),
    ("extraPageContent", "slug", {"extraPageContent": {}}),
    ("tabs.Bad", "^[a-z]", {"tabs": {"Bad": {"title": "x"}}}),
    ("tabs.b", "second tab", {"tabs": {"a": {"title": "x"}, "b": {"title": "x"}}}),
    ("tabs[1]", "second tab", {"tabs": [{"slug": "a", "title": "A"}, {"slug": "a", "title": "B"}]}),
    ("tabs.a.slug", "leave it out", {"tabs": {"a": {"title": "x", "slug": "a"}}}),
    ("tabs.a.title", "missing", {"tabs": {"a": {}}}),
    ("commands[0]", "-1", {"commands": [{"name": "x", "cooldownMs": -1}]}),
    ("commands[0]", "aliases", {"commands": [{"name": "x", "aliases": "y"}]}),
    ("commands[0]", "modOnly", {"commands": [{"name": "x", "modOnly": "yes"}]}),
    ("commands[0].name", "missing", {"commands": [{}]}),
    ("bot", "object", {"bot": "x"}),
]


class Reading(unittest.TestCase):
    def test_a_manifest_is_read_whole(self):
        told = read(
            permissions=["ui.modify", "network.fetch", "http.serve"],
            network={"allowedHosts": ["api.example.com", "*.example.org:8443"]},
            bot={"displayName": "Bell"},
            config={"cooldownMs": {"type": "number", "default": 2000, "description": "how long"}},
            actions=[{"title": "Ring", "url": "/ring", "icon": "https://e.example/i.png", "openExternally": True}],
            admin={"pages": {"/b": {"title": "B"}, "/a/*": {"title": "A", "icon": "gear"}}},
            styles=["theme.css", "/x/y.CSS", "/plugins/door-bell/z.css"],
            scripts=["a.js"],
            extraPageContent={"slug": "hello"},
            tabs={"two": {"title": "Two", "content": "two.html"}, "one": {"title": "One"}},
            commands=[{"name": "ring", "aliases": ["r"], "cooldownMs": 5000, "modOnly": True}],
        )
        self.assertEqual((told.slug, told.name, told.version), ("door-bell", "Door Bell", "0.2.0"))
        self.assertEqual(told.permissions, ["http.serve", "network.fetch", "ui.modify"])
        self.assertEqual(told.allowed_hosts, ["api.example.com", "*.example.org:8443"])
        styles = ["assets/theme.css", "assets/x/y.CSS", "assets/z.css"]
        self.assertEqual(told.files, styles + ["assets/a.js", "assets/two.html"])
        self.assertEqual(told.remarks, [])

    def test_every_refusal_names_the_place_and_says_why(self):
        for path, why, changes in REFUSALS:
            with self.subTest(changes):
                with self.assertRaises(ManifestError) as caught:
                    read(**changes)
                self.assertEqual(caught.exception.path, path)
                self.assertIn(why, caught.exception.why)
                self.assertEqual(str(caught.exception), "%s: %s" % (path, caught.exception.why))

    def test_what_changes_the_page_needs_its_permission_and_the_field_is_named(self):
        fields = {"actions": [], "styles": ["a.css"], "scripts": ["a.js"], "extraPageContent": "a.html", "tabs": {}}
        for field, value in fields.items():
            with self.assertRaises(ManifestError) as caught:
                read(permissions=["chat.send"], **{field: value})
            self.assertEqual(str(caught.exception), "%s: needs the permission ui.modify" % field)

    def test_older_forms_are_understood_with_a_remark(self):
        told = read(
            tabs=[{"slug": "b", "title": "B"}, {"slug": "a", "title": "A", "content": "a.html"}],
            admin={"pages": [{"path": "/admin", "title": "Admin"}]},
            extraPageContent="page.html",
        )
        self.assertEqual(told.files, ["assets/page.html", "assets/a.html"])
        self.assertEqual(len(told.remarks), 2)

    def test_what_is_not_known_is_ignored_with_a_remark(self):
        told = read(
            type="python",
            subscriptions={"notify": []},
            homepage="x",
            category="odd",
            permissions=["chat.send", "moon.walk"],
            bot={"avatar": "x"},
            config={"a": {"default": 1}},
        )
        self.assertEqual(told.permissions, ["chat.send"])
        places = ["type", "subscriptions", "homepage", "category", "permissions[1]", "bot.avatar", "config.a"]
        for place in places:
            self.assertTrue(any(remark.startswith(place + ": ") for remark in told.remarks), place)

    def test_a_default_of_another_type_is_remarked_on(self):
        told = read(config={"a": {"type": "number", "default": True}, "b": {"type": "color", "default": 1}})
        self.assertEqual(told.remarks, ["config.a: the default is not a number"])

    def test_a_document_that_is_no_manifest_is_refused_by_name(self):
        huge = json.dumps({"x": "y" * 256 * 1024})
        for text in ["", "[]", "{", "nul", "[" * 100000, '{"api": NaN}', huge]:
            with self.assertRaises(ManifestError) as caught:
                parse(text)
            self.assertEqual(caught.exception.path, "plugin.manifest.json", text[:20])

    def test_a_mark_at_the_beginning_of_the_file_is_no_part_of_it(self):
        self.assertEqual(parse("\ufeff" + json.dumps(GOOD)).slug, "door-bell")


@unittest.skipUnless(SERVER.is_dir(), "without the server's sources there is nothing to compare with")
class SameAsTheServer(unittest.TestCase):
    def strings(self, file, name):
        source = (SERVER / file).read_text()
        return re.findall(r'"([^"]+)"', re.search(r"const %s.*?= \[(.*?)\];" % name, source, re.S).group(1))

    def test_permissions_are_those_of_the_server(self):
        source = (SERVER / "permission.rs").read_text()
        self.assertEqual(list(MEANINGS), re.findall(r'^    \w+ = "([a-z.]+)", "', source, re.M))

    def test_permissions_and_fields_are_in_the_documentation(self):
        told = (SERVER.parents[2] / "docs/plugin-sdk.md").read_text()
        for name in list(MEANINGS) + manifest.FIELDS:
            self.assertIn("| `%s`" % name if name != "scripts" else "`scripts` |", told)

    def test_fields_and_categories_are_those_of_the_server(self):
        self.assertEqual(manifest.FIELDS, self.strings("manifest.rs", "FIELDS"))
        self.assertEqual(manifest.CATEGORIES, self.strings("manifest.rs", "CATEGORIES"))
