//! An author's workshop: a plugin's folder becomes a package, and the plugin runs on a server that is not there.
//!
//! What runs is what a server runs: the same reader of packages, the same runtime with its limits, the same filters,
//! commands and events. Only the rest of the server is in memory: [`Bench`] answers with sample data and writes down what
//! the plugin does. `pack` makes packages, `watch` notices changes, `talk` is what happens in the chat.

mod bench;
mod pack;
mod sample;
mod services;
mod talk;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use model::Clock;
use tokio::runtime::Handle;
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;

pub use bench::{Bench, Journal, MAX_CHAT_LINES};
pub use pack::{PackError, Packed, pack};
pub use talk::{NotTold, Said};
pub use watch::Look;

use crate::dispatch::{Commands, tick};
use crate::engine::EngineState;
use crate::host::mock::{Given, Mock};
use crate::host::{Network, SqlPlace};
use crate::house::House;
use crate::manifest::Slug;
use crate::package::{MAX_PACKAGE_BYTES, Package, PackageError};
use crate::runtime::{Furnishings, Runtime};
use crate::shelf::Loader;

/// What a workshop is made of.
#[derive(Debug)]
pub struct Tools {
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
pub struct Workshop {
    runtime: Runtime,
    bench: Arc<Bench>,
    clock: Arc<dyn Clock>,
    commands: Mutex<Commands>,
}

impl Workshop {
    /// A workshop without a plugin. Plugins run on the runtime this is called on.
    #[must_use]
    pub fn new(tools: Tools) -> Self {
        let bench = Arc::new(Bench::new(tools.journal, Arc::clone(&tools.clock)));
        let runtime = Runtime::new(Furnishings {
            house: House::new(tools.engine, Handle::current()),
            services: Arc::<Bench>::clone(&bench),
            // Keys, settings and buttons: gone when the workshop closes.
            keeping: Mock::new(Given::default()),
            network: Arc::new(services::Watched::new(tools.network, Arc::clone(&bench))),
            clock: Arc::clone(&tools.clock),
            storage: tools.storage,
            sql: SqlPlace::Memory,
        });
        Self {
            runtime,
            bench,
            clock: tools.clock,
            commands: Mutex::default(),
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
        let manifest = package.manifest();
        let former = self.slug();
        if former.is_none() {
            // What it prints while it is loaded is written down under its name.
            self.bench.set_plugin(manifest.slug.clone());
        }
        self.runtime.load(package, manifest.permissions).await?;
        self.bench.set_plugin(manifest.slug.clone());
        if let Some(former) = former.filter(|former| *former != manifest.slug) {
            self.runtime.unload(&former).await;
        }
        Ok(())
    }

    /// Which plugin runs.
    #[must_use]
    pub fn slug(&self) -> Option<Slug> {
        self.bench.plugin()
    }

    /// The plugin, for those who serve its pages.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The server that is not there.
    #[must_use]
    pub fn bench(&self) -> &Arc<Bench> {
        &self.bench
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

    fn commands(&self) -> MutexGuard<'_, Commands> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A project in a folder, packed, or a package as it is. Blocks for a moment.
///
/// # Errors
/// What is missing, or what servers would refuse.
pub fn open(path: &Path) -> Result<Packed, PackError> {
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
    Ok(Packed {
        files: package.file_count(),
        remarks: package.remarks(),
        package: Arc::new(package),
        bytes,
    })
}
