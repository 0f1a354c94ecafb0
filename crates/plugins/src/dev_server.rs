//! The development server of a plugin's author: a plugin's folder becomes a package, and the plugin runs on a server in memory.
//!
//! What runs is what a server runs: the same reader of packages, the same runtime with its limits, the same filters,
//! commands and events. Only the rest of the server is in memory: [`SampleServer`] answers with sample data and writes down what
//! the plugin does. `pack` makes packages, `watch` notices changes, `chat` is what happens in the chat, `notes` and
//! `stored_data` are what the author can look at.

mod chat;
mod notes;
mod pack;
mod plugin_data;
mod sample;
mod sample_server;
mod services;
mod stored_data;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use model::Clock;
use tokio::runtime::Handle;
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;

pub use chat::{EventError, LineOutcome};
pub use notes::{MAX_NOTES, Note};
pub(crate) use pack::archive;
pub use pack::{BuiltPackage, PackError, pack};
pub use sample_server::{
    ChangeCounters, Journal, LoadFailure, LoadStatus, MAX_CHAT_LINES, SampleServer,
};
pub use stored_data::{MAX_SHOWN_FILES, MAX_SHOWN_KEYS, StoredData, StoredFile, StoredValue};
pub use watch::FileSnapshot;

use crate::dispatch::{Commands, EventListeners, tick};
use crate::engine::{EngineState, Registration};
use crate::host::{Level, Network, SqlStorage};
use crate::installed::{Loader, RunFacts};
use crate::instances::PluginInstances;
use crate::manifest::Slug;
use crate::package::{MAX_PACKAGE_BYTES, Package, PackageError};
use crate::runtime::{Runtime, RuntimeParts};
use plugin_data::InMemoryPluginData;

/// Every event a plugin can be told of, with a payload to begin with: a JSON list of `event`, `payload` and the
/// permission it needs, if any.
pub const SAMPLES: &str = include_str!("dev_server/samples.json");

/// What a development server is made of.
#[derive(Debug)]
pub struct DevServerParts {
    /// What plugins run in.
    pub engine: Receiver<EngineState>,
    /// The way out: requests of plugins are real.
    pub network: Arc<dyn Network>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where a plugin's files are kept.
    pub storage: PathBuf,
    /// Where it is written what happens.
    pub journal: Arc<dyn Journal>,
}

/// A place where one plugin runs.
#[derive(Debug)]
pub struct DevServer {
    runtime: Runtime,
    sample_server: Arc<SampleServer>,
    plugin_data: Arc<InMemoryPluginData>,
    clock: Arc<dyn Clock>,
    storage: PathBuf,
    commands: Mutex<Commands>,
    /// What was loaded last.
    package: Mutex<Option<Arc<Package>>>,
}

impl DevServer {
    /// A development server without a plugin. Plugins run on the runtime this is called on.
    #[must_use]
    pub fn new(parts: DevServerParts) -> Self {
        let sample_server = Arc::new(SampleServer::new(parts.journal, Arc::clone(&parts.clock)));
        // Keys, settings and buttons: gone when the server stops.
        let plugin_data = Arc::new(InMemoryPluginData::new(Arc::clone(&sample_server)));
        let runtime = Runtime::new(RuntimeParts {
            instances: PluginInstances::new(
                parts.engine,
                Handle::current(),
                Arc::clone(&parts.clock),
            ),
            services: Arc::<SampleServer>::clone(&sample_server),
            plugin_data: Arc::<InMemoryPluginData>::clone(&plugin_data),
            network: Arc::new(services::LoggedNetwork::new(
                parts.network,
                Arc::clone(&sample_server),
            )),
            clock: Arc::clone(&parts.clock),
            storage: parts.storage.clone(),
            code: None,
            sql: SqlStorage::Memory,
        });
        Self {
            runtime,
            sample_server,
            plugin_data,
            clock: parts.clock,
            storage: parts.storage,
            commands: Mutex::default(),
            package: Mutex::default(),
        }
    }

