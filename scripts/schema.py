#!/usr/bin/env python3
"""Hold the running server to its description: call every operation, look at every answer.

Schemathesis makes requests from `/api/openapi.json`, good ones and bad ones, and checks that no answer is
a server error, an undocumented status or type, or another shape than documented. Before that, other clients
see whether connections survive requests that are refused by their head. With RILLCAST_RING=all it
goes on with random requests and sequences of them. The server is the one named by RILLCAST_BIN, or else the
last dev build, in a folder of its own.

Schemathesis is installed into the cache, in the versions of schema-requirements.txt. Where that is not
possible the check is left out, except in CI.
"""

import base64
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import e2e
import reports

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = HERE / "schema-requirements.txt"
SKIPPED = 77
PASSWORD = "a password for this run only"
START_SECONDS = 30
# The long ring goes on for this long; the short one ends by itself well before its limit. It is thousands of short
# requests, one after the other: on a machine with other load each waits for its turn, and all take ten times as long.
LONG_SECONDS = 140
LIMIT_SECONDS = {"test": 900, "all": LONG_SECONDS + 60}

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "ignored_auth",
]

# What the description allows is taken. Asked for where requests are the same in every run: among random ones there is
# always one more that depends on something else.
ACCEPTANCE = "positive_data_acceptance"

# By operation id, with the reason.
LEFT_OUT = {
    "postAdminConfigAdminpass": "changes the password that the run signs in with",
    "postAdminSession": "wrong guesses would slow down all later sign-ins of the run",
    "postAdminSetup": "the same, and the server is set up already",
    "getAdminUpdateForcequit": "ends the process",
    "postAdminUpdateForcequit": "the same",
    "getChatEvents": "never ends",
    "getIntegrationsEvents": "never ends",
    "postAuthIndieauth": "contacts hosts that would be made up",
    "postAdminWebhooksCreate": "the same",
    "postAdminWebhooksUpdate": "the same",
    "postAdminVideoMeasure": "keeps the processor busy for seconds, which would slow down the run",
    "postAdminPluginRegistryInstall": "says 502 while no registry is set, as it should",
    "postAdminPluginsSlugEnable": "an included sign-in would put everything after it behind its gate",
    "getAdminPluginsSlugAction": "its address covers those of other operations, and then they answer",
    "postAdminPluginsSlugAction": "the same",
}

