"""The example plugins do what their scenarios say, as far as a server made of lists can tell.

Scenarios are the server's to run. This runner knows just the parts the examples use, so that a change to the SDK that
breaks an example is seen without building the server.
"""

import fnmatch
import json
import pathlib
import sqlite3
import unittest
import urllib.parse

from service_plugin_cli.project import Project

from .fake import Engine, Host
from .test_build import imports_undone

PLUGINS = pathlib.Path(__file__).resolve().parents[3] / "plugins"
CHAT = "chat.message.received"


class Server(Host):
    """Keeps values, settings and tables, and remembers what was asked of it."""

    def __init__(self, manifest, given):
        super().__init__()
        self.slug = manifest["slug"]
        self.kv = dict(given.get("kv", {}))
        self.config = {key: field.get("default") for key, field in manifest.get("config", {}).items()}
        self.config.update(given.get("config", {}))
        self.answers.update(server_info=given.get("server", {}), timer_set=True)
        self.responses = [dict(response) for response in given.get("httpResponses", [])]
        self.tables = sqlite3.connect(":memory:")

    def __call__(self, name, args):
        told = super().__call__(name, args)
        handle = getattr(self, "on_" + name, None)
        return told if handle is None else json.dumps(handle(json.loads(args)))

    def on_kv_get(self, asked):
        return self.kv.get(asked["key"])

    def on_kv_set(self, asked):
        self.kv[asked["key"]] = asked["value"]

    def on_config_get(self, asked):
        return self.config.get(asked["key"])

    def on_fetch(self, asked):
        for response in self.responses:
            if fnmatch.fnmatch(asked["url"], response["url"]) and response.get("times", 1):
                response.update({"times": response["times"] - 1} if "times" in response else {})
                return {"status": response["status"], "headers": {}, "body": ""}
        raise ValueError("nobody answers %s" % asked["url"])

    def on_sql_exec(self, asked):
        with self.tables:
            done = self.tables.execute(asked["sql"], asked.get("params", []))
        return {"rowsAffected": done.rowcount, "lastInsertId": done.lastrowid}

    def on_sql_query(self, asked):
        found = self.tables.execute(asked["sql"], asked.get("params", []))
        return {"columns": [column[0] for column in found.description], "rows": found.fetchall()}

    def on_users_register(self, asked):
        return {"userId": "u-" + asked["authId"]}

    def asked(self, name):
        return [args for called, args in self.calls if called == name]

    def outcome(self):
        """What a scenario may expect, under the names it has there."""
        levels = {"log_info": "info", "log_warning": "warning", "log_error": "error"}
        return {
            "chatSends": self.texts("send_chat"),
            "chatTo": self.asked("send_chat_to"),
            "httpRequests": self.asked("fetch"),
            "sseSends": self.asked("sse_send"),
            "userRegistrations": self.asked("users_register"),
            "sessionGrants": self.asked("auth_grant_session"),
            "sessionClears": len(self.asked("auth_end_session")),
            "logs": [
                {"plugin": self.slug, "level": levels[name], "message": args["text"]}
                for name, args in self.calls
                if name in levels
            ],
        }


