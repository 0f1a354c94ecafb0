//! The installed plugins: which there are, which of them are to run, and with which permissions.
//!
//! Packages come with the server or lie in a folder; of two with the same slug the one in the folder counts.
//!
//! One task, the [`PluginManager`], owns that; [`InstalledPlugins`] is the handle to it, and its [`PluginList`] shows the state of
//! all. The folder is looked at every two seconds. A file is never enabled by itself, and a newer one that asks for
//! more than the operator agreed to waits while the older one runs on, also after a restart: what runs with the operator's
//! approval is kept as a copy.

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

/// What the installed plugins are opened with.
#[derive(Debug)]
pub struct ManagerParts {
    /// The folder of packages; it is made when it is missing.
    pub folder: PathBuf,
    /// The folder of copies of packages that run with the operator's approval; it is made when it is missing.
    pub approved: PathBuf,
    /// The packages that come with the server; a file with the same slug counts instead of one.
    pub included: Vec<Arc<Package>>,
    /// Where decisions are kept.
    pub store: Store,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    pub loader: Arc<dyn Loader>,
}

/// Whether a package may take the place of an installed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallMode {
    /// Only a slug that is not there yet.
    New,
    /// Also a newer version of one that is there; what the operator agreed to still counts.
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
    /// Looks at the folder and the decisions once, so that the list is right from the start; nothing is loaded before
    /// the manager runs.
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

    /// Wakes when something about them changes.
    pub fn list_changes(&self) -> watch::Receiver<Arc<PluginList>> {
        self.list.clone()
    }

    /// How a plugin is doing; `None` when it is not loaded.
    pub fn facts(&self, slug: &Slug) -> Option<RunFacts> {
        self.loader.facts(slug)
    }

    /// The plugin is to run with all that its package asks for; loads it.
    pub async fn enable(&self, slug: &str) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Enable(slug.to_owned())).await
    }

    /// Agrees to what the newest package asks for beyond the former; loads it.
    pub async fn approve(&self, slug: &str) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Approve(slug.to_owned())).await
    }

    /// The plugin is not to run any more.
    pub async fn disable(&self, slug: &str) -> Result<(), PluginManagerError> {
        let (installed, slug) = (self.clone(), slug.to_owned());
        // To its end, even when nobody waits for it any more: what was unloaded is not left enabled.
        let disabling = tokio::spawn(async move {
            // It stops now: the manager may be busy with one that takes its time to load.
            let list = installed.list();
            if let Some(entry) = list.get(&slug).filter(|entry| entry.is_enabled) {
                installed.loader.unload(&entry.slug).await;
            }
            installed.send(ManagerCommand::Disable(slug)).await
        });
        disabling.await.map_err(|_| PluginManagerError::Stopping)?
    }

    /// Reads the file again and loads it anew.
    pub async fn reload(&self, slug: &str) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Reload(slug.to_owned())).await
    }

    /// Ends the plugin, forgets what was approved and deletes the file. What it kept stays. A package that comes with the
    /// server and had the file in front of it is back then, and not enabled.
    pub async fn uninstall(&self, slug: &str) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Uninstall(slug.to_owned())).await
    }

    /// Looks at the folder now.
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

    /// How much the plugin's sign-in guards.
    pub async fn set_access_mode(
        &self,
        slug: &str,
        mode: AccessMode,
    ) -> Result<(), PluginManagerError> {
        self.send(ManagerCommand::Access(slug.to_owned(), mode))
            .await
    }

    /// Checks a package to the last byte, tries to load it, and puts it into the folder; it is not enabled by that.
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
        // Outside of the manager's task: other commands do not wait for a slow plugin.
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

/// Work with files, away from the runtime's threads.
async fn blocking<T: Send + 'static, E: From<std::io::Error> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(std::io::Error::other(error).into()))
}
