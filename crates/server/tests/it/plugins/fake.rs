//! A fake plugin runtime: code that contains `fail` does not load, and the rest of a package's code decides what the
//! plugin answers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use plugins::engine::{CallError, CallKind};
use plugins::host::{SMALL_ANSWER_BYTES, SessionChange, SseHub};
use plugins::installed::{Loader, RunFacts};
use plugins::instances::AskError;
use plugins::manifest::{Action, Slug};
use plugins::package::Package;
use plugins::permission::Permissions;
use plugins::running::{RunningPlugin, RunningPlugins};
use plugins::runtime::HttpAnswer;
use serde_json::json;
use server::cli::Options;
use server::testing::TestServer;

use crate::http::PASSWORD;

#[derive(Debug, Default)]
pub(super) struct Fake {
    loaded: Mutex<BTreeMap<String, Arc<Pretender>>>,
    /// The subscribed pages.
    pub(super) hub: Arc<SseHub>,
    /// The calls that plugins received.
    pub(super) told: Arc<Mutex<Vec<String>>>,
    hangs: Arc<AtomicBool>,
}

/// A fake plugin. It answers a call of some kind with the text after `<kind>:` on a line of its code.
#[derive(Debug)]
struct Pretender {
    package: Arc<Package>,
    granted: Permissions,
    told: Arc<Mutex<Vec<String>>>,
    hangs: Arc<AtomicBool>,
}

/// A server with the fake plugin runtime.
pub(super) async fn server() -> TestServer {
    server_with(Options::default()).await
}

pub(super) async fn server_with(options: Options) -> TestServer {
    server_of(options, Arc::default()).await
}

pub(super) async fn server_of(options: Options, fake: Arc<Fake>) -> TestServer {
    let options = Options {
        admin_password: Some(PASSWORD.into()),
        ..options
    };
    TestServer::start_with_plugins(options, fake).await
}

impl Fake {
    /// Marks an enabled plugin as no longer running.
    pub(super) fn crash(&self, slug: &str) {
        self.loaded.lock().unwrap().remove(slug);
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
}

impl RunningPlugin for Pretender {
    fn package(&self) -> &Arc<Package> {
        &self.package
    }

    fn permissions(&self) -> Permissions {
        self.granted
    }

    fn ask(&self, kind: CallKind, input: String) -> BoxFuture<'_, Result<String, AskError>> {
        Box::pin(async move {
            if self.hangs.load(Ordering::Relaxed) {
                return std::future::pending().await;
            }
            let said = self.says(kind.name());
            match said.as_deref() {
                Some("raise") => Err(CallError::Raised("Traceback".into()).into()),
                Some("never") => std::future::pending().await,
                Some("echo") => Ok(input),
                other => Ok(other.unwrap_or_default().to_owned()),
            }
        })
    }

    fn http(&self, request: String) -> BoxFuture<'_, Result<HttpAnswer, AskError>> {
        Box::pin(async move {
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
            Ok(HttpAnswer { text, session })
        })
    }

    fn tell(&self, event: &str, payload: &str) {
        self.told.lock().unwrap().push(format!("{event} {payload}"));
    }

    fn added_actions(&self) -> BoxFuture<'_, Vec<Action>> {
        let said = self.says("actions");
        let actions = said.map(|said| serde_json::from_str(&said).unwrap());
        Box::pin(async move { actions.unwrap_or_default() })
    }
}

impl RunningPlugins for Fake {
    fn running_plugin(&self, slug: &str) -> Option<Arc<dyn RunningPlugin>> {
        let found = self.loaded.lock().unwrap().get(slug).cloned();
        found.map(|guest| guest as Arc<dyn RunningPlugin>)
    }

    fn running_plugins(&self) -> Vec<Arc<dyn RunningPlugin>> {
        let loaded = self.loaded.lock().unwrap();
        let all = loaded.values().cloned();
        all.map(|guest| guest as Arc<dyn RunningPlugin>).collect()
    }

    fn streams(&self) -> &Arc<SseHub> {
        &self.hub
    }
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
            let guest = Pretender {
                package: Arc::clone(package),
                granted,
                told: Arc::clone(&self.told),
                hangs: Arc::clone(&self.hangs),
            };
            let slug = package.manifest().slug.to_string();
            self.loaded.lock().unwrap().insert(slug, Arc::new(guest));
            Ok(())
        })
    }

    fn unload<'a>(&'a self, slug: &'a Slug) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.loaded.lock().unwrap().remove(slug.as_str());
        })
    }

    fn facts(&self, slug: &Slug) -> Option<RunFacts> {
        let is_running = self.loaded.lock().unwrap().contains_key(slug.as_str());
        is_running.then(|| RunFacts {
            is_running,
            memory_bytes: 7_000_000,
            ..RunFacts::default()
        })
    }
}
