//! The one task that manages plugins.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, Value};
use store::Lease;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::folder::{self, FileStamp};
use super::{
    AccessMode, InstallMode, InstalledPlugin, ManagerParts, PluginList, PluginManagerError,
    UnusableFile, approved, blocking, settings,
};
use crate::manifest::Slug;
use crate::permission::{Permission, Permissions};

/// How often the folder is looked at: soon enough for an author who copies files there.
const SCAN_INTERVAL: Duration = Duration::from_secs(2);

/// How often a server that does not run plugins asks what was decided about them: a sign-in counts everywhere soon.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// A command of the operator.
#[derive(Debug)]
pub(super) enum ManagerCommand {
    Enable(String),
    Approve(String),
    Disable(String),
    Reload(String),
    Uninstall(String),
    Install(Slug, Bytes, InstallMode),
    Config(String, Map<String, Value>),
    Access(String, AccessMode),
    Scan,
}

/// A command, and where to send its result.
#[derive(Debug)]
pub(super) struct ManagerRequest {
    pub(super) command: ManagerCommand,
    pub(super) answer: oneshot::Sender<Result<(), PluginManagerError>>,
}

/// A file in the folder as last seen.
#[derive(Debug)]
pub(super) struct ScannedFile {
    /// `None` if it must be read again.
    pub(super) stamp: Option<FileStamp>,
    /// The plugin it belongs to; `None` if it is unusable.
    pub(super) owner: Option<Slug>,
    /// The plugin that another file already provides.
    pub(super) duplicate_of: Option<Slug>,
    /// Why it is not used, for the operator.
    pub(super) problem: Option<String>,
}

/// Owns the installed plugins; [`PluginManager::run`] is its loop.
#[derive(Debug)]
pub struct PluginManager {
    pub(super) parts: ManagerParts,
    pub(super) entries: BTreeMap<Slug, InstalledPlugin>,
    pub(super) files: BTreeMap<PathBuf, ScannedFile>,
    inbox: mpsc::Receiver<ManagerRequest>,
    list: watch::Sender<Arc<PluginList>>,
    /// Whether the published list is outdated.
    pub(super) is_changed: bool,
}

impl PluginManager {
    pub(super) async fn open(
        parts: ManagerParts,
        inbox: mpsc::Receiver<ManagerRequest>,
        list: watch::Sender<Arc<PluginList>>,
    ) -> Result<Self, PluginManagerError> {
        let mut manager = Self {
            parts,
            entries: BTreeMap::new(),
            files: BTreeMap::new(),
            inbox,
            list,
            is_changed: true,
        };
        let path = manager.parts.folder.clone();
        if let Err(error) = blocking(move || folder::prepare(&path)).await {
            tracing::error!(%error, "the plugins folder cannot be used");
        }
        manager.add_enabled_entries().await?;
        let copies = manager.parts.approved.clone();
        let enabled: Vec<Slug> = manager.entries.keys().cloned().collect();
        if let Err(error) = blocking(move || approved::prepare(&copies, &enabled)).await {
            tracing::error!(%error, "the folder of approved plugins cannot be used");
        }
        if let Err(error) = manager.scan_folder().await {
            tracing::error!(%error, "the plugins folder cannot be read");
            manager.show_included().await?;
        }
        manager.publish();
        Ok(manager)
    }

