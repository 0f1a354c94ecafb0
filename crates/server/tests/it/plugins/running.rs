//! Real plugins running in a whole server.

use std::path::PathBuf;

use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::LONG_DEADLINE;
use testkit::archive::{ZipEntry, zip};

use super::{entry, manifest, package, read, tell, upload};
use crate::chat::chatter::Chatter;
use crate::http::{PASSWORD, get};

const BELL: &str = r#"
from service_plugin import plugin, service, filter

@plugin.on_chat_message
def heard(msg):
    if msg.body == "hi":
        service.chat.send("hello " + msg.user.display_name)

@plugin.filter_chat_message
def check(msg):
    if "rude" in msg.body:
        return filter.drop("be nice")
    if "spin" in msg.body:
        while True:
            pass
    return filter.modify({**msg.raw, "body": msg.body.replace("cat", "dog")})

@plugin.on_stream_title_changed
def changed(change):
    service.chat.send("now: " + change.to)

def ring(ctx):
    count = int(service.kv.get("rings") or 0) + 1
    service.kv.set("rings", count)
    ctx.reply("ding " + ctx.arg_string + " " + str(count))

plugin.commands({"ring": {"run": ring, "description": "Ring the bell"}})
"#;

/// Options with the engine built for the tests.
pub(super) fn options() -> Options {
    let engine = std::env::var_os("RILLCAST_TEST_ENGINE")
        .expect("RILLCAST_TEST_ENGINE=$(python3 scripts/engine.py build) names the plugin engine");
    let engine = PathBuf::from(engine);
    Options {
        admin_password: Some(PASSWORD.into()),
        plugin_engine: Some(engine.display().to_string()),
        ..Options::default()
    }
}

fn bell(code: &str) -> Vec<u8> {
    let wanted = json!({ "permissions": ["chat.send", "chat.filter", "storage.kv"] });
    package(&wanted, code)
}

async fn with_bell(code: &str) -> TestServer {
    with(&bell(code)).await
}

async fn with(package: &[u8]) -> TestServer {
    let server = TestServer::start_with(options()).await;
    install(&server, "bell", package).await;
    server
}

