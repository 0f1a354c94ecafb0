//! Plugins in a complete runtime: loaded from packages, with a mock server around them.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use plugins::dispatch::{CHAIN_BUDGET, FilterError, RunningPlugins};
use plugins::engine::EngineState;
use plugins::host::SqlStorage;
use plugins::host::mock::{InitialState, Mock};
use plugins::installed::{Loader, RunFacts};
use plugins::instances::PluginInstances;
use plugins::manifest::Slug;
use plugins::package::Package;
use plugins::runtime::{Runtime, RuntimeParts};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::archive::zip_of;
use testkit::{ManualClock, eventually};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::engine_kit::engine;

/// Counts its instances, and ends one when it is told to.
const COUNTING: &str = r#"
from service_plugin import plugin, service, filter
import os

starts = int(service.kv.get("starts") or 0) + 1
service.kv.set("starts", starts)

@plugin.on("tried.end")
def end(payload):
    os.abort()

@plugin.on("tried.remind-and-end")
def remind_and_end(payload):
    service.timer.set_interval(lambda: None, 1000)
    os.abort()

@plugin.on("tried.hear")
def hear(payload):
    service.kv.set("heard", "yes")
"#;

struct Server {
    runtime: Runtime,
    mock: Arc<Mock>,
    clock: ManualClock,
    _folder: TempDir,
}

