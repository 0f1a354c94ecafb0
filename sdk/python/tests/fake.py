"""A server for tests: it remembers what a plugin asks, and answers what the test says."""

import importlib
import json
import sys
import textwrap


class Host:
    """Takes host calls. Answers are Python values under the call's name; an exception there is a refusal."""

    def __init__(self, **answers):
        self.answers = answers
        self.calls = []

    def __call__(self, name, args):
        self.calls.append((name, json.loads(args)))
        answer = self.answers.get(name)
        if isinstance(answer, Exception):
            raise answer
        return json.dumps(answer)

    def texts(self, name="send_chat"):
        return [args["text"] for called, args in self.calls if called == name]


class Refusing(Host):
    """Refuses everything, as a server does whose plugin lacks the permission."""

    def __call__(self, name, args):
        super().__call__(name, args)
        raise ValueError("permission missing")


class Engine:
    """One instance: the SDK as a fresh interpreter would have it, with a plugin loaded into it."""

    def __init__(self, source="", host=None, manifest=None):
        for name in [name for name in sys.modules if name.split(".")[0] == "service_plugin"]:
            del sys.modules[name]
        self.sdk = importlib.import_module("service_plugin")
        self.guest = importlib.import_module("service_plugin._guest")
        self.host = host or Host()
        manifest = manifest or {"api": "1", "name": "Test", "version": "1"}
        source = textwrap.dedent("from service_plugin import *\n" + textwrap.dedent(source))
        self.registered = json.loads(self.guest.load("test", json.dumps(manifest), source, self.host))

    @property
    def service(self):
        return self.sdk.service

    def event(self, name, payload=None):
        return self.guest.call("event", json.dumps({"eventType": name, "payload": payload}))

    def filter(self, payload):
        envelope = {"eventType": "chat.message.received", "payload": payload}
        return json.loads(self.guest.call("filter", json.dumps(envelope)))

    def http(self, method, path, **more):
        return json.loads(self.guest.call("http", json.dumps(dict(method=method, path=path, **more))))

    def notify(self):
        return [entry["event"] for entry in self.registered["subscriptions"]["notify"]]
