//! Plugins without an engine: code that contains `fail` does not load, and the rest of a package's code decides what the
//! plugin answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use plugins::engine::{CallError, CallKind, Registration};
use plugins::host::{HostCalls, SMALL_ANSWER_BYTES, SessionChange, SseHub};
use plugins::installed::{Loader, RunFacts};
use plugins::instances::{AskError, CallOutput, Mail};
use plugins::manifest::Slug;
use plugins::package::Package;
use plugins::permission::Permissions;
use plugins::runtime::Runtime;
use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;

use crate::http::PASSWORD;

#[derive(Debug, Default)]
pub(super) struct Fake {
    /// The server's runtime.
    runtime: OnceLock<Runtime>,
    /// The calls that plugins received.
    pub(super) told: Arc<Mutex<Vec<String>>>,
    hangs: Arc<AtomicBool>,
}

/// A fake plugin. It answers a call of some kind with the text after `<kind>:` on a line of its code.
struct Pretender {
    package: Arc<Package>,
    told: Arc<Mutex<Vec<String>>>,
    hangs: Arc<AtomicBool>,
    /// Calls that are never answered.
    unanswered: Vec<Mail>,
}

/// A server whose plugins are fake.
pub(super) async fn server() -> TestServer {
    server_with(Options::default()).await
}

pub(super) async fn server_with(options: Options) -> TestServer {
    server_of(options, Arc::default()).await
}

pub(super) async fn server_of(options: Options, fake: Arc<Fake>) -> TestServer {
    server_in(tempfile::tempdir().unwrap(), options, fake).await
}

pub(super) async fn server_in(
    folder: tempfile::TempDir,
    options: Options,
    fake: Arc<Fake>,
) -> TestServer {
    let options = Options {
        admin_password: Some(PASSWORD.into()),
        ..options
    };
    let loader = move |runtime: &Runtime| {
        let known = fake.runtime.set(runtime.clone());
        known.expect("each server has its own");
        fake as Arc<dyn Loader>
    };
    TestServer::start_in_with_plugins(folder, options, loader).await
}

impl Fake {
    fn runtime(&self) -> &Runtime {
        self.runtime.get().expect("a server that was started")
    }

    /// The subscribed pages.
    pub(super) fn hub(&self) -> &Arc<SseHub> {
        self.runtime().streams()
    }

    /// Ends a plugin that stays enabled.
    pub(super) async fn crash(&self, slug: &str) {
        self.runtime().unload(&Slug::parse(slug).unwrap()).await;
    }

    /// From now on no plugin answers requests for content, or all do again.
    pub(super) fn hang(&self, hangs: bool) {
        self.hangs.store(hangs, Ordering::Relaxed);
    }

    /// Waits until a plugin received a call that starts with this.
    pub(super) async fn heard(&self, begins: &str) -> String {
        loop {
            let told = self.told.lock().unwrap().clone();
            let mut told = told.into_iter();
            if let Some(found) = told.find(|one| one.starts_with(begins)) {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Pretender {
    fn says(&self, kind: &str) -> Option<String> {
        let code = self.package.code().unwrap();
        let mut lines = code.lines().filter_map(|line| line.split_once(':'));
        let said = lines.find(|(word, _)| *word == kind);
        said.map(|(_, rest)| rest.trim().to_owned())
    }

    fn take(&mut self, mail: Mail) {
        let answer = match mail.kind {
            CallKind::Event => {
                self.hear(&mail.input);
                Some(Ok(CallOutput::default()))
            }
            CallKind::Http => Some(self.serve(&mail.input)),
            kind => self.contribute(kind, &mail.input),
        };
        match answer {
            Some(answer) => mail.answer(answer),
            None => self.unanswered.push(mail),
        }
    }

    fn hear(&self, envelope: &str) {
        let event: Value = serde_json::from_str(envelope).unwrap();
        let (name, payload) = (event["eventType"].as_str().unwrap(), &event["payload"]);
        self.told.lock().unwrap().push(format!("{name} {payload}"));
    }

    fn contribute(&self, kind: CallKind, input: &str) -> Option<Result<CallOutput, AskError>> {
        if self.hangs.load(Ordering::Relaxed) {
            return None;
        }
        let text = match self.says(kind.name()).as_deref() {
            Some("raise") => return Some(Err(CallError::Raised("Traceback".into()).into())),
            Some("never") => return None,
            Some("echo") => input.to_owned(),
            other => other.unwrap_or_default().to_owned(),
        };
        let session = Vec::new();
        Some(Ok(CallOutput { text, session }))
    }

    fn serve(&self, request: &str) -> Result<CallOutput, AskError> {
        self.told.lock().unwrap().push(format!("http {request}"));
        let mut session = Vec::new();
        let text = match self.says("http").unwrap_or_default().as_str() {
            "raise" => return Err(CallError::Raised("Traceback".into()).into()),
            "late" => return Err(AskError::Late),
            "not now" => return Err(AskError::NotRunning),
            "echo" => json!({ "body": request }).to_string(),
            "end" => {
                session.push(SessionChange::End);
                "{}".to_owned()
            }
            "end at length" => {
                session.push(SessionChange::End);
                json!({ "body": "a".repeat(SMALL_ANSWER_BYTES + 1) }).to_string()
            }
            grant if grant.starts_with("grant ") && request.contains("/logout") => {
                session.push(SessionChange::End);
                "{}".to_owned()
            }
            grant if grant.starts_with("grant ") => {
                session.push(SessionChange::Grant {
                    token: model::Secret::new(&grant[6..]),
                    ttl: Duration::from_secs(60),
                });
                r#"{"status":302,"headers":{"Location":"/"}}"#.to_owned()
            }
            other => other.to_owned(),
        };
        Ok(CallOutput { text, session })
    }
}

/// What every fake plugin subscribes to.
fn registration() -> Registration {
    let events = json!([{ "event": "sse.connect" }, { "event": "sse.disconnect" }]);
    serde_json::from_value(json!({ "subscriptions": { "notify": events } })).unwrap()
}

impl Loader for Fake {
    fn try_load<'a>(&'a self, package: &'a Arc<Package>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let code = package.code().map_err(|error| error.to_string())?;
            if code.contains("fail") {
                return Err("Traceback: line 1".into());
            }
            Ok(())
        })
    }

    fn load<'a>(
        &'a self,
        package: &'a Arc<Package>,
        granted: Permissions,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            self.try_load(package).await?;
            let mut plugin = Pretender {
                package: Arc::clone(package),
                told: Arc::clone(&self.told),
                hangs: Arc::clone(&self.hangs),
                unanswered: Vec::new(),
            };
            let actions = plugin.says("actions");
            let answer = move |mail| plugin.take(mail);
            let loaded = self
                .runtime()
                .load_scripted(package, granted, registration(), answer);
            let host = loaded.await?;
            if let Some(actions) = actions {
                let arguments = format!(r#"{{"actions":{actions}}}"#);
                // Not every plugin that tries may.
                host.call("add_actions", &arguments).await.ok();
            }
            Ok(())
        })
    }

    fn unload<'a>(&'a self, slug: &'a Slug) -> BoxFuture<'a, ()> {
        self.runtime().unload(slug)
    }

    fn facts(&self, slug: &Slug) -> Option<RunFacts> {
        let running = self.runtime().running_plugin(slug.as_str());
        running.map(|_| RunFacts {
            is_running: true,
            memory_bytes: 7_000_000,
            ..RunFacts::default()
        })
    }
}