impl Server {
    /// A runtime whose plugins run on this handle.
    fn new(place: Handle) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mock, clock) = (Mock::new(InitialState::default()), ManualClock::default());
        let storage = folder.path().join("storage");
        let parts = mock.parts(storage.clone(), Timestamp::UNIX_EPOCH);
        let (_, engine) = watch::channel(EngineState::Ready(engine()));
        let runtime = Runtime::new(RuntimeParts {
            instances: PluginInstances::new(engine, place, Arc::new(clock.clone())),
            services: parts.services,
            plugin_data: parts.plugin_data,
            network: parts.network,
            clock: Arc::new(clock.clone()),
            storage,
            code: None,
            sql: SqlStorage::Memory,
        });
        Self {
            runtime,
            mock,
            clock,
            _folder: folder,
        }
    }

    /// Loads the plugin `tried` with only the permission for the key-value store.
    async fn load(&self, source: &str) -> Result<(), String> {
        let manifest = json!({
            "api": "1", "name": "Tried", "version": "1", "permissions": ["storage.kv"],
        });
        self.load_as(&manifest, source).await
    }

    async fn load_as(&self, manifest: &Value, source: &str) -> Result<(), String> {
        let bytes = zip_of(&[
            ("plugin.manifest.json", manifest.to_string().as_bytes()),
            ("plugin.py", source.as_bytes()),
        ]);
        let package = Arc::new(Package::from_bytes(bytes).unwrap());
        let granted = package.manifest().permissions;
        self.runtime.load(&package, granted).await
    }

    fn tell(&self, event: &str) {
        self.runtime
            .running_plugin("tried")
            .unwrap()
            .tell(event, "{}");
    }

    fn facts(&self) -> RunFacts {
        let slug = Slug::parse("tried").unwrap();
        self.runtime.facts(&slug).unwrap()
    }

    fn kept(&self, key: &str) -> Option<String> {
        self.mock.recorded().kv.get(key).cloned()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_wants_more_than_was_agreed_to_does_not_start() {
    let wanting = format!("{COUNTING}\n@plugin.filter_chat_message\ndef judge(message): pass\n");
    let server = Server::new(Handle::current());
    let refused = server.load(&wanting).await.unwrap_err();
    assert!(refused.contains("\"chat.filter\""), "{refused}");
    assert!(server.runtime.running_plugin("tried").is_none());
    assert!(server.runtime.loaded().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_wants_more_in_its_second_instance_does_not_start_again() {
    for (wanted, missing) in [
        ("@plugin.filter_chat_message", "\"chat.filter\""),
        ("@plugin.on_fediverse_like", "\"fediverse.inbound\""),
    ] {
        let two_faced = format!(
            "{COUNTING}\nif starts > 1:\n    {wanted}\n    def more(what):\n        service.kv.set(\"asked\", \"yes\")\n"
        );
        let server = Server::new(Handle::current());
        server.load(&two_faced).await.unwrap();
        server.tell("tried.end");
        let error = eventually("it has failed", async || {
            let facts = server.facts();
            let error = facts.last_error.filter(|error| error.contains(missing));
            error.filter(|_| !facts.is_running)
        });
        let error = error.await;
        assert!(error.contains("needs the permission"), "{error}");
        assert_eq!(server.kept("starts").as_deref(), Some("2"));
        let line = r#"{"eventType":"chat.message.received","payload":{"id":"1","body":"hi"}}"#;
        let asked = server.runtime.filter("tried", line, CHAIN_BUDGET).await;
        assert_eq!(asked, Err(FilterError::Gone));
        eventually("nobody listens", async || {
            server.runtime.loaded().is_empty().then_some(())
        })
        .await;
        assert_eq!(server.kept("asked"), None);
    }
}

#[test]
fn a_timer_does_not_outlive_the_instance_that_set_it() {
    let theirs = tokio::runtime::Runtime::new().unwrap();
    let ours = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let server = Server::new(theirs.handle().clone());
    ours.block_on(server.load(COUNTING)).unwrap();
    // From here on only plugins run: nothing else can notice that an instance has ended.
    server.tell("tried.remind-and-end");
    theirs.block_on(async {
        eventually("it runs again", async || {
            let is_second = server.kept("starts").as_deref() == Some("2");
            (is_second && server.facts().is_running).then_some(())
        })
        .await;
        server.clock.advance(Duration::from_secs(60));
        server.tell("tried.hear");
        eventually("it hears", async || server.kept("heard")).await;
        // A leftover timer would be due by now, and has this long to show itself.
        tokio::time::sleep(Duration::from_millis(100)).await;
    });
    assert_eq!(server.facts().calls.total, 2);
}

/// Does things when it is loaded, and asks for more in its filter.
const TWICE: &str = r#"
from service_plugin import plugin, service, filter

service.chat.send("loaded")
service.timer.set_interval(lambda: service.chat.send("timer"), 1000)
service.kv.set("starts", int(service.kv.get("starts") or 0) + 1)

@plugin.filter_chat_message
def judge(message):
    timer = service.timer.set_timeout(lambda: None, 1000)
    service.chat.send("timer %s" % timer)
    return filter.pass_()

@plugin.on("tried.wait")
def wait(payload): pass
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_plugin_does_when_it_is_loaded_is_done_once_though_its_filter_has_its_own_instance()
{
    let server = Server::new(Handle::current());
    let manifest = json!({
        "api": "1", "name": "Tried", "version": "1", "filterInstance": "own",
        "permissions": ["storage.kv", "chat.send", "chat.filter"],
    });
    server.load_as(&manifest, TWICE).await.unwrap();
    assert_eq!(
        server.kept("starts").as_deref(),
        Some("2"),
        "both run the module body"
    );
    assert_eq!(server.mock.recorded().chat_sends, ["loaded"]);
    let line = r#"{"eventType":"chat.message.received","payload":{"id":"1","body":"x"}}"#;
    let asked = server
        .runtime
        .filter("tried", line, testkit::DEADLINE)
        .await;
    assert_eq!(asked.as_deref(), Ok(r#"{"action":"pass"}"#));
    assert_eq!(server.mock.recorded().chat_sends, ["loaded", "timer 0"]);
    server.clock.advance(Duration::from_secs(1));
    eventually("the timer of the first instance fires", async || {
        let sends = server.mock.recorded().chat_sends;
        (sends.iter().filter(|one| *one == "timer").count() == 1).then_some(())
    })
    .await;
}
