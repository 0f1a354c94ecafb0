//! What an author sees while `rillcast plugin serve` runs: the page and its requests.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{BELL, Project, Workshop};
use crate::http::{get, post, request};

const KEEPER: &str = r#"
from service_plugin import plugin, service

@plugin.on_chat_message
def heard(msg):
    if msg.body == "break":
        return msg.no.such.thing
    service.kv.set("last", msg.body)
    service.sql.exec("CREATE TABLE IF NOT EXISTS lines (id INTEGER PRIMARY KEY, body TEXT)")
    service.sql.exec("INSERT INTO lines (body) VALUES (?)", [msg.body])
    service.fs.write("notes/last.txt", msg.body)
    service.events.emit("heard", {"body": msg.body})

@plugin.on_tab_content("log")
def log(request):
    return "<h2>The log</h2>"
"#;

/// A project that stores data in every possible way.
fn keeper() -> Project {
    let project = Project::new(KEEPER);
    let manifest = json!({
        "api": "1", "name": "Keeper", "slug": "keeper", "version": "2.1", "description": "Keeps what was said.",
        "permissions": ["storage.kv", "storage.sql", "storage.fs", "events.emit", "ui.modify"],
        "tabs": {"log": {"title": "The log"}},
    });
    project.put("plugin.manifest.json", &manifest.to_string());
    project
}

async fn json_at(workshop: &Workshop, path: &str) -> Value {
    let answer = workshop.ask(get(path)).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

/// Notes of a kind, without their prefix.
fn notes<'a>(state: &'a Value, what: &str) -> Vec<&'a Value> {
    let all = state["notes"].as_array().unwrap().iter();
    all.filter(|note| note["what"] == what).collect()
}

#[tokio::test]
async fn a_browser_gets_a_page_that_is_all_there_and_others_get_a_text() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    let page = workshop.ask(get("/").header("accept", "text/html")).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
    assert!(!page.body.contains("<style") && !page.body.contains(" style="));
    let named = page
        .body
        .split('"')
        .filter(|text| text.starts_with("/_dev/"));
    let named: Vec<&str> = named.chain(["/_dev/parts.js"]).collect();
    assert_eq!(named.len(), 4, "{named:?}");
    for path in named {
        let file = workshop.ask(get(path)).await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("x-content-type-options"), "nosniff", "{path}");
        assert!(!file.body.is_empty(), "{path}");
    }
    let usage = workshop.ask(get("/").header("accept", "*/*")).await;
    assert!(usage.body.contains("GET  /_dev/state"), "{usage:?}");
    assert_eq!(workshop.ask(get("/_dev/other")).await.status, 404);
    let events = json_at(&workshop, "/_dev/samples").await;
    assert_eq!(events[0]["event"], "stream.started");
    assert!(events[0]["payload"].is_object());
}

#[tokio::test]
async fn a_page_of_a_plugin_has_an_icon_and_asking_for_it_is_no_news() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    let icon = workshop.ask(get("/favicon.ico")).await;
    assert_eq!(icon.status, 200);
    assert_eq!(icon.header("content-type"), "image/svg+xml");
    assert!(icon.body.contains("<svg"), "{icon:?}");
    let state = json_at(&workshop, "/_dev/state").await;
    assert!(notes(&state, "request").is_empty(), "{state}");
}

#[tokio::test]
async fn the_state_tells_of_the_plugin_the_chat_and_what_happened() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    workshop.say(json!({"user": "alice", "body": "hi"})).await;
    let state = json_at(&workshop, "/_dev/state").await;
    let plugin = &state["plugin"];
    for (member, value) in [
        ("name", json!("Door Bell")),
        ("slug", json!("bell")),
        ("version", json!("1.0")),
        ("state", json!("running")),
        ("isFilter", json!(true)),
    ] {
        assert_eq!(plugin[member], value, "{member}");
    }
    assert_eq!(plugin["loading"]["times"], 1);
    assert_eq!(plugin["commands"][0]["name"], "ring");
    let events = plugin["events"].as_array().unwrap();
    assert!(events.contains(&json!("stream.started")), "{events:?}");
    let send =
        json!({"name": "chat.send", "meaning": "write in the chat as a bot, and as the server"});
    assert!(plugin["permissions"].as_array().unwrap().contains(&send));
    assert_eq!(
        plugin["links"],
        json!([
            {"title": "Its pages", "href": "/plugins/bell/"},
            {"title": "Bell", "href": "/plugins/bell/admin"},
        ])
    );
    let said = state["messages"].as_array().unwrap();
    assert_eq!(said.len(), 2);
    assert_eq!(said[1]["body"], "hello alice");
    // Problems with the package are noted too.
    let remarks = notes(&state, "package");
    assert_eq!(remarks.len(), 1, "{state}");
    assert_eq!(remarks[0]["level"], "warning");
    assert_eq!(notes(&state, "chat")[0]["text"], "hello alice");

    let last = state["notes"].as_array().unwrap().last().unwrap()["id"].clone();
    let path = format!("/_dev/state?since={last}&chat={}", state["pulse"]["chat"]);
    let later = json_at(&workshop, &path).await;
    assert_eq!(
        (&later["notes"], &later["messages"]),
        (&json!([]), &Value::Null)
    );
    workshop.say(json!({"body": "more"})).await;
    let later = json_at(&workshop, &path).await;
    assert_eq!(later["messages"].as_array().unwrap().len(), 3);
    // The page's own requests are not noted.
    assert_eq!(notes(&later, "request").len(), 1, "{later}");
    for query in ["since=x", "since=-1", "chat=all"] {
        let answer = workshop.ask(get(&format!("/_dev/state?{query}"))).await;
        assert_eq!(answer.status, 400, "{query}");
    }
}