# What these take depends on more than a description can tell: by reason, the operation ids.
DEPENDS = {
    "on a stream, a registry or an update that there is not": [
        "getAdminDisconnect",
        "postAdminDisconnect",
        "getAdminUpdateStart",
        "postAdminVideosRecord",
        "deleteAdminVideosRecord",
        "postAdminRecordMark",
    ],
    "on federation, which is off, or on a public address": [
        "getV1Instance",
        "deleteAdminFederationPostsId",
        "postAdminFederationRotateKey",
        "postAdminFederationTakeBackKey",
        "postAdminFederationSend",
        "postAdminFederationServers",
        "postAuthFediverse",
        "postRemotefollow",
        "getAuthProviderIndieauth",
        "postAuthProviderIndieauth",
    ],
    "on something that would have to exist": [
        "postAdminChatHeld",
        "postChatHeld",
        "postAdminChatInvitationsRevoke",
        "postAdminChatPin",
        "postChatPin",
        "postChatMessagesDelete",
        "postAdminEmojiDelete",
        "postAdminFederationDeliveriesRetry",
        "postAdminFederationDeliveriesDrop",
        "postAdminFederationServersIdReorder",
        "postAdminFollowersApprove",
        "postAdminFollowersRemove",
        "postAdminPluginsSlugApprove",
        "postAdminPluginsSlugDisable",
        "postAdminPluginsSlugReload",
        "postAdminPluginsSlugUninstall",
        "postAdminScheduleEventDelete",
        "postAdminWebhooksDelete",
        "postAdminWebhooksDeliveriesRetry",
        "postAdminWebhooksTest",
        "postAdminConfigFfmpegpath",
        "getAuthIndieauthCallback",
        "postAdminAccesstokensDelete",
        "postAdminChatUsersSetenabled",
        "postAdminChatUsersSetmoderator",
        "postAdminChatUsersTimeout",
        "postAdminUsersDelete",
        "patchAdminVideosId",
        "deleteAdminVideosIdMarks",
        "getVideosIdChat",
    ],
    "on who it is done to: moderators are the operator's": ["postChatUsersTimeout", "postChatUsersSetenabled"],
    "on a file, a picture, a report or a rule of recurrence inside a text": [
        "postAdminConfigLogo",
        "postAdminConfigFavicon",
        "postAdminConfigHeaderpicture",
        "postAdminConfigOfflinepicture",
        "postAdminEmojiUpload",
        "postAdminPlugins",
        "getMetricsCmcd",
        "postMetricsCmcd",
        "getSchedule",
        "postAdminScheduleEvent",
        "postAdminSchedulePreview",
    ],
    "on whether a text is a URL, a host or an address, which patterns cannot tell": [
        "postAdminConfigServerurl",
        "postAdminConfigSocialhandles",
        "postAdminConfigExternalactions",
        "postAdminConfigVideoservingendpoint",
        "postAdminConfigFederationDirectoryurl",
        "postAdminConfigFederationNamespace",
        "postAdminConfigFederationBlockdomains",
        "postAdminChatUsersIpbansCreate",
        "postAdminConfigS3",
        "postAdminConfigNotificationsDiscord",
    ],
    "on what is left of a name or a text once it is cleaned": [
        "postAdminAccesstokensCreate",
        "postIntegrationsChatAction",
        "postIntegrationsChatSend",
        "postIntegrationsChatSystem",
        "postIntegrationsChatSystemClientClientId",
    ],
    "on the rest of the list": ["postAdminConfigVideoStreamoutputvariants"],
    "on nothing: they always refuse": [
        "getAdminPluginsSlug",
        "postAdminPluginsSlug",
        "getAdminPluginsSlugAction",
        "postAdminPluginsSlugAction",
        "postIntegrationsChatUser",
        "postNotificationsRegister",
        "getWs",
    ],
}

# These can take away what the run itself needs, so they come last.
LAST = [
    "postAdminAccesstokensDelete",
    "postAdminUsersDelete",
    "postAdminChatUsersSetenabled",
    "postAdminChatUsersSetmoderator",
    "postAdminChatUsersIpbansCreate",
    "postChatUsersSetenabled",
]


def tool():
    """The path of `st` in its environment, which is made on first use; None when that is impossible."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rillcast"
    key = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = cache / f"schema-{key}"
    stamp = folder / "installed"
    if not stamp.is_file():
        print(f"installing schemathesis into {folder}", flush=True)
        steps = [
            [sys.executable, "-m", "venv", "--clear", str(folder)],
            [str(folder / "bin/pip"), "install", "--quiet", "--no-deps", "-r", str(REQUIREMENTS)],
        ]
        for step in steps:
            if subprocess.run(step).returncode != 0:
                return None
        stamp.touch()
    return str(folder / "bin/st")


@contextlib.contextmanager
def server(binary, folder):
    """A fresh server; yields its address."""
    ready = folder / "ready.json"
    arguments = ["--data-dir", folder / "data", "--listen", "127.0.0.1:0", "--rtmp-listen", "127.0.0.1:0"]
    arguments += ["--ready-file", ready, "--admin-password", PASSWORD, "--stream-key", "a-key-for-this-run"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("RILLCAST_")}
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen([binary, *map(str, arguments)], env=env, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not ready.is_file() or not ready.read_text().strip():
            if child.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"the server did not start:\n{(folder / 'log').read_text()}")
            time.sleep(0.05)
        yield json.loads(ready.read_text())["http"]
        if child.poll() is not None:
            sys.exit(f"the server ended during the run:\n{(folder / 'log').read_text()[-4000:]}")
    finally:
        child.terminate()
        child.wait(timeout=15)


def call(address, path, body=None, authorization=None):
    """The answer's JSON to a POST with a body, or else to a GET."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"authorization": authorization or ""})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{request.get_method()} {path} answered {error.code}: {error.read().decode()}")


