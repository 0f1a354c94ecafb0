//! Tests of plugins, played.

use std::path::Path;

use plugins::scenario::{Project, ProjectError, Report, Runner};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::engine_kit::engine;

const SOURCE: &str = r#"
from service_plugin import plugin, service, filter

@plugin.on_chat_message
def echo(msg):
    service.chat.send("echo: " + msg.body)
    service.events.emit("heard", {"body": msg.body})

@plugin.filter_chat_message
def shield(msg):
    if msg.body == "drop":
        return filter.drop("no")
    if msg.body == "raise":
        raise ValueError("oops")
    if msg.body == "change":
        return filter.modify({**msg.raw, "body": "changed"})
    return filter.pass_()

def ping(ctx):
    ctx.reply("pong " + ctx.arg_string)

plugin.commands({"ping": {"run": ping, "cooldown_ms": 1000}})

@plugin.get("/hello")
def hello(req):
    return {"status": 201, "headers": {"Content-Type": "text/x"}, "body": "hi " + str(req.query.get("name"))}

@plugin.on_page_styles
def styles():
    return "b{}"

@plugin.on("stream.started")
def fails(payload):
    service.kv.set("count", "1")
    raise RuntimeError("too bad")
"#;

fn project(tests: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = json!({
        "api": "1", "name": "Tried", "version": "1",
        "permissions": ["chat.send", "chat.filter", "events.emit", "http.serve", "ui.modify", "storage.kv"],
        "admin": {"pages": {"/admin": {"title": "Admin"}}},
    });
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("plugin.manifest.json", &manifest.to_string());
    put("tried.py", SOURCE);
    std::fs::create_dir(folder.path().join("__tests__")).unwrap();
    put("__tests__/a.test.json", &tests.to_string());
    folder
}

async fn play(folder: &Path) -> Report {
    let project = Project::open(folder, true).unwrap();
    let scratch = folder.join("scratch");
    Runner::new(engine(), scratch).run(&project).await
}

fn line(body: &str) -> Value {
    json!({"id": "m", "user": {"id": "u", "displayName": "mira"}, "body": body, "timestamp": "2026-03-02T19:04:05Z"})
}

#[tokio::test]
async fn a_scenario_that_goes_as_expected_is_ok() {
    let tests = json!([{
        "name": "all kinds of steps",
        "given": {"kv": {"old": "1"}},
        "events": [
            {"event": "chat.message.received", "payload": line("!ping a  b")},
            {"event": "chat.message.received", "payload": line("!ping again")},
            {"filter": "chat.message.received", "payload": line("x"), "expect": {"action": "pass"}},
            {"filter": "chat.message.received", "payload": line("raise"), "expect": {"action": "pass"}},
            {"filter": "chat.message.received", "payload": line("drop"), "expect": {"action": "drop", "reason": "no"}},
            {"filter": "chat.message.received", "payload": line("change"),
             "expect": {"action": "modify", "payload": {"body": "changed"}}},
            {"http": {"path": "/hello?name=ana", "expect": {"status": 201, "body": "hi ana",
                "headers": {"content-type": "text/x"}}}},
            {"http": {"path": "/none", "expect": {"status": 404}}},
            {"http": {"path": "/admin/x", "expect": {"status": 401}}},
            {"http": {"path": "/admin/x", "authenticated": true, "expect": {"status": 404}}},
            {"pageStyles": {"expect": {"bodyContains": "b{"}}},
        ],
        "expect": {
            "chatSends": ["echo: !ping a  b", "pong a  b", "echo: !ping again"],
            "chatTo": [], "logs": [],
            "emits": [{"eventType": "tried.heard", "payload": {"body": "!ping a  b"}}, {"eventType": "tried.heard"}],
            "commands": [{"name": "ping", "cooldownMs": 1000}],
            "kv": {"old": "1", "new": ""},
        },
    }]);
    let folder = project(&tests);
    let report = play(folder.path()).await;
    assert!(report.is_good(), "{:#?}", report.lines);
    assert_eq!(report.lines[0], "ok    a.test.json :: all kinds of steps");
    assert_eq!(report.lines.last().unwrap(), "1/1 passed");
    assert!(!folder.path().join("scratch").try_exists().unwrap());
}

#[tokio::test]
async fn every_failure_is_listed_and_the_other_scenarios_go_on() {
    let tests = json!([
        {"name": "wrong", "events": [
            {"event": "chat.message.received", "payload": line("a")},
            {"event": "x", "filter": "y"},
            {"filter": "chat.message.received", "payload": line("drop"), "expect": {"action": "pass"}},
            {"http": {"path": "/hello", "expect": {"status": 200, "bodyContains": "bye"}}},
        ], "expect": {"chatSends": [], "kv": {"k": "v"}, "commands": [{"name": "pong"}]}},
        {"name": "fresh", "expect": {"chatSends": [], "emits": []}},
        {"name": "an exception is told, but is none of the server's business",
         "events": [{"event": "stream.started", "payload": {}}], "expect": {"kv": {"count": "1"}}},
    ]);
    let folder = project(&tests);
    let report = play(folder.path()).await;
    assert_eq!((report.passed, report.total), (2, 3));
    let text = report.lines.join("\n");
    for part in [
        "FAIL  a.test.json :: wrong",
        "events[1]: a step has exactly one of",
        "events[2]: expected pass, got drop",
        "events[3]: expected status 200, got 201",
        "chatSends: expected [], got [\"echo: a\"]",
        "kv.k: expected \"v\", got \"\"",
        "commands: there is no command \"pong\"",
        "ok    a.test.json :: fresh",
        "too bad",
        "2/3 passed",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[tokio::test]
async fn a_file_that_is_none_counts_as_a_failure() {
    let folder = project(&json!({"name": "no list"}));
    let report = play(folder.path()).await;
    assert_eq!((report.passed, report.total), (0, 1));
    assert!(
        report.lines[1].contains("no test file"),
        "{:?}",
        report.lines
    );
}

#[tokio::test]
async fn a_project_says_what_it_lacks() {
    let folder = project(&json!([]));
    let open = || Project::open(folder.path(), true);
    assert!(open().is_ok());
    std::fs::remove_file(folder.path().join("__tests__/a.test.json")).unwrap();
    assert!(matches!(open(), Err(ProjectError::NoTests(_))));
    let loaded = Project::open(folder.path(), false).unwrap();
    let runner = Runner::new(engine(), folder.path().join("scratch"));
    runner.check_load(&loaded).await.unwrap();
    std::fs::write(folder.path().join("tried.py"), "import nothing_like_this").unwrap();
    let loaded = Project::open(folder.path(), false).unwrap();
    let why = runner.check_load(&loaded).await.unwrap_err();
    assert!(why.contains("nothing_like_this"), "{why}");
    std::fs::remove_file(folder.path().join("tried.py")).unwrap();
    assert!(matches!(open(), Err(ProjectError::NotBuilt(_))));
    std::fs::remove_file(folder.path().join("plugin.manifest.json")).unwrap();
    assert!(matches!(open(), Err(ProjectError::NoManifest(_))));
}
