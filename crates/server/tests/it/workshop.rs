//! The tools for plugin authors: the whole program, started as authors start it.

mod looking;
mod packing;
mod serving;
mod testing;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::http::{Answer, Request, get, post};

const BELL: &str = r#"
from service_plugin import plugin, service, filter
import json

@plugin.on_chat_message
def heard(msg):
    if msg.body == "hi":
        service.chat.send("hello " + msg.user.display_name)

@plugin.filter_chat_message
def check(msg):
    if "rude" in msg.body:
        return filter.drop("be nice")
    if "cat" in msg.body:
        return filter.modify({**msg.raw, "body": "dog", "user": {"id": "dog", "displayName": "Dog"}})
    return filter.pass_()

def ring(ctx):
    count = int(service.kv.get("rings") or 0) + 1
    service.kv.set("rings", str(count))
    ctx.reply("ding %s %d" % (ctx.arg_string, count))

plugin.commands({"ring": {"run": ring, "description": "Ring the bell"}})

@plugin.on_stream_started
def started(stream):
    service.chat.system("started: " + str(stream.title))

@plugin.get("/who")
def who(req):
    service.fs.write("seen.txt", "x")
    return json.dumps({"operator": req.authenticated, "user": req.user.raw if req.user else None})

@plugin.get("/admin/state")
def state(req):
    return "admin " + str(req.authenticated)

@plugin.get("/later")
def later(req):
    plugin_timer()
    return "soon"

def plugin_timer():
    service.timer.set_timeout(lambda: service.chat.send("time is up"), 100)
"#;

/// An author's project.
struct Project(TempDir);

impl Project {
    fn new(code: &str) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        let manifest = json!({
            "api": "1", "name": "Door Bell", "slug": "bell", "version": "1.0", "category": "bells",
            "permissions": ["chat.send", "chat.filter", "storage.kv", "storage.fs", "http.serve"],
            "admin": {"pages": {"/admin": {"title": "Bell"}}},
        });
        project.put("plugin.manifest.json", &manifest.to_string());
        project.put("src/plugin.py", code);
        project.put("public/index.html", "<p>ring</p>");
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// The program under its own name or another, in an author's folder.
fn program(name: &Path, folder: &Path) -> Command {
    let engine = std::env::var_os("RILLCAST_TEST_ENGINE")
        .expect("RILLCAST_TEST_ENGINE=$(python3 scripts/engine.py build) names the plugin engine");
    let mut command = Command::new(name);
    command
        .current_dir(folder)
        .env("RILLCAST_PLUGIN_ENGINE", &engine)
        .kill_on_drop(true);
    command
}

fn rillcast() -> PathBuf {
    env!("CARGO_BIN_EXE_rillcast").into()
}

/// A link to the program with another name, as plugin tools look for it.
fn link(project: &Project, name: &str) -> PathBuf {
    let link = project.path().join(name);
    std::os::unix::fs::symlink(rillcast(), &link).unwrap();
    link
}

async fn run(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// A running `plugin serve`.
struct Workshop {
    address: SocketAddr,
    first_line: String,
    journal: Arc<Mutex<String>>,
    _output: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl Workshop {
    async fn start(project: &Project) -> Self {
        let mut command = program(&rillcast(), project.path());
        command.args(["plugin", "serve", "-p", "0"]);
        Self::started_by(command).await
    }

    async fn started_by(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let journal = Arc::new(Mutex::new(String::new()));
        let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
        let written = Arc::clone(&journal);
        tokio::spawn(async move {
            while let Ok(Some(line)) = errors.next_line().await {
                *written.lock().unwrap() += &format!("{line}\n");
            }
        });
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let first_line = output.next_line().await.unwrap();
        let first_line =
            first_line.unwrap_or_else(|| panic!("it did not start: {}", journal.lock().unwrap()));
        let address = first_line.split("http://").nth(1).unwrap();
        Self {
            address: address.split('/').next().unwrap().parse().unwrap(),
            first_line,
            journal,
            _output: output,
            _child: child,
        }
    }

    async fn ask(&self, request: Request) -> Answer {
        request.send_to(self.address).await
    }

    async fn say(&self, line: Value) -> Value {
        let answer = self.ask(post("/_dev/chat", &line)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// The chat lines with their authors.
    async fn chat(&self) -> Vec<(String, String)> {
        let all = self.ask(get("/_dev/chat")).await.json();
        let lines = all["messages"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        lines
            .map(|line| (text(&line["user"]["id"]), text(&line["body"])))
            .collect()
    }

    /// Waits until the journal contains `part`.
    async fn until_written(&self, part: &str) {
        let is_written = || async { self.journal.lock().unwrap().contains(part).then_some(()) };
        testkit::eventually(part, is_written).await;
    }
}
