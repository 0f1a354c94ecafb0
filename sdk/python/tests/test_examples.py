"""The example plugins do what their scenarios say, as far as a server made of lists can tell.

Scenarios are the server's to run. This runner knows just the parts the examples use, so that a change to the SDK that
breaks an example is seen without building the server.
"""

import json
import pathlib
import unittest

from .fake import Engine, Host

PLUGINS = pathlib.Path(__file__).resolve().parents[3] / "plugins"
CHAT = "chat.message.received"


class Server(Host):
    """Keeps values and settings, and remembers what was said."""

    def __init__(self, manifest, given):
        super().__init__()
        self.kv = dict(given.get("kv", {}))
        self.config = {key: field.get("default") for key, field in manifest.get("config", {}).items()}
        self.config.update(given.get("config", {}))

    def __call__(self, name, args):
        super().__call__(name, args)
        asked = json.loads(args)
        if name == "kv_set":
            self.kv[asked["key"]] = asked["value"]
        found = {"kv_get": self.kv, "config_get": self.config}.get(name, {}).get(asked.get("key"))
        return json.dumps(found)


class Scenario:
    """One scenario of one example."""

    def __init__(self, folder, scenario):
        self.manifest = json.loads((folder / "plugin.manifest.json").read_text())
        self.host = Server(self.manifest, scenario.get("given", {}))
        self.engine = Engine(host=self.host)
        source = (folder / "src/plugin.py").read_text()
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
                # Scenarios of the examples never wait for a cooldown to end.
                use = (command["name"], user.get("id"))
                if command["cooldownMs"] and use in self.last_use:
                    continue
                self.last_use[use] = True
                rest = message["body"][len(command["prefix"]) :].strip()[len(words[0]) :].strip()
                payload = {"message": message, "command": command["name"], "invokedAs": words[0]}
                self.engine.event("chat.command", dict(payload, args=words[1:], argString=rest))

    def http(self, request):
        pages = self.manifest.get("admin", {}).get("pages", {})
        is_admin = any(request["path"].startswith(page) for page in pages)
        if is_admin and not request.get("authenticated"):
            return {"status": 401}
        return self.engine.http(request.get("method", "GET"), request["path"])

    def outcome(self):
        return {
            "chatSends": self.host.texts("send_chat"),
            "chatTo": [args for name, args in self.host.calls if name == "send_chat_to"],
            "commands": self.commands,
        }


class Examples(unittest.TestCase):
    def run_scenario(self, folder, scenario):
        run = Scenario(folder, scenario)
        for step in scenario["events"]:
            if "event" in step:
                run.chat(step["payload"])
            elif "filter" in step:
                said = run.engine.filter(step["payload"])
                wanted = dict(step["expect"])
                if "payload" in wanted:
                    wanted["payload"] = dict(step["payload"], **wanted["payload"])
                self.assertEqual(said, wanted)
            else:
                wanted = step["http"]["expect"]
                got = run.http(step["http"])
                self.assertEqual(got["status"], wanted["status"])
                self.assertIn(wanted.get("bodyContains", ""), got.get("body", ""))
                self.assertEqual(wanted.get("headers", got.get("headers")), got.get("headers"))
                self.assertEqual(wanted.get("body", got.get("body")), got.get("body"))
        expected = dict(scenario.get("expect", {}))
        for key, value in expected.pop("kv", {}).items():
            self.assertEqual(run.host.kv.get(key), value)
        for key, value in expected.items():
            self.assertEqual(run.outcome()[key], value)

    def test_every_scenario_of_every_example_holds(self):
        folders = sorted(path.parent for path in PLUGINS.glob("*/plugin.manifest.json"))
        self.assertGreaterEqual(len(folders), 3)
        for folder in folders:
            for file in sorted(folder.glob("__tests__/*.test.json")):
                for scenario in json.loads(file.read_text()):
                    with self.subTest("%s: %s" % (folder.name, scenario["name"])):
                        self.run_scenario(folder, scenario)