async fn install(server: &TestServer, slug: &str, package: &[u8]) {
    let answer = upload(server, "any.ocpkg", package).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = tell(server, &format!("{slug}/enable")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// A new user says something, because one user may not say two things at once.
async fn say(server: &TestServer, name: &str, body: &str) {
    Chatter::join(server, name).await.say(body).await;
}

async fn until_running(server: &TestServer) {
    let runs = || async { (entry(server, "bell").await["running"] == true).then_some(()) };
    testkit::eventually("the plugin runs", runs).await;
}

/// The next chat lines, whoever wrote them.
async fn lines(chatter: &mut Chatter, count: usize) -> Vec<String> {
    let mut heard = Vec::new();
    while heard.len() < count {
        heard.push(line(chatter).await);
    }
    heard
}

/// The text of the next line.
async fn line(chatter: &mut Chatter) -> String {
    let html = chatter.line().await;
    html.replace("<p>", "").replace("</p>", "")
}

#[tokio::test]
async fn a_plugin_answers_lines_and_commands_as_its_bot() {
    let server = with_bell(BELL).await;
    let mut ann = Chatter::join(&server, "Ann").await;
    say(&server, "Bob", "hi").await;
    assert_eq!(lines(&mut ann, 2).await, ["hi", "hello Bob"]);
    say(&server, "Cid", "!ring twice").await;
    assert_eq!(lines(&mut ann, 2).await, ["!ring twice", "ding twice 1"]);
    let running = entry(&server, "bell").await;
    assert_eq!(running["commands"][0]["name"], "ring");
    assert_eq!(
        (&running["running"], &running["lastError"]),
        (&json!(true), &Value::Null)
    );
}

/// Repeats the line until it arrives filtered as wanted: on a busy machine a line may pass without its filter.
async fn until_filtered(server: &TestServer, ann: &mut Chatter, body: &str, wanted: &str) {
    let trying = async {
        for number in 0.. {
            say(server, &format!("{body}{number}"), body).await;
            let heard = line(ann).await;
            if heard == wanted {
                return;
            }
            assert_eq!(heard, body, "it goes on as it was written");
        }
    };
    let heard = tokio::time::timeout(LONG_DEADLINE, trying).await;
    assert!(heard.is_ok(), "{wanted:?} was never heard");
}

#[tokio::test]
async fn a_filter_changes_and_drops_lines_before_anybody_hears_them() {
    let server = with_bell(BELL).await;
    let mut ann = Chatter::join(&server, "Ann").await;
    until_filtered(&server, &mut ann, "a cat", "a dog").await;
    let trying = async {
        for number in 0.. {
            say(&server, &format!("Cid{number}"), "rude words").await;
            say(&server, &format!("Dan{number}"), "nice words").await;
            if line(&mut ann).await == "nice words" {
                return;
            }
            assert_eq!(line(&mut ann).await, "nice words");
        }
    };
    let dropped = tokio::time::timeout(LONG_DEADLINE, trying).await;
    assert!(dropped.is_ok(), "no rude words were ever dropped");
}

#[tokio::test]
async fn a_filter_sees_a_line_under_the_id_it_is_heard_by() {
    const CODE: &str = r#"
from service_plugin import plugin, service, filter

seen = []

@plugin.filter_chat_message
def check(msg):
    seen.append(msg.id)
    return filter.pass_()

@plugin.on_chat_message
def heard(msg):
    service.chat.send("seen" if msg.id and msg.id in seen else "unseen")
"#;
    let server = with_bell(CODE).await;
    let mut ann = Chatter::join(&server, "Ann").await;
    let trying = async {
        for number in 0.. {
            say(&server, &format!("Bob{number}"), "hello").await;
            assert_eq!(line(&mut ann).await, "hello");
            if line(&mut ann).await == "seen" {
                return;
            }
        }
    };
    let known = tokio::time::timeout(LONG_DEADLINE, trying).await;
    assert!(known.is_ok(), "no filter ever knew a line that was heard");
}

#[tokio::test]
async fn a_filter_that_never_ends_is_ended_and_the_line_is_heard() {
    let server = with_bell(BELL).await;
    let mut ann = Chatter::join(&server, "Ann").await;
    say(&server, "Bob", "spin cat").await;
    assert_eq!(
        line(&mut ann).await,
        "spin cat",
        "it goes on without the filter"
    );
    // A fresh instance takes over.
    until_filtered(&server, &mut ann, "a cat", "a dog").await;
}

#[tokio::test]
async fn a_plugin_runs_again_after_a_restart_and_has_kept_its_values() {
    let server = with_bell(BELL).await;
    let mut ann = Chatter::join(&server, "Ann").await;
    ann.say("!ring").await;
    assert_eq!(lines(&mut ann, 2).await, ["!ring", "ding  1"]);
    drop(ann);
    let folder = server.stop().await;
    let server = TestServer::start_in(folder, options()).await;
    until_running(&server).await;
    let mut ann = Chatter::join(&server, "Ann").await;
    ann.say("!ring").await;
    assert_eq!(lines(&mut ann, 2).await, ["!ring", "ding  2"]);
}

#[tokio::test]
async fn a_package_whose_code_fails_is_refused_with_its_traceback() {
    let server = TestServer::start_with(options()).await;
    let answer = upload(&server, "bell.ocpkg", &bell("import json\nboom()\n")).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    let text = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(
        text.contains("NameError") && text.contains("line 2"),
        "{text}"
    );
    assert_eq!(entry(&server, "bell").await, Value::Null);
}

#[tokio::test]
async fn code_that_filters_without_asking_for_it_is_refused() {
    let server = TestServer::start_with(options()).await;
    let answer = upload(&server, "bell.ocpkg", &package(&json!({}), BELL)).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    let text = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(text.contains("chat.filter"), "{text}");
}

#[tokio::test]
async fn a_tab_is_shown_as_it_was_when_its_plugin_last_answered() {
    let code = r#"
from service_plugin import plugin

asked = []

@plugin.on_tab_content("once")
def once(request):
    asked.append(request)
    if len(asked) > 1:
        raise ValueError("only once")
    return "<p>once"
"#;
    let wanted = json!({ "permissions": ["ui.modify"], "tabs": { "once": { "title": "Once" } } });
    let server = with(&package(&wanted, code)).await;
    let tab = async || {
        let config = get("/api/config").send(&server).await.json();
        config["pluginTabs"][0]["html"].clone()
    };
    // On a busy machine the answer may arrive after the page.
    let shown = async || (tab().await == "<p>once").then_some(());
    testkit::eventually("the tab is there", shown).await;
    let failed = async || {
        assert_eq!(tab().await, "<p>once");
        (entry(&server, "bell").await["callStats"]["failed"] != 0).then_some(())
    };
    testkit::eventually("the plugin fails", failed).await;
}

#[tokio::test]
async fn what_is_odd_about_the_code_of_a_plugin_is_told_to_the_operator_and_it_runs() {
    const CODE: &str = r#"
from service_plugin import plugin, service

@plugin.on_chat_message
def heard(msg):
    owncst.chat.send(msg.body)
"#;
    let server = with(&package(&json!({}), CODE)).await;
    let told = entry(&server, "bell").await;
    assert_eq!(told["running"], true, "{told}");
    let remark = told["remarks"][0].as_str().unwrap();
    assert!(remark.contains("`owncst` is not defined"), "{told}");
    assert_eq!(told["lastError"], remark, "{told}");
    let misspelt = r#"
from service_plugin import plugin

plugin.commands({"lock": {"modOnly": True, "run": lambda ctx: None}})
"#;
    let refused = upload(
        &server,
        "lock.ocpkg",
        &package(&json!({ "slug": "lock" }), misspelt),
    )
    .await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let text = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(text.contains("mod_only"), "{text}");
}

/// A plugin's value of the metric `rillcast_plugin_<name>`.
fn measured(metrics: &str, name: &str, slug: &str) -> Option<f64> {
    let line = format!("rillcast_plugin_{name}{{plugin=\"{slug}\"}} ");
    let value = metrics.lines().find_map(|text| text.strip_prefix(&line))?;
    value.parse().ok()
}

#[tokio::test]
async fn what_a_plugin_uses_is_measured_for_the_operator() {
    const CODE: &str = r#"
from service_plugin import plugin, service

@plugin.on_chat_message
def heard(msg):
    if msg.body == "spin":
        while True:
            pass
    service.chat.send("hello " + msg.user.display_name)
"#;
    // A unique slug: all servers of this process share one metrics recorder.
    let server = TestServer::start_with(options()).await;
    install(
        &server,
        "gauged",
        &package(&json!({ "slug": "gauged" }), CODE),
    )
    .await;
    let mut ann = Chatter::join(&server, "Ann").await;
    say(&server, "Bob", "hi").await;
    assert_eq!(lines(&mut ann, 2).await, ["hi", "hello Bob"]);
    say(&server, "Cid", "spin").await;
    let ended = async || {
        let answer = get("/api/admin/prometheus").by_admin().send(&server).await;
        let traps = measured(&answer.body, "traps_total", "gauged");
        let memory = measured(&answer.body, "memory_bytes", "gauged");
        (traps >= Some(1.0) && memory > Some(0.0)).then_some(answer.body)
    };
    let metrics = testkit::eventually("the plugin is ended and runs again", ended).await;
    for (name, kind) in [
        ("processor_seconds", "gauge"),
        ("calls_total", "counter"),
        ("call_seconds", "summary"),
        ("memory_bytes", "gauge"),
        ("traps_total", "counter"),
    ] {
        let family = format!("# TYPE rillcast_plugin_{name} {kind}\n");
        assert!(metrics.contains(&family), "{family}");
    }
    let of = |name: &str| measured(&metrics, name, "gauged");
    assert!(of("processor_seconds") > Some(0.0), "{metrics}");
    assert!(of("calls_total") >= Some(2.0), "{metrics}");
    assert!(of("call_seconds_count") >= Some(2.0), "{metrics}");
    assert!(of("call_seconds_sum") >= Some(0.5), "{metrics}");
    assert!(of("memory_bytes") > Some(0.0), "{metrics}");
    let quantile = r#"rillcast_plugin_call_seconds{plugin="gauged",quantile="0.99"} "#;
    assert!(metrics.contains(quantile), "{metrics}");

    let told = entry(&server, "gauged").await;
    let calls = |name: &str| told["callStats"][name].as_u64().unwrap();
    assert!(calls("total") >= 2 && calls("fatal") >= 1, "{told}");
    assert!(calls("cpuMicros") > 0, "{told}");
    assert!(
        calls("medianMicros") > 0 && calls("medianMicros") <= calls("p99Micros"),
        "{told}"
    );
    // The call that was aborted ran for half a second.
    assert!(calls("p99Micros") >= 500_000, "{told}");
    assert!(told["memoryBytes"].as_u64() > Some(0), "{told}");
}

#[tokio::test]
async fn a_call_without_its_permission_is_in_the_log_of_the_plugin() {
    const CODE: &str = r#"
from service_plugin import plugin, service

@plugin.on_chat_message
def heard(msg):
    service.kv.set("heard", msg.body)
"#;
    let server = TestServer::start_with(options()).await;
    server.keep_warnings();
    // A unique slug: warnings of all servers of this process are kept.
    install(
        &server,
        "snoop",
        &package(&json!({ "slug": "snoop" }), CODE),
    )
    .await;
    say(&server, "Bob", "hi").await;
    let line = logged(&server, "snoop", "refused").await;
    assert_eq!(
        line,
        "refused a plugin's call: its manifest does not ask for the permission \
         function=\"kv_set\" permission=\"storage.kv\""
    );
}

#[tokio::test]
async fn a_file_that_is_too_large_for_a_plugin_to_read_is_in_its_log() {
    const CODE: &str = r#"
from service_plugin import plugin, service

@plugin.on_chat_message
def heard(msg):
    service.chat.send("it is " + repr(service.assets.read("film.bin")))
"#;
    let server = TestServer::start_with(options()).await;
    server.keep_warnings();
    let changes = json!({ "slug": "hoarder", "permissions": ["chat.send"] });
    let film = vec![0; 16 * 1024 * 1024 + 1];
    let packed = zip(&[
        ZipEntry::new(
            "plugin.manifest.json",
            manifest(&changes).to_string().as_bytes(),
        ),
        ZipEntry::new("plugin.py", CODE.as_bytes()),
        ZipEntry::new("assets/film.bin", &film),
    ]);
    install(&server, "hoarder", &packed).await;
    say(&server, "Bob", "hi").await;
    assert_eq!(
        logged(&server, "hoarder", "a plugin's file").await,
        "a plugin's file was not read: the file has 16777217 bytes, and a plugin can read 16777216 at most \
         path=\"film.bin\""
    );
}

/// Waits for the first warning in a plugin's log that starts like this.
async fn logged(server: &TestServer, slug: &str, beginning: &str) -> String {
    let look = async || {
        let lines = read(server, &format!("/{slug}/logs")).await.json();
        let said = lines.as_array().unwrap().iter();
        let warnings = said.filter(|line| line["level"] == "warning");
        let mut texts = warnings.map(|line| line["message"].as_str().unwrap().to_owned());
        texts.find(|text| text.starts_with(beginning))
    };
    testkit::eventually("the warning is in the log", look).await
}
