//! The plugin author's development server: packs a plugin's folder and runs the plugin on an in-memory server.
//!
//! A plugin runs here with the same parts as on a real server: the same package reader, the same runtime with its
//! limits, the same filters, commands and events. Only the rest of the server is in memory: [`SampleServer`] answers
//! with sample data and records what the plugin does. `pack` makes packages, `watch` notices changes, `chat` is the
//! chat, `notes` and `stored_data` are what the author can look at.

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
use plugins::dispatch::{Commands, RunningPlugins, tick};
use plugins::engine::{EngineState, Registration};
use plugins::host::{Level, Network, SqlStorage};
use plugins::installed::{Loader, RunFacts};
use plugins::instances::PluginInstances;
use plugins::manifest::Slug;
use plugins::package::{MAX_PACKAGE_BYTES, Package, PackageError};
use plugins::runtime::{Runtime, RuntimeParts};
use tokio::runtime::Handle;
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;

pub use chat::{EventError, LineOutcome};
pub use notes::{MAX_NOTES, Note};
pub use pack::{BuiltPackage, PackError, pack};
pub use sample_server::{ChangeCounters, LoadFailure, LoadStatus, MAX_CHAT_LINES, SampleServer};
pub use stored_data::{MAX_SHOWN_FILES, MAX_SHOWN_KEYS, StoredData, StoredFile, StoredValue};
pub use watch::FileSnapshot;

use plugin_data::InMemoryPluginData;

/// Every event a plugin can be told of, with a payload to begin with: a JSON list of `event`, `payload` and the
/// permission it needs, if any.
pub const SAMPLES: &str = include_str!("dev_server/samples.json");

#[derive(Debug)]
pub struct DevServerParts {
    /// The engine that plugins run in.
    pub engine: Receiver<EngineState>,
    /// Outbound network access: a plugin's requests are real.
    pub network: Arc<dyn Network>,
    pub clock: Arc<dyn Clock>,
    /// Where plugins store their files.
    pub storage: PathBuf,
    /// Logs an event, as one line.
    pub journal: fn(&str),
}

/// A server that runs one plugin.
#[derive(Debug)]
pub struct DevServer {
    runtime: Runtime,
    sample_server: Arc<SampleServer>,
    plugin_data: Arc<InMemoryPluginData>,
    clock: Arc<dyn Clock>,
    storage: PathBuf,
    commands: Mutex<Commands>,
    /// The package loaded last.
    package: Mutex<Option<Arc<Package>>>,
}

impl DevServer {
    /// A development server without a plugin. Plugins run on the current Tokio runtime.
    #[must_use]
    pub fn new(parts: DevServerParts) -> Self {
        let sample_server = Arc::new(SampleServer::new(parts.journal, Arc::clone(&parts.clock)));
        // Keys, settings and buttons: lost when the server stops.
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

    /// Whether a server would accept the package: loads its code and compares it with its manifest, without side
    /// effects.
    ///
    /// # Errors
    /// When something is wrong with it.
    pub async fn check(&self, package: &Arc<Package>) -> Result<(), String> {
        self.runtime.try_load(package).await
    }

    /// Runs a package with all the permissions it asks for. A running plugin is replaced if the new one starts.
    ///
    /// # Errors
    /// When it does not start.
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

    /// Reacts to changed files: loads the new package, or logs why it cannot.
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
                let line = "reloaded: its files have changed";
                self.sample_server.write(Level::Info, "load", line);
            }
            Err(why) => {
                let line = format!("not reloaded, the old version keeps running: {why}");
                self.sample_server.write(Level::Error, "load", &line);
            }
        }
    }

    async fn replace(&self, package: &Arc<Package>) -> Result<(), String> {
        let manifest = package.manifest();
        let former = self.slug();
        if former.is_none() {
            // Its output while loading is logged under its name.
            self.sample_server.set_plugin(manifest.slug.clone());
        }
        self.runtime.load(package, manifest.permissions).await?;
        self.sample_server.set_plugin(manifest.slug.clone());
        if let Some(former) = former.filter(|former| *former != manifest.slug) {
            self.runtime.unload(&former).await;
        }
        Ok(())
    }

    /// The slug of the running plugin.
    #[must_use]
    pub fn slug(&self) -> Option<Slug> {
        self.sample_server.plugin()
    }

    /// The package loaded last, whether it is running or has crashed.
    #[must_use]
    pub fn package(&self) -> Option<Arc<Package>> {
        self.last_package().clone()
    }

    /// The plugin's state; `None` before one was loaded.
    #[must_use]
    pub fn facts(&self) -> Option<RunFacts> {
        self.runtime.facts(&self.slug()?)
    }

    /// The running plugin's registration.
    #[must_use]
    pub fn registration(&self) -> Option<Arc<Registration>> {
        let slug = self.slug()?;
        let listeners = self.runtime.loaded();
        let mut listeners = listeners.iter();
        let listener = listeners.find(|listener| *listener.slug == *slug.as_str());
        listener.map(|listener| Arc::clone(&listener.registration))
    }

    /// The runtime, for serving the plugin's pages.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The in-memory server.
    #[must_use]
    pub fn sample_server(&self) -> &Arc<SampleServer> {
        &self.sample_server
    }

    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Runs timers and ticks until `stop`, then ends the plugin.
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

/// Packs a project folder, or reads a package. Blocks for a moment.
///
/// # Errors
/// When something is missing, or a server would reject it.
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
    use plugins::dispatch::is_built_in;
    use plugins::host::wire::ChatMessage;
    use plugins::permission::Permission;

    #[test]
    fn there_is_a_sample_of_every_event_a_plugin_is_told_of() {
        let samples: Vec<Value> = serde_json::from_str(SAMPLES).unwrap();
        let names: BTreeSet<&str> = samples
            .iter()
            .map(|sample| sample["event"].as_str().unwrap())
            .collect();
        // All built-in events except the two that only the server can create: `chat.command` and `timer.fire`.
        assert_eq!((names.len(), samples.len()), (21, 21));
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