ADMIN = "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode()


class Visitors:
    """Who calls the server: the operator, a moderator of the chat, a bot."""

    def __init__(self, address):
        self.address = address
        person = call(address, "/api/chat/register", {"displayName": "schemathesis"})
        self.chat_token = person["accessToken"]
        promotion = {"userId": person["id"], "isModerator": True}
        call(address, "/api/admin/chat/users/setmoderator", promotion, ADMIN)
        scopes = ["CAN_SEND_SYSTEM_MESSAGES", "CAN_SEND_MESSAGES", "HAS_ADMIN_ACCESS"]
        bot = call(address, "/api/admin/accesstokens/create", {"name": "schemathesis", "scopes": scopes}, ADMIN)
        self.access_token = bot["accessToken"]

    def schemes(self):
        """How to sign in, by security scheme."""
        return {
            "adminPassword": {"username": "admin", "password": PASSWORD},
            "chatToken": {"api_key": self.chat_token},
            "accessToken": {"bearer": self.access_token},
        }

    def leave_something(self):
        """So that lists have entries whose shape can be looked at."""
        bearer = f"Bearer {self.access_token}"
        call(self.address, "/api/integrations/chat/send", {"body": "hello"}, bearer)
        webhook = {"url": f"{self.address}/healthz", "events": ["CHAT"], "allowInternal": True}
        made = call(self.address, "/api/admin/webhooks/create", webhook, ADMIN)
        call(self.address, "/api/admin/webhooks/test", {"id": made["id"]}, ADMIN)
        next_week = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 7 * 24 * 3600))
        stream = {"name": "later", "start": next_week, "timezone": "UTC", "durationMinutes": 60}
        call(self.address, "/api/admin/schedule/event", stream, ADMIN)
        for setting in ("schedule/enabled", "directoryenabled"):
            call(self.address, f"/api/admin/config/{setting}", {"value": True}, ADMIN)

    def are_let_in(self):
        """A run whose visitors lost their rights on the way has checked closed doors only."""
        call(self.address, "/api/admin/status", authorization=ADMIN)
        call(self.address, f"/api/chat/held?accessToken={urllib.parse.quote(self.chat_token)}")
        call(self.address, "/api/integrations/status", authorization=f"Bearer {self.access_token}")


