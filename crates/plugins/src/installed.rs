//! The installed plugins, which of them are enabled, and with which permissions.
//!
//! Packages are included with the server or are files in a folder; of two with the same slug, the file takes
//! precedence.
//!
//! One task, the [`PluginManager`], owns this state; [`InstalledPlugins`] is the handle to it, and its [`PluginList`]
//! shows the state of all plugins. The folder is scanned every two seconds. A new file is never enabled automatically,
//! and a newer one that asks for more than the operator approved waits while the older one runs on, even after a
//! restart: approved packages are kept as copies.

mod approved;
mod catch_panic;
mod error;
mod folder;
mod list;
mod loader;
mod manager;
mod scan;
mod settings;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use model::Clock;
use serde_json::{Map, Value};
use store::Store;
use tokio::sync::{mpsc, oneshot, watch};

pub use error::PluginManagerError;
pub use folder::{MAX_PLUGINS, SUFFIX};
pub use list::{AccessMode, InstalledPlugin, PluginList, UnusableFile};
pub use loader::{CallFacts, Loader, RunFacts};
pub use manager::PluginManager;
pub use settings::effective;

use crate::manifest::Slug;
use crate::package::Package;
use catch_panic::CatchPanic;
use manager::{ManagerCommand, ManagerRequest};

/// Commands that wait for the manager; the next one waits until there is space,
/// which only slows the operator who sent so many.
const MAX_PENDING_COMMANDS: usize = 32;

#[derive(Debug)]
pub struct ManagerParts {
    /// The folder of packages; created if missing.
    pub folder: PathBuf,
    /// The folder of copies of approved packages; created if missing.
    pub approved: PathBuf,
    /// The included packages; a file with the same slug takes precedence.
    pub included: Vec<Arc<Package>>,
    /// Where the operator's decisions are stored.
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub loader: Arc<dyn Loader>,
}

/// Whether a package may replace an installed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallMode {
    /// Only accept a new slug.
    New,
    /// Also accept a newer version of an installed plugin; the operator's approval remains.
    Replace,
}

/// A cloneable handle to the [`PluginManager`].
#[derive(Clone, Debug)]
pub struct InstalledPlugins {
    inbox: mpsc::Sender<ManagerRequest>,
    list: watch::Receiver<Arc<PluginList>>,
    loader: Arc<dyn Loader>,
}

impl InstalledPlugins {
    /// Scans the folder and reads the decisions once, so that the list is right from the start; nothing is loaded
    /// before the manager runs.
    pub async fn open(parts: ManagerParts) -> Result<(Self, PluginManager), PluginManagerError> {
        let parts = ManagerParts {
            loader: Arc::new(CatchPanic(parts.loader)),
            ..parts
        };
        let (inbox, commands) = mpsc::channel(MAX_PENDING_COMMANDS);
        let (list, seen) = watch::channel(Arc::default());
        let loader = Arc::clone(&parts.loader);
        let manager = PluginManager::open(parts, commands, list).await?;
        let installed = Self {
            inbox,
            list: seen,
            loader,
        };
        Ok((installed, manager))
    }

    /// All plugins with their states.
    pub fn list(&self) -> Arc<PluginList> {
        Arc::clone(&self.list.borrow())
    }

    /// Signals every change of the list.
    pub fn list_changes(&self) -> watch::Receiver<Arc<PluginList>> {
        self.list.clone()
    }

    /// A plugin's run-time state; `None` if it is not loaded.
    pub fn facts(&self, slug: &Slug) -> Option<RunFacts> {
        self.loader.facts(slug)
    }

    /// Enables a plugin with all the permissions its package asks for, and loads it.
    pub async fn enable(&self, slug: &str) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Enable(slug.to_owned())).await
    }

    /// Approves the additional permissions of the newest package, and loads it.
    pub async fn approve(&self, slug: &str) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Approve(slug.to_owned())).await
    }

    pub async fn disable(&self, slug: &str) -> Result<(), PluginManagerError> {
        let (installed, slug) = (self.clone(), slug.to_owned());
        // Runs to completion even if nobody waits any more: an unloaded plugin must not stay enabled.
        let disabling = tokio::spawn(async move {
            // Stop the plugin now: the manager may be busy with a slow load.
            let list = installed.list();
            if let Some(entry) = list.get(&slug).filter(|entry| entry.is_enabled) {
                installed.loader.unload(&entry.slug).await;
            }
            installed.send(ManagerCommand::Disable(slug)).await
        });
        disabling.await.map_err(|_| PluginManagerError::Stopping)?
    }

    /// Reads the file again and reloads the plugin.
    pub async fn reload(&self, slug: &str) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Reload(slug.to_owned())).await
    }

    /// Stops the plugin, forgets the approval and deletes the file. The plugin's stored data stays. An included package
    /// that the file replaced comes back, not enabled.
    pub async fn uninstall(&self, slug: &str) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Uninstall(slug.to_owned())).await
    }

    /// Scans the folder now.
    pub async fn scan(&self) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Scan).await
    }

    /// Replaces the operator's values for a plugin's settings.
    pub async fn set_config(
        &self,
        slug: &str,
        values: Map<String, Value>,
    ) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Config(slug.to_owned(), values))
            .await
    }

    /// Sets how much the plugin's gate guards.
    pub async fn set_access_mode(
        &self,
        slug: &str,
        mode: AccessMode,
    ) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Access(slug.to_owned(), mode))
            .await
    }

    /// Checks a package completely, tries to load it, and puts it into the folder; this does not enable it.
    pub async fn install(
        &self,
        bytes: Bytes,
        how: InstallMode,
    ) -> Result<Arc<InstalledPlugin>, PluginManagerError> {
        let held = bytes.clone();
        let package = blocking(move || {
            let package = Package::from_bytes(held)?;
            package.check_every_entry()?;
            Ok::<_, PluginManagerError>(Arc::new(package))
        })
        .await?;
        let slug = package.manifest().slug.clone();
        let list = self.list();
        let there = list.get(slug.as_str());
        if how == InstallMode::New && there.is_some_and(|entry| entry.has_file()) {
            return Err(PluginManagerError::Installed(slug));
        }
        // Outside the manager's task, so that other commands do not wait for a slow plugin.
        let tried = self.loader.try_load(&package).await;
        tried.map_err(PluginManagerError::Load)?;
        self.send(ManagerCommand::Install(slug.clone(), bytes, how))
            .await?;
        let list = self.list();
        let entry = list.get(slug.as_str()).cloned();
        entry.ok_or(PluginManagerError::Missing(slug))
    }

    async fn send(&self, command: ManagerCommand) -> Result<(), PluginManagerError> {
        let (answer, answered) = oneshot::channel();
        let sent = self.inbox.send(ManagerRequest { command, answer }).await;
        sent.map_err(|_| PluginManagerError::Stopping)?;
        answered.await.map_err(|_| PluginManagerError::Stopping)?
    }
}

/// Runs file operations off the runtime's threads.
async fn blocking<T: Send + 'static, E: From<std::io::Error> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(std::io::Error::other(error).into()))
}