class Scenario:
    """One scenario of one example."""

    def __init__(self, folder, scenario):
        self.folder = folder
        self.manifest = json.loads((folder / "plugin.manifest.json").read_text())
        self.host = Server(self.manifest, scenario.get("given", {}))
        self.engine = Engine(host=self.host)
        source = Project(folder).built().text
        told = self.engine.guest.load(self.manifest["slug"], json.dumps(self.manifest), source, self.host)
        self.commands = json.loads(told)["commands"]
        self.last_use = {}

    def chat(self, message):
        self.engine.event(CHAT, message)
        for command in self.commands:
            words = message["body"][len(command["prefix"]) :].split()
            is_named = words and words[0].lower() in [command["name"]] + command["aliases"]
            user = message.get("user", {})
            is_denied = command["modOnly"] and "MODERATOR" not in user.get("scopes", [])
            if message["body"].startswith(command["prefix"]) and is_named and not is_denied:
                use = (command["name"], user.get("id"))
                if not self.is_cool(use, message["timestamp"], command["cooldownMs"]):
                    continue
                rest = message["body"][len(command["prefix"]) :].strip()[len(words[0]) :].strip()
                payload = {"message": message, "command": command["name"], "invokedAs": words[0]}
                self.engine.event("chat.command", dict(payload, args=words[1:], argString=rest))

    def is_cool(self, use, timestamp, cooldown_ms):
        """Whether a command may be used again. All scenarios of the examples happen within one minute."""
        now = 1000 * int(timestamp[17:19])
        is_cool = now - self.last_use.get(use, -1000000) >= cooldown_ms
        if is_cool:
            self.last_use[use] = now
        return is_cool

    def http(self, request):
        path, _, query = request["path"].partition("?")
        pages = self.manifest.get("admin", {}).get("pages", {})
        is_admin = any(path.startswith(page) for page in pages)
        if is_admin and not request.get("authenticated"):
            return {"status": 401}
        file = self.folder / "public" / path[1:]
        if file.is_file():
            return {"status": 200, "body": file.read_text()}
        more = {name: request[name] for name in ("headers", "body") if name in request}
        return self.engine.http(
            request.get("method", "GET"),
            path,
            query=dict(urllib.parse.parse_qsl(query)),
            remoteAddr="198.51.100.7:50122",
            **more,
        )


class Examples(unittest.TestCase):
    def run_scenario(self, folder, scenario):
        with imports_undone():
            run = Scenario(folder, scenario)
            for step in scenario["events"]:
                self.play(run, step)
            run.host.tables.close()
        expected = dict(scenario.get("expect", {}))
        for key, value in expected.pop("kv", {}).items():
            self.assertEqual(run.host.kv.get(key, ""), value)
        outcome = dict(run.host.outcome(), commands=run.commands)
        for key, value in expected.items():
            self.assert_fits(outcome[key], value)

    def play(self, run, step):
        if step.get("event") == CHAT:
            run.chat(step["payload"])
        elif "event" in step:
            run.engine.event(step["event"], step["payload"])
        elif "filter" in step:
            said = run.engine.filter(step["payload"])
            wanted = dict(step["expect"])
            if "payload" in wanted:
                wanted["payload"] = dict(step["payload"], **wanted["payload"])
            self.assertEqual(said, wanted)
        elif "authCheck" in step:
            said = json.loads(run.engine.guest.call("auth", json.dumps({"user": step["authCheck"]["user"]})))
            self.assert_fits(said, step["authCheck"]["expect"])
        else:
            wanted = step["http"]["expect"]
            got = run.http(step["http"])
            self.assertEqual(got["status"], wanted["status"])
            self.assertIn(wanted.get("bodyContains", ""), got.get("body", ""))
            self.assert_fits(got.get("headers", {}), wanted.get("headers", {}))
            self.assertEqual(wanted.get("body", got.get("body")), got.get("body"))

    def assert_fits(self, got, wanted):
        """Objects may hold more than is wanted; lists have as many items."""
        if isinstance(wanted, dict):
            for key, value in wanted.items():
                self.assert_fits(got.get(key), value)
        elif isinstance(wanted, list):
            self.assertEqual(len(got), len(wanted), got)
            for one, other in zip(got, wanted):
                self.assert_fits(one, other)
        else:
            self.assertEqual(got, wanted)

    def test_every_scenario_of_every_example_holds(self):
        folders = sorted(path.parent for path in PLUGINS.glob("*/plugin.manifest.json"))
        self.assertGreaterEqual(len(folders), 6)
        for folder in folders:
            for file in sorted(folder.glob("__tests__/*.test.json")):
                for scenario in json.loads(file.read_text()):
                    with self.subTest("%s: %s" % (folder.name, scenario["name"])):
                        self.run_scenario(folder, scenario)

    def test_every_example_is_whole_and_builds_without_a_warning(self):
        for file in sorted(PLUGINS.glob("*/plugin.manifest.json")):
            with self.subTest(file.parent.name):
                self.assertEqual(Project(file.parent).built().warnings, [])
                for name in ("README.md", "INSTRUCTIONS.md"):
                    self.assertTrue((file.parent / name).is_file(), name)
