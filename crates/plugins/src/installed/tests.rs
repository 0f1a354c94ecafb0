mod commands;
mod files;
mod included;
mod restart;
mod trouble;

use std::collections::BTreeMap;
use std::future::ready;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use store::DatabaseUrl;
use testkit::archive::{ZipEntry, zip};
use testkit::{ManualClock, eventually};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::permission::Permissions;

/// A fake loader that records its calls. A package with the code `fail` does not load, `panic` makes the loader panic,
/// and `slow` loads once it is allowed to.
#[derive(Debug)]
struct Fake {
    running: Mutex<BTreeMap<String, (String, Permissions)>>,
    loads: Mutex<Vec<String>>,
    /// The plugins passed to the last `retain`.
    retained: Mutex<Option<Vec<String>>>,
    /// Whether nothing can be loaded yet because the engine is being opened.
    is_opening: watch::Sender<bool>,
    /// How many slow loads may continue.
    may_go_on: Semaphore,
    /// Whether stopping a plugin panics too.
    panics_at_the_end: AtomicBool,
}

impl Default for Fake {
    fn default() -> Self {
        Self {
            running: Mutex::default(),
            loads: Mutex::default(),
            retained: Mutex::default(),
            is_opening: watch::Sender::default(),
            may_go_on: Semaphore::new(0),
            panics_at_the_end: AtomicBool::default(),
        }
    }
}

impl Fake {
    fn running(&self) -> Vec<String> {
        let running = self.running.lock().unwrap();
        let lines = running.iter();
        lines
            .map(|(slug, (version, granted))| {
                format!("{slug} {version} {}", granted.names().join(","))
            })
            .collect()
    }
}

impl Loader for Fake {
    fn try_load<'a>(&'a self, package: &'a Arc<Package>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            match package.code().unwrap().as_str() {
                "fail" => Err("Traceback: it fails".into()),
                "panic" => panic!("as asked"),
                _ => Ok(()),
            }
        })
    }

    fn load<'a>(
        &'a self,
        package: &'a Arc<Package>,
        granted: Permissions,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let manifest = package.manifest();
            let slug = manifest.slug.as_str().to_owned();
            self.loads.lock().unwrap().push(slug.clone());
            let mut opening = self.is_opening.subscribe();
            opening.wait_for(|is_opening| !is_opening).await.unwrap();
            self.try_load(package).await?;
            if package.code().unwrap() == "slow" {
                self.may_go_on.acquire().await.unwrap().forget();
            }
            let version = manifest.version.clone();
            self.running
                .lock()
                .unwrap()
                .insert(slug, (version, granted));
            Ok(())
        })
    }

    fn unload<'a>(&'a self, slug: &'a Slug) -> BoxFuture<'a, ()> {
        assert!(
            !self.panics_at_the_end.load(Ordering::Relaxed),
            "as asked as well"
        );
        Box::pin(async move {
            self.running.lock().unwrap().remove(slug.as_str());
        })
    }

    fn retain<'a>(&'a self, present: &'a [Slug]) -> BoxFuture<'a, ()> {
        let present = present.iter().map(Slug::to_string).collect();
        *self.retained.lock().unwrap() = Some(present);
        Box::pin(ready(()))
    }

    fn facts(&self, slug: &Slug) -> Option<RunFacts> {
        let is_running = self.running.lock().unwrap().contains_key(slug.as_str());
        is_running.then(|| RunFacts {
            is_running,
            ..RunFacts::default()
        })
    }
}

/// A data folder that survives restarts of the manager.
struct DataFolder {
    root: tempfile::TempDir,
    /// The included packages.
    included: Vec<Arc<Package>>,
}

/// A running plugin manager; dropping it stops the manager.
struct StartedManager {
    installed: InstalledPlugins,
    fake: Arc<Fake>,
    clock: ManualClock,
    _stop: tokio_util::sync::DropGuard,
}

impl DataFolder {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        Self {
            root,
            included: Vec::new(),
        }
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("plugins")
    }

    fn approved(&self) -> PathBuf {
        self.root.path().join("plugin-approved")
    }

    async fn start(&self) -> StartedManager {
        self.start_with(Arc::default()).await
    }

    async fn start_with(&self, fake: Arc<Fake>) -> StartedManager {
        let running = self.start_blindly(fake).await;
        running.installed.scan().await.unwrap();
        running
    }

    /// Starts even if the folder cannot be read.
    async fn start_blindly(&self, fake: Arc<Fake>) -> StartedManager {
        let url = DatabaseUrl::Sqlite(self.root.path().join("test.db"));
        let store = Store::open(&url, &self.root.path().join("secret.key"))
            .await
            .unwrap();
        let clock = ManualClock::default();
        let parts = ManagerParts {
            folder: self.folder(),
            approved: self.approved(),
            included: self.included.clone(),
            store,
            clock: Arc::new(clock.clone()),
            loader: Arc::clone(&fake) as Arc<dyn Loader>,
        };
        let (installed, manager) = InstalledPlugins::open(parts).await.unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(manager.run(stop.clone()));
        let _stop = stop.drop_guard();
        StartedManager {
            installed,
            fake,
            clock,
            _stop,
        }
    }

    /// Puts a file into the folder as an operator would.
    fn put(&self, file: &str, bytes: &[u8]) {
        std::fs::write(self.folder().join(file), bytes).unwrap();
    }

    fn files(&self) -> Vec<String> {
        names(&self.folder())
    }

    /// The files in the folder of approved copies.
    fn copies(&self) -> Vec<String> {
        names(&self.approved())
    }
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

impl StartedManager {
    fn entry(&self, slug: &str) -> Arc<InstalledPlugin> {
        self.installed.list().get(slug).cloned().unwrap()
    }

    /// The plugins passed to the last `retain`.
    fn retained(&self) -> Vec<String> {
        let retained = self.fake.retained.lock().unwrap();
        retained.clone().expect("it was told once at least")
    }

    async fn install(&self, bytes: Vec<u8>) -> Result<Arc<InstalledPlugin>, PluginManagerError> {
        self.installed.install(bytes.into(), InstallMode::New).await
    }
}

fn package(slug: &str, version: &str, permissions: &[&str], code: &str) -> Vec<u8> {
    let manifest = json!({
        "api": "1", "name": slug, "slug": slug, "version": version, "permissions": permissions,
        "config": { "speed": { "type": "number", "default": 3 }, "word": { "type": "string" } },
    });
    zip(&[
        ZipEntry::new("plugin.manifest.json", manifest.to_string().as_bytes()),
        ZipEntry::new("plugin.py", code.as_bytes()),
    ])
}