def configuration(schemes):
    """Schemathesis' configuration file; JSON's strings are TOML's."""
    lines = []
    for scheme, fields in schemes.items():
        lines.append(f"[auth.openapi.{scheme}]")
        lines += [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
    return "\n".join(lines) + "\n"


def options(is_long):
    """Which requests are made. Without fuzzing, operations that take nothing would not be called at all."""
    if is_long:
        how = ["--phases", "examples,coverage,fuzzing,stateful", "-n", "100", "--max-time", str(LONG_SECONDS)]
        return [*how, "--checks", ",".join(CHECKS)]
    how = ["--phases", "examples,coverage,fuzzing", "-n", "5", "--generation-deterministic"]
    return [*how, "--checks", ",".join([*CHECKS, ACCEPTANCE])]


def selection(is_last):
    """The operations of a pass: all the harmless ones, or those that come last."""
    if is_last:
        return [word for name in LAST for word in ("--include-operation-id", name)]
    return [word for name in [*LEFT_OUT, *LAST] for word in ("--exclude-operation-id", name)]


def check(st, address, folder, arguments, limit, output=None):
    """Run schemathesis; answer its report. What it prints goes to `output`, or to ours.

    One worker: Python's threads share one lock, so two are no quicker, and Python 3.11 counts for all of them together
    how deep its parser is, which puts two at once off ("AST constructor recursion depth mismatch").
    """
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    command = [st, "--config-file", str(folder / "schemathesis.toml"), "run", address, "--seed", "1"]
    command += ["--continue-on-failure"]
    # Without it the server takes a request to sign out for one that a foreign page made.
    command += ["--header", "X-Rillcast-CSRF: 1"]
    command += ["--report", "json", "--report-json-path", str(report), *arguments]
    try:
        subprocess.run([*command, "-w", "1"], cwd=folder, timeout=limit, stdout=output)
    except subprocess.TimeoutExpired:
        sys.exit(f"schemathesis was not done after {limit} s")
    return json.loads(report.read_text())


# As schemathesis calls it that something was refused which the description allows.
REFUSED = "Schema-valid request rejected"


def depending(document):
    """The operations that may refuse what the description allows, as schemathesis calls them."""
    ids = set(sum(DEPENDS.values(), []))
    return {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if operation["operationId"] in ids
    }


def verdict(report, may_refuse=frozenset()):
    """How many operations passed, and what the others did."""
    wrong = {}
    for kind in ("failures", "errors"):
        for entry in report[kind]:
            for operation in entry.get("operations") or ["?"]:
                if entry.get("title") == REFUSED and operation in may_refuse:
                    continue
                wrong.setdefault(operation, []).append(entry.get("title", kind))
    if not report["complete"]:
        wrong["?"] = [f"the run ended early: {report['stop_reason']}"]
    return max(0, report["operations"]["tested"] - len(wrong)), wrong


def cases_of(passed, wrong):
    """Schemathesis names the operations that failed and counts the others."""
    good = [reports.Case(f"operation {number}") for number in range(1, passed + 1)]
    return good + [reports.Case(name, failure=", ".join(what)) for name, what in sorted(wrong.items())]


LYING = {
    "openapi": "3.1.0",
    "info": {"title": "a server that lies", "version": "1"},
    "paths": {
        "/n": {
            "get": {
                "responses": {
                    "200": {
                        "description": "a number",
                        "content": {"application/json": {"schema": {"type": "integer"}}},
                    }
                }
            }
        }
    },
}


class Liar(http.server.BaseHTTPRequestHandler):
    """Promises a number and answers a text."""

    def do_GET(self):
        body = json.dumps(LYING if self.path == "/" else "no number").encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def notices_a_lie(st, folder):
    """A check that cannot fail checks nothing."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar) as liar:
        threading.Thread(target=liar.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{liar.server_address[1]}/"
        report = check(st, address, folder, options(is_long=False), 60, output=subprocess.DEVNULL)
        liar.shutdown()
    return "GET /n" in verdict(report)[1]


def keeps_connections(st, address, is_long):
    """Whether clients that many people use get an answer to every request on the connections they keep."""
    python, count = pathlib.Path(st).parent / "python", 10_000 if is_long else 500
    command = [python, HERE / "early_answers.py", address, count]
    return subprocess.run(list(map(str, command)), timeout=LIMIT_SECONDS["test"]).returncode == 0


def main():
    st = tool()
    if st is None:
        print("the API is not checked: schemathesis could not be installed")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    ring = os.environ.get("RILLCAST_RING") or "test"
    binary = e2e.programs(os.environ)["RILLCAST_BIN"]
    passed, wrong = 0, {}
    with tempfile.TemporaryDirectory(prefix="rillcast-schema-") as name:
        folder = pathlib.Path(name)
        (folder / "schemathesis.toml").write_text("")
        if not notices_a_lie(st, folder):
            sys.exit("schemathesis did not notice a server that lies")
        print("a server that lies is noticed\n", flush=True)
        with server(binary, folder) as address:
            visitors = Visitors(address)
            visitors.leave_something()
            if not keeps_connections(st, address, ring == "all"):
                wrong["kept connections"] = ["requests were not answered"]
            (folder / "schemathesis.toml").write_text(configuration(visitors.schemes()))
            for is_last in (False, True):
                visitors.are_let_in()
                is_long = ring == "all" and not is_last
                how = options(is_long) + selection(is_last)
                report = check(st, f"{address}/api/openapi.json", folder, how, LIMIT_SECONDS[ring])
                more_passed, more_wrong = verdict(report, depending(call(address, "/api/openapi.json")))
                passed += more_passed
                wrong.update(more_wrong)
    for operation, what in sorted(wrong.items()):
        print(f"{operation}: {', '.join(sorted(set(what)))}")
    print(f"{passed} operations passed, {len(wrong)} failed")
    reports.write("api", cases_of(passed, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