    /// Manages plugins on a server that runs them for good, until told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        self.run_under(&Lease::always(), &stop).await;
    }

    /// Follows what another server decides about plugins, for a server that does not run them now. Never ends, and may
    /// be given up at any time.
    pub async fn watch(&mut self) {
        let clock = Arc::clone(&self.parts.clock);
        let mut is_blind = false;
        loop {
            let looked = self.read_decisions().await;
            // Logged once, not every second.
            if let Some(error) = looked.as_ref().err().filter(|_| !is_blind) {
                tracing::warn!(%error, "cannot read what is decided about plugins");
            }
            is_blind = looked.is_err();
            self.publish();
            let next = clock.now() + WATCH_INTERVAL;
            loop {
                tokio::select! {
                    () = clock.sleep_until(next) => break,
                    Some(request) = self.inbox.recv() => {
                        drop(request.answer.send(Err(PluginManagerError::Elsewhere)));
                    }
                }
            }
        }
    }

    /// Loads enabled plugins and manages them until told to stop, while this server is the one that runs them. Stopping
    /// the plugins is left to the loader.
    pub async fn run_under(&mut self, lease: &Lease, stop: &CancellationToken) {
        if !lease.is_always() {
            self.parts.store = self.parts.store.under(lease);
            self.forget_loaded();
            // With the decisions of a second ago, if it cannot.
            if let Err(error) = self.read_decisions().await {
                tracing::warn!(%error, "cannot read what is decided about plugins");
            }
        }
        let all: Vec<Slug> = self.entries.keys().cloned().collect();
        self.forget_absent().await;
        self.load_what_may_run(all).await;
        self.publish();
        let clock = Arc::clone(&self.parts.clock);
        let mut next_scan = clock.now() + SCAN_INTERVAL;
        let mut is_blind = false;
        loop {
            let request = tokio::select! {
                () = stop.cancelled() => return,
                request = self.inbox.recv() => match request {
                    Some(request) => Some(request),
                    None => return,
                },
                () = clock.sleep_until(next_scan) => None,
            };
            let Some(ManagerRequest { command, answer }) = request else {
                let looked = self.scan().await;
                // Logged once, not every two seconds.
                if let Some(error) = looked.as_ref().err().filter(|_| !is_blind) {
                    tracing::warn!(%error, "cannot check the plugins folder");
                }
                is_blind = looked.is_err();
                self.publish();
                next_scan = clock.now() + SCAN_INTERVAL;
                continue;
            };
            let done = self.execute(command).await;
            self.publish();
            // The caller may be gone; the command took effect anyway.
            drop(answer.send(done));
        }
    }

    async fn execute(&mut self, command: ManagerCommand) -> Result<(), PluginManagerError> {
        self.is_changed = true;
        match command {
            ManagerCommand::Enable(slug) => self.enable(&slug).await,
            ManagerCommand::Approve(slug) => self.approve(&slug).await,
            ManagerCommand::Disable(slug) => self.disable(&slug).await,
            ManagerCommand::Reload(slug) => self.reload(&slug).await,
            ManagerCommand::Uninstall(slug) => self.uninstall(&slug).await,
            ManagerCommand::Install(slug, bytes, how) => self.install(slug, bytes, how).await,
            ManagerCommand::Config(slug, values) => self.set_config(&slug, values).await,
            ManagerCommand::Access(slug, mode) => self.set_access_mode(&slug, mode).await,
            ManagerCommand::Scan => self.scan().await,
        }
    }

    async fn enable(&mut self, slug: &str) -> Result<(), PluginManagerError> {
        let entry = self.entry(slug)?;
        let slug = entry.slug.clone();
        let package = entry.package.clone();
        let package = package.ok_or_else(|| PluginManagerError::Missing(slug.clone()))?;
        let wanted = package.manifest().permissions;
        if let Some(other) = self.other_gate(&slug, wanted) {
            return Err(PluginManagerError::SecondGate(other));
        }
        let now = self.now();
        self.parts
            .store
            .enable_plugin(slug.as_str(), wanted.names(), now)
            .await?;
        let facts = self.parts.loader.facts(&slug);
        let is_well = facts.is_some_and(|facts| facts.is_running && !facts.is_auto_disabled);
        let entry = self.entry(slug.as_str())?;
        entry.is_enabled = true;
        entry.approved = wanted;
        entry.pending = Permissions::NONE;
        let is_newest = entry
            .loaded
            .as_ref()
            .is_some_and(|old| Arc::ptr_eq(old, &package));
        if is_newest && is_well {
            return Ok(());
        }
        self.load_what_may_run(vec![slug.clone()]).await;
        self.outcome(&slug)
    }

    async fn approve(&mut self, slug: &str) -> Result<(), PluginManagerError> {
        let entry = self.entry(slug)?;
        if !entry.is_enabled {
            return Err(PluginManagerError::NotEnabled(entry.slug.clone()));
        }
        if entry.pending.is_empty() {
            return Err(PluginManagerError::NothingPending(entry.slug.clone()));
        }
        self.enable(slug).await
    }

    async fn disable(&mut self, slug: &str) -> Result<(), PluginManagerError> {
        let slug = self.entry(slug)?.slug.clone();
        let now = self.now();
        self.parts.store.disable_plugin(slug.as_str(), now).await?;
        self.parts.loader.unload(&slug).await;
        let entry = self.entry(slug.as_str())?;
        entry.is_enabled = false;
        entry.pending = Permissions::NONE;
        entry.loaded = None;
        entry.last_error = None;
        if entry.package.is_none() {
            self.entries.remove(&slug);
        }
        self.remove_copy(slug).await;
        Ok(())
    }

    async fn reload(&mut self, slug: &str) -> Result<(), PluginManagerError> {
        let entry = self.entry(slug)?;
        let (slug, path) = (entry.slug.clone(), entry.path.clone());
        if !entry.is_enabled {
            return Err(PluginManagerError::NotEnabled(slug));
        }
        let is_included = entry.is_included;
        if let Some(known) = self.files.get_mut(&path) {
            known.stamp = None;
        }
        self.scan().await?;
        if is_included {
            self.load_what_may_run(vec![slug.clone()]).await;
        }
        let entry = self.entry(slug.as_str())?;
        if !entry.pending.is_empty() {
            let wanted = entry.pending.names().join(", ");
            return Err(PluginManagerError::Unapproved { slug, wanted });
        }
        self.outcome(&slug)
    }

    async fn uninstall(&mut self, slug: &str) -> Result<(), PluginManagerError> {
        let entry = self.entry(slug)?;
        let (slug, path) = (entry.slug.clone(), entry.path.clone());
        if entry.is_included {
            return Err(PluginManagerError::Included(slug));
        }
        let now = self.now();
        self.parts.loader.unload(&slug).await;
        self.parts.store.forget_plugin(slug.as_str(), now).await?;
        // From here on it neither runs nor will; if the file remains, it is found again as a new one.
        let entry = self.entry(slug.as_str())?;
        entry.is_enabled = false;
        entry.approved = Permissions::NONE;
        entry.pending = Permissions::NONE;
        entry.loaded = None;
        self.remove_copy(slug.clone()).await;
        let entry = self.entry(slug.as_str())?;
        if entry.package.is_some() {
            let file = path.clone();
            blocking(move || folder::remove(&file)).await?;
        }
        self.files.remove(&path);
        self.entries.remove(&slug);
        self.forget_absent().await;
        self.recheck_duplicates(&[slug]);
        // It is uninstalled, whatever the scan finds.
        if let Err(error) = self.scan().await {
            tracing::warn!(%error, "cannot check the plugins folder");
        }
        Ok(())
    }

    async fn install(
        &mut self,
        slug: Slug,
        bytes: Bytes,
        how: InstallMode,
    ) -> Result<(), PluginManagerError> {
        let there = self.entries.get(&slug);
        let target = match there.filter(|entry| entry.has_file()) {
            Some(_) if how == InstallMode::New => return Err(PluginManagerError::Installed(slug)),
            Some(entry) => entry.path.clone(),
            None => folder::place(&self.parts.folder, &slug),
        };
        let owner = self
            .files
            .get(&target)
            .and_then(|known| known.owner.as_ref());
        if owner.is_some_and(|owner| *owner != slug) {
            return Err(PluginManagerError::Occupied(target));
        }
        blocking(move || {
            let write = |file: &mut File| file.write_all(&bytes);
            folder::install(&target, write, |_| Ok::<_, PluginManagerError>(()))
        })
        .await?;
        self.scan().await
    }

    async fn set_config(
        &mut self,
        slug: &str,
        values: Map<String, Value>,
    ) -> Result<(), PluginManagerError> {
        let entry = self.entry(slug)?;
        let slug = entry.slug.clone();
        let schema = entry.shown().map(|package| &package.manifest().config);
        let schema = schema.filter(|schema| !schema.is_empty());
        let schema = schema.ok_or_else(|| PluginManagerError::NoConfig(slug.clone()))?;
        let values = settings::accept(schema, values)?;
        let text = Value::from(values.clone()).to_string();
        let now = self.now();
        self.parts
            .store
            .set_plugin_config(slug.as_str(), text, now)
            .await?;
        self.entry(slug.as_str())?.config = values;
        Ok(())
    }

    async fn set_access_mode(
        &mut self,
        slug: &str,
        mode: AccessMode,
    ) -> Result<(), PluginManagerError> {
        let entry = self.entry(slug)?;
        let slug = entry.slug.clone();
        if !entry.can_be_gate() {
            return Err(PluginManagerError::NoGate(slug));
        }
        let now = self.now();
        self.parts
            .store
            .set_plugin_access_mode(slug.as_str(), mode.as_str().to_owned(), now)
            .await?;
        self.entry(slug.as_str())?.access_mode = mode;
        Ok(())
    }

    /// A copy that remains is useless and is deleted at the next start.
    async fn remove_copy(&self, slug: Slug) {
        let copies = self.parts.approved.clone();
        let plugin = slug.clone();
        if let Err(error) = blocking(move || approved::remove(&copies, &slug)).await {
            tracing::warn!(%plugin, %error, "the copy of a plugin's package could not be deleted");
        }
    }

    /// Another plugin that is the gate, if this one could become it.
    pub(super) fn other_gate(&self, slug: &Slug, wanted: Permissions) -> Option<Slug> {
        if !wanted.has(Permission::AuthGate) {
            return None;
        }
        let mut others = self.entries.values().filter(|entry| entry.slug != *slug);
        others
            .find(|entry| entry.is_gate())
            .map(|entry| entry.slug.clone())
    }

    pub(super) fn entry(&mut self, slug: &str) -> Result<&mut InstalledPlugin, PluginManagerError> {
        let entry = self.entries.get_mut(slug);
        entry.ok_or_else(|| PluginManagerError::Unknown(slug.to_owned()))
    }

    /// The result of the last attempt to load a plugin.
    fn outcome(&mut self, slug: &Slug) -> Result<(), PluginManagerError> {
        match &self.entry(slug.as_str())?.last_error {
            Some(error) => Err(PluginManagerError::Load(error.clone())),
            None => Ok(()),
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.parts.clock.now()
    }

    fn publish(&mut self) {
        if std::mem::take(&mut self.is_changed) {
            let entries = self.entries.iter();
            let entries = entries
                .map(|(slug, entry)| (slug.clone(), Arc::new(entry.clone())))
                .collect();
            let files = self.files.iter();
            let unusable = files.filter_map(|(path, known)| {
                let reason = known.problem.clone()?;
                let path = path.clone();
                Some(UnusableFile { path, reason })
            });
            let unusable = unusable.collect();
            self.list
                .send_replace(Arc::new(PluginList { entries, unusable }));
        }
    }
}