    /// Whether servers would take the package: its code is loaded and compared with its manifest, without any effect.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn check(&self, package: &Arc<Package>) -> Result<(), String> {
        self.runtime.try_load(package).await
    }

    /// Runs a package with everything it asks for. One that runs already is replaced if the new one starts.
    ///
    /// # Errors
    /// Why it does not start.
    pub async fn load(&self, package: &Arc<Package>) -> Result<(), String> {
        let outcome = self.replace(package).await;
        match &outcome {
            Ok(()) => {
                *self.last_package() = Some(Arc::clone(package));
                self.sample_server.loaded();
            }
            Err(why) => self.sample_server.not_loaded(why),
        }
        outcome
    }

    /// The plugin's files have changed: what became of them is loaded, or it is written down why not.
    pub async fn reload(&self, opened: Result<Arc<Package>, String>) {
        let outcome = match opened {
            Ok(package) => self.load(&package).await,
            Err(why) => {
                self.sample_server.not_loaded(&why);
                Err(why)
            }
        };
        match outcome {
            Ok(()) => {
                let line = "loaded again: its files have changed";
                self.sample_server.write(Level::Info, "load", line);
            }
            Err(why) => {
                let line = format!("not loaded again, the former one goes on: {why}");
                self.sample_server.write(Level::Error, "load", &line);
            }
        }
    }

    async fn replace(&self, package: &Arc<Package>) -> Result<(), String> {
        let manifest = package.manifest();
        let former = self.slug();
        if former.is_none() {
            // What it prints while it is loaded is written down under its name.
            self.sample_server.set_plugin(manifest.slug.clone());
        }
        self.runtime.load(package, manifest.permissions).await?;
        self.sample_server.set_plugin(manifest.slug.clone());
        if let Some(former) = former.filter(|former| *former != manifest.slug) {
            self.runtime.unload(&former).await;
        }
        Ok(())
    }

    /// Which plugin runs.
    #[must_use]
    pub fn slug(&self) -> Option<Slug> {
        self.sample_server.plugin()
    }

    /// What was loaded last, whether it runs now or has crashed.
    #[must_use]
    pub fn package(&self) -> Option<Arc<Package>> {
        self.last_package().clone()
    }

    /// How the plugin is doing; `None` before one was loaded.
    #[must_use]
    pub fn facts(&self) -> Option<RunFacts> {
        self.runtime.facts(&self.slug()?)
    }

    /// What the plugin registered, while it runs.
    #[must_use]
    pub fn registration(&self) -> Option<Arc<Registration>> {
        let slug = self.slug()?;
        let listeners = self.runtime.loaded();
        let mut listeners = listeners.iter();
        let listener = listeners.find(|listener| *listener.slug == *slug.as_str());
        listener.map(|listener| Arc::clone(&listener.registration))
    }

    /// The plugin, for those who serve its pages.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The server in memory.
    #[must_use]
    pub fn sample_server(&self) -> &Arc<SampleServer> {
        &self.sample_server
    }

    /// Time.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Lets time pass for the plugin, until `stop`; then it ends.
    pub async fn run(&self, stop: CancellationToken) {
        let listeners = Arc::new(self.runtime.clone());
        tick(listeners, Arc::clone(&self.clock), stop).await;
        self.runtime.close().await;
    }

    fn last_package(&self) -> MutexGuard<'_, Option<Arc<Package>>> {
        self.package.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn commands(&self) -> MutexGuard<'_, Commands> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A project in a folder, packed, or a package as it is. Blocks for a moment.
///
/// # Errors
/// What is missing, or what servers would refuse.
pub fn open(path: &Path) -> Result<BuiltPackage, PackError> {
    if path.is_dir() {
        return pack(path);
    }
    let unreadable = |error| PackError::Unreadable(path.to_owned(), error);
    let facts = std::fs::metadata(path).map_err(unreadable)?;
    if facts.len() > MAX_PACKAGE_BYTES {
        return Err(PackageError::TooLarge.into());
    }
    let bytes = Bytes::from(std::fs::read(path).map_err(unreadable)?);
    let package = Package::from_bytes(bytes.clone())?;
    package.check_every_entry()?;
    Ok(BuiltPackage {
        files: package.file_count(),
        remarks: package.remarks(),
        package: Arc::new(package),
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::SAMPLES;
    use crate::dispatch::is_built_in;
    use crate::host::wire::ChatMessage;
    use crate::permission::Permission;

    #[test]
    fn there_is_a_sample_of_every_event_a_plugin_is_told_of() {
        let samples: Vec<Value> = serde_json::from_str(SAMPLES).unwrap();
        let names: BTreeSet<&str> = samples
            .iter()
            .map(|sample| sample["event"].as_str().unwrap())
            .collect();
        // All of the server's own but the two that only the server can make sense of: `chat.command`, `timer.fire`.
        assert_eq!((names.len(), samples.len()), (18, 18));
        assert!(names.iter().all(|name| is_built_in(name)), "{names:?}");
        assert!(!names.contains("chat.command") && !names.contains("timer.fire"));
        for sample in &samples {
            assert!(sample["payload"].is_object(), "{sample}");
            if let Some(needed) = sample["needs"].as_str() {
                assert!(Permission::parse(needed).is_some(), "{sample}");
            }
        }
        let line = samples
            .iter()
            .find(|sample| sample["event"] == "chat.message.received");
        let line: ChatMessage = serde_json::from_value(line.unwrap()["payload"].clone()).unwrap();
        assert_eq!(line.body, "good evening");
    }
}