#[tokio::test]
async fn what_a_plugin_keeps_and_emits_can_be_looked_at() {
    let project = keeper();
    let workshop = Workshop::start(&project).await;
    let nothing = json!({
        "values": [], "valueCount": 0, "tables": [], "tableCount": 0, "files": [], "fileCount": 0,
    });
    assert_eq!(json_at(&workshop, "/_dev/data").await, nothing);
    for body in ["one", "two"] {
        workshop.say(json!({ "body": body })).await;
    }
    assert_eq!(
        json_at(&workshop, "/_dev/data").await,
        json!({
            "values": [{"key": "last", "value": "two", "bytes": 3}],
            "valueCount": 1,
            "tables": [{"name": "lines", "columns": ["id", "body"], "rows": [[1, "one"], [2, "two"]], "count": 2}],
            "tableCount": 1,
            "files": [{"path": "notes/last.txt", "bytes": 3}],
            "fileCount": 1,
        })
    );
    let state = json_at(&workshop, "/_dev/state").await;
    let emitted = notes(&state, "event");
    let text = emitted[1]["text"].as_str().unwrap();
    let (event, payload) = text.split_once(' ').unwrap();
    let payload: Value = serde_json::from_str(payload).unwrap();
    assert_eq!((event, payload), ("keeper.heard", json!({"body": "two"})));
    assert_eq!(
        state["plugin"]["links"],
        json!([{"title": "The log", "href": "/_dev/tab/log"}])
    );
    let tab = workshop.ask(get("/_dev/tab/log")).await;
    assert_eq!((tab.status, tab.body.as_str()), (200, "<h2>The log</h2>"));
    assert!(tab.header("content-security-policy").contains("sandbox"));
    assert_eq!(workshop.ask(get("/_dev/tab/other")).await.status, 404);
}

#[tokio::test]
async fn tracebacks_and_code_that_does_not_load_are_shown_until_it_is_mended() {
    let project = keeper();
    let workshop = Workshop::start(&project).await;
    workshop.say(json!({"body": "break"})).await;
    let state = json_at(&workshop, "/_dev/state").await;
    let errors = notes(&state, "error");
    assert_eq!(errors.len(), 1, "{state}");
    let text = errors[0]["text"].as_str().unwrap();
    assert!(text.contains("AttributeError"), "{text}");
    assert!(text.contains("msg.no.such.thing"), "{text}");
    assert_eq!(errors[0]["level"], "error");

    project.put("src/plugin.py", "def broken(:\n");
    let refused = testkit::eventually("the refusal is shown", || async {
        let state = json_at(&workshop, "/_dev/state").await;
        let refused = state["plugin"]["loading"]["refused"]["why"].clone();
        refused.as_str().map(str::to_owned)
    });
    let refused = refused.await;
    assert!(refused.contains("SyntaxError"), "{refused}");
    let state = json_at(&workshop, "/_dev/state").await;
    assert_eq!(state["plugin"]["state"], "running");
    assert_eq!(state["plugin"]["loading"]["times"], 1);

    project.put("src/plugin.py", KEEPER);
    let mended = testkit::eventually("it is loaded again", || async {
        let state = json_at(&workshop, "/_dev/state").await;
        (state["plugin"]["loading"]["times"] == 2).then_some(state)
    });
    let mended = mended.await;
    assert_eq!(mended["plugin"]["loading"].get("refused"), None);
    testkit::eventually("it is written down", || async {
        let state = json_at(&workshop, "/_dev/state").await;
        let loads = notes(&state, "load");
        let levels: Vec<&Value> = loads.iter().map(|note| &note["level"]).collect();
        (levels == ["error", "info"]).then_some(())
    })
    .await;
}

