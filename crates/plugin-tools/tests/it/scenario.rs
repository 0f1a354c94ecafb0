//! Running plugin tests.

mod expect;
mod given;
mod running;
mod steps;
mod time;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use plugin_tools::scenario::{NoScenarioError, Project, RunOptions, Runner, ScenarioReport};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::engine_kit::engine;

/// Does what it is told, in an event or a request.
const SOURCE: &str = r#"
from service_plugin import plugin, service, filter, auth_check
import json
import time

def say(value):
    service.chat.send(value if isinstance(value, str) else json.dumps(value))

@plugin.on("tried.run")
def run(payload):
    exec(payload["do"], globals())

@plugin.on_chat_message
def echo(msg):
    if not msg.body.startswith("!"):
        say("echo: " + msg.body)

@plugin.filter_chat_message
def shield(msg):
    if msg.body == "drop":
        return filter.drop("no")
    if msg.body == "nonsense":
        return "drop"
    if msg.body == "raise":
        raise ValueError("oops")
    if msg.body == "change":
        return filter.modify({**msg.raw, "body": "changed"})
    return filter.pass_()

def ping(ctx):
    ctx.reply("pong " + ctx.arg_string)

plugin.commands({"ping": {"run": ping, "cooldown_ms": 5000, "aliases": ["p"], "description": "Answers"}})

@plugin.get("/hello")
def hello(req):
    who = req.user.display_name if req.user else str(req.query.get("name"))
    return {"status": 201, "headers": {"Content-Type": "text/x"}, "body": "hi " + who}

@plugin.post("/run")
def run_it(req):
    exec(req.body, globals())
    return {"status": 204, "headers": {"ETag": str(req.authenticated)}, "body": ""}

@plugin.on_page_styles
def styles():
    return "b{}"

@plugin.on_page_scripts
def scripts():
    return "let a"

@plugin.on_tab_content("wall")
def wall(req):
    return "wall of " + (req.user.display_name if req.user else "nobody")

@plugin.on_page_content("extra")
def extra(req):
    return "more for " + (req.user.display_name if req.user else "nobody")

@plugin.on_auth_check
def check(req):
    if req.user.id == "u-out":
        return auth_check.deny("go away")
    return auth_check.ok()
"#;

fn project_of(source: &str, tests: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = json!({
        "api": "1", "name": "Tried", "version": "1",
        "permissions": [
            "auth.gate", "chat.filter", "chat.history", "chat.moderate", "chat.send", "events.emit", "fediverse.post",
            "http.serve", "http.sse", "network.fetch", "notifications.send", "server.read", "storage.fs", "storage.kv",
            "storage.sql", "storage.upload", "ui.modify", "users.moderate", "users.read", "users.register",
            "videoconfig.read", "videoconfig.write",
        ],
        "network": {"allowedHosts": ["api.example"]},
        "config": {"sound": {"type": "string", "default": "ding"}},
        "tabs": {"wall": {"title": "Wall"}},
        "extraPageContent": {"slug": "extra"},
        "admin": {"pages": {"/admin": {"title": "Admin"}}},
    });
    put(&folder, "plugin.manifest.json", &manifest.to_string());
    put(&folder, "src/plugin.py", source);
    put(&folder, "public/page.txt", "a page");
    put(&folder, "__tests__/a.test.json", &tests.to_string());
    folder
}

fn project(tests: &Value) -> TempDir {
    project_of(SOURCE, tests)
}

fn put(folder: &TempDir, name: &str, text: &str) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn options(filter: Option<&str>) -> RunOptions {
    RunOptions {
        filter: filter.map(str::to_owned),
        jobs: NonZeroUsize::new(2).unwrap(),
        now: Timestamp::from_second(1_772_000_000).unwrap(),
    }
}

async fn play_wished(
    folder: &Path,
    options: &RunOptions,
) -> Result<ScenarioReport, NoScenarioError> {
    let project = Arc::new(Project::open(folder, true).unwrap());
    let scratch = folder.join("scratch");
    Runner::new(engine(), scratch).run(&project, options).await
}

async fn play(folder: &Path) -> ScenarioReport {
    play_wished(folder, &options(None)).await.unwrap()
}

/// Runs unnamed scenarios that must all pass.
async fn hold(scenarios: Vec<Value>) {
    let report = play(project(&named(scenarios)).path()).await;
    assert!(report.is_good(), "{}", report.lines().join("\n"));
}

/// The message for a failing scenario.
async fn failure(scenario: Value) -> String {
    let report = play(project(&named(vec![scenario])).path()).await;
    let text = report.lines().join("\n");
    assert!(!report.is_good(), "{text}");
    text
}

fn named(scenarios: Vec<Value>) -> Value {
    let named = scenarios.into_iter().enumerate().map(|(place, mut one)| {
        one["name"] = format!("number {place}").into();
        one
    });
    named.collect()
}

/// A step that runs code in the plugin.
fn run(code: &str) -> Value {
    json!({"event": "tried.run", "payload": {"do": code}})
}

/// A step that runs code while the plugin answers a request.
fn ask(code: &str) -> Value {
    json!({"http": {"method": "POST", "path": "/run", "body": code, "expect": {"status": 204}}})
}

/// A step with a chat line.
fn line(body: &str) -> Value {
    json!({"id": "m", "user": {"id": "u", "displayName": "mira"}, "body": body, "timestamp": "2026-03-02T19:04:05Z"})
}

fn said(body: &str) -> Value {
    json!({"event": "chat.message.received", "payload": line(body)})
}