/// A page subscribed to changes.
struct Ear(TcpStream, String);

impl Ear {
    async fn open(workshop: &Workshop) -> Self {
        let mut stream = TcpStream::connect(workshop.address).await.unwrap();
        let head = format!(
            "GET /_dev/pulse HTTP/1.1\r\nhost: {}\r\n\r\n",
            workshop.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        Self(stream, String::new())
    }

    /// Waits until this was received, and discards everything before it.
    async fn hears(&mut self, part: &str) {
        let mut piece = [0; 4096];
        let heard = async {
            while !self.1.contains(part) {
                let count = self.0.read(&mut piece).await.unwrap();
                assert_ne!(count, 0, "it ended: {}", self.1);
                self.1.push_str(&String::from_utf8_lossy(&piece[..count]));
            }
        };
        let heard = tokio::time::timeout(testkit::DEADLINE, heard).await;
        heard.unwrap_or_else(|_| panic!("{part} was not heard"));
        self.1.clear();
    }
}

#[tokio::test]
async fn pages_that_listen_hear_of_changes_and_there_are_only_so_many() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    let mut ear = Ear::open(&workshop).await;
    ear.hears("text/event-stream").await;
    workshop.say(json!({"body": "!ring"})).await;
    // A line and the answer to it.
    ear.hears(r#""chat":2,"#).await;
    let mut others = Vec::new();
    for _ in 1..16 {
        let mut other = Ear::open(&workshop).await;
        other.hears("text/event-stream").await;
        others.push(other);
    }
    let refused = workshop.ask(get("/_dev/pulse")).await;
    assert_eq!(refused.status, 503);
    assert!(refused.body.contains("close one"), "{refused:?}");
    drop(others);
    testkit::eventually("there is room again", || async {
        workshop.say(json!({"body": "hello?"})).await;
        let mut another = Ear::open(&workshop).await;
        let mut status = [0; 12];
        another.0.read_exact(&mut status).await.unwrap();
        (&status == b"HTTP/1.1 200").then_some(())
    })
    .await;
}

#[tokio::test]
async fn pages_of_others_cannot_drive_a_plugin_and_programs_can() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    let line = json!({"user": "alice", "body": "hi"});
    let own = format!("http://{}", workshop.address);
    for (origin, status) in [
        ("https://evil.example", 403),
        ("http://localhost:3000", 403),
        ("null", 403),
        (own.as_str(), 200),
    ] {
        let request = post("/_dev/chat", &line).header("origin", origin);
        assert_eq!(workshop.ask(request).await.status, status, "{origin}");
        let request = get("/_dev/state").header("origin", origin);
        let answer = workshop.ask(request).await;
        assert_eq!(answer.status, status, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
    let led = get("/_dev/pulse").header("sec-fetch-site", "cross-site");
    assert_eq!(workshop.ask(led).await.status, 403);
    let elsewhere = post("/_dev/chat", &line).header("host", "evil.example");
    assert_eq!(workshop.ask(elsewhere).await.status, 403);
    workshop.say(line).await;
    let said = workshop.chat().await;
    assert_eq!(said.iter().filter(|(_, body)| body == "hi").count(), 2);
}

#[tokio::test]
async fn what_is_too_large_is_refused_with_a_reason() {
    let project = Project::new(BELL);
    let workshop = Workshop::start(&project).await;
    let long = |count| "ä".repeat(count);
    for (path, body, part) in [
        (
            "/_dev/chat",
            json!({"body": long(5001)}),
            "body has 5001 characters, at most 5000",
        ),
        (
            "/_dev/chat",
            json!({"user": long(201), "body": "hi"}),
            "user.id has 201 characters",
        ),
        (
            "/_dev/chat",
            json!({"user": {"id": "a", "displayName": long(201)}, "body": "hi"}),
            "user.displayName has 201 characters",
        ),
        (
            "/_dev/event",
            json!({"type": long(201)}),
            "type has 201 characters",
        ),
    ] {
        let answer = workshop.ask(post(path, &body)).await;
        assert_eq!(answer.status, 400, "{part}");
        assert!(answer.body.contains(part), "{answer:?}");
    }
    for path in ["/_dev/chat", "/_dev/event"] {
        let large = request("POST", path).raw_body(&"x".repeat(256 * 1024 + 1));
        let answer = workshop.ask(large).await;
        assert_eq!(answer.status, 413, "{path}");
        assert!(answer.body.contains("larger than 256 KiB"), "{answer:?}");
    }
    assert!(workshop.chat().await.is_empty());
}
