//! The one task that decides about plugins.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::folder::{self, Stamp};
use super::{
    AccessMode, Board, Entry, Install, Parts, ShelfError, UnusableFile, approved, blocking,
    settings,
};
use crate::manifest::Slug;
use crate::permission::{Permission, Permissions};

/// How often the folder is looked at: soon enough for an author who copies files there.
const SCAN_INTERVAL: Duration = Duration::from_secs(2);

/// What the operator wants.
#[derive(Debug)]
pub(super) enum Wish {
    Enable(String),
    Approve(String),
    Disable(String),
    Reload(String),
    Uninstall(String),
    Install(Slug, Bytes, Install),
    Config(String, Map<String, Value>),
    Access(String, AccessMode),
    Scan,
}

/// A wish, and where to say what became of it.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) wish: Wish,
    pub(super) answer: oneshot::Sender<Result<(), ShelfError>>,
}

/// A file of the folder as it was last seen.
#[derive(Debug)]
pub(super) struct Known {
    /// `None` when it is to be read again.
    pub(super) stamp: Option<Stamp>,
    /// Whose package it is; `None` for one that cannot be used.
    pub(super) owner: Option<Slug>,
    /// The plugin that another file has already.
    pub(super) second_of: Option<Slug>,
    /// Why it is not used, for the operator.
    pub(super) problem: Option<String>,
}

/// Owns what is on the shelf; [`Keeper::run`] is its life.
#[derive(Debug)]
pub struct Keeper {
    pub(super) parts: Parts,
    pub(super) entries: BTreeMap<Slug, Entry>,
    pub(super) files: BTreeMap<PathBuf, Known>,
    inbox: mpsc::Receiver<Command>,
    board: watch::Sender<Arc<Board>>,
    /// Whether the board shows less than there is to know.
    pub(super) is_changed: bool,
}

impl Keeper {
    pub(super) async fn open(
        parts: Parts,
        inbox: mpsc::Receiver<Command>,
        board: watch::Sender<Arc<Board>>,
    ) -> Result<Self, ShelfError> {
        let mut keeper = Self {
            parts,
            entries: BTreeMap::new(),
            files: BTreeMap::new(),
            inbox,
            board,
            is_changed: true,
        };
        let path = keeper.parts.folder.clone();
        if let Err(error) = blocking(move || folder::prepare(&path)).await {
            tracing::error!(%error, "the plugins folder cannot be used");
        }
        keeper.stand_in_for_enabled().await?;
        let copies = keeper.parts.approved.clone();
        let enabled: Vec<Slug> = keeper.entries.keys().cloned().collect();
        if let Err(error) = blocking(move || approved::prepare(&copies, &enabled)).await {
            tracing::error!(%error, "the folder of approved plugins cannot be used");
        }
        if let Err(error) = keeper.look().await {
            tracing::error!(%error, "the plugins folder cannot be read");
            keeper.show_included().await?;
        }
        keeper.publish();
        Ok(keeper)
    }

    /// Loads what is to run, and looks after the shelf until it is told to stop. What runs is left to the loader.
    pub async fn run(mut self, stop: CancellationToken) {
        let all: Vec<Slug> = self.entries.keys().cloned().collect();
        self.forget_absent().await;
        self.load_what_may_run(all).await;
        self.publish();
        let clock = Arc::clone(&self.parts.clock);
        let mut next_scan = clock.now() + SCAN_INTERVAL;
        let mut is_blind = false;
        loop {
            let command = tokio::select! {
                () = stop.cancelled() => return,
                command = self.inbox.recv() => match command {
                    Some(command) => Some(command),
                    None => return,
                },
                () = clock.sleep_until(next_scan) => None,
            };
            let Some(Command { wish, answer }) = command else {
                let looked = self.scan().await;
                // Said once, and not every two seconds.
                if let Some(error) = looked.as_ref().err().filter(|_| !is_blind) {
                    tracing::warn!(%error, "the plugins folder could not be looked at");
                }
                is_blind = looked.is_err();
                self.publish();
                next_scan = clock.now() + SCAN_INTERVAL;
                continue;
            };
            let done = self.grant(wish).await;
            self.publish();
            // Whoever asked may have left; what was done stands.
            drop(answer.send(done));
        }
    }

    async fn grant(&mut self, wish: Wish) -> Result<(), ShelfError> {
        self.is_changed = true;
        match wish {
            Wish::Enable(slug) => self.enable(&slug).await,
            Wish::Approve(slug) => self.approve(&slug).await,
            Wish::Disable(slug) => self.disable(&slug).await,
            Wish::Reload(slug) => self.reload(&slug).await,
            Wish::Uninstall(slug) => self.uninstall(&slug).await,
            Wish::Install(slug, bytes, how) => self.install(slug, bytes, how).await,
            Wish::Config(slug, values) => self.set_config(&slug, values).await,
            Wish::Access(slug, mode) => self.set_access_mode(&slug, mode).await,
            Wish::Scan => self.scan().await,
        }
    }

    async fn enable(&mut self, slug: &str) -> Result<(), ShelfError> {
        let entry = self.entry(slug)?;
        let slug = entry.slug.clone();
        let package = entry.package.clone();
        let package = package.ok_or_else(|| ShelfError::Missing(slug.clone()))?;
        let wanted = package.manifest().permissions;
        if let Some(other) = self.other_gate(&slug, wanted) {
            return Err(ShelfError::SecondGate(other));
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

    async fn approve(&mut self, slug: &str) -> Result<(), ShelfError> {
        let entry = self.entry(slug)?;
        if !entry.is_enabled {
            return Err(ShelfError::NotEnabled(entry.slug.clone()));
        }
        if entry.pending.is_empty() {
            return Err(ShelfError::NothingPending(entry.slug.clone()));
        }
        self.enable(slug).await
    }

    async fn disable(&mut self, slug: &str) -> Result<(), ShelfError> {
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

    async fn reload(&mut self, slug: &str) -> Result<(), ShelfError> {
        let entry = self.entry(slug)?;
        let (slug, path) = (entry.slug.clone(), entry.path.clone());
        if !entry.is_enabled {
            return Err(ShelfError::NotEnabled(slug));
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
            return Err(ShelfError::Unapproved { slug, wanted });
        }
        self.outcome(&slug)
    }

    async fn uninstall(&mut self, slug: &str) -> Result<(), ShelfError> {
        let entry = self.entry(slug)?;
        let (slug, path) = (entry.slug.clone(), entry.path.clone());
        if entry.is_included {
            return Err(ShelfError::Included(slug));
        }
        let now = self.now();
        self.parts.loader.unload(&slug).await;
        self.parts.store.forget_plugin(slug.as_str(), now).await?;
        // From here on it neither runs nor will; if the file stays, it is found again as a stranger.
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
        self.read_seconds_again(&[slug]);
        // It is uninstalled, whatever else the folder shows or hides.
        if let Err(error) = self.scan().await {
            tracing::warn!(%error, "the plugins folder could not be looked at");
        }
        Ok(())
    }

    async fn install(&mut self, slug: Slug, bytes: Bytes, how: Install) -> Result<(), ShelfError> {
        let there = self.entries.get(&slug);
        let target = match there.filter(|entry| entry.has_file()) {
            Some(_) if how == Install::New => return Err(ShelfError::Installed(slug)),
            Some(entry) => entry.path.clone(),
            None => folder::place(&self.parts.folder, &slug),
        };
        let owner = self
            .files
            .get(&target)
            .and_then(|known| known.owner.as_ref());
        if owner.is_some_and(|owner| *owner != slug) {
            return Err(ShelfError::Occupied(target));
        }
        blocking(move || {
            let write = |file: &mut File| file.write_all(&bytes);
            folder::install(&target, write, |_| Ok::<_, ShelfError>(()))
        })
        .await?;
        self.scan().await
    }

    async fn set_config(
        &mut self,
        slug: &str,
        values: Map<String, Value>,
    ) -> Result<(), ShelfError> {
        let entry = self.entry(slug)?;
        let slug = entry.slug.clone();
        let schema = entry.shown().map(|package| &package.manifest().config);
        let schema = schema.filter(|schema| !schema.is_empty());
        let schema = schema.ok_or_else(|| ShelfError::NoConfig(slug.clone()))?;
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

    async fn set_access_mode(&mut self, slug: &str, mode: AccessMode) -> Result<(), ShelfError> {
        let entry = self.entry(slug)?;
        let slug = entry.slug.clone();
        if !entry.can_be_gate() {
            return Err(ShelfError::NoGate(slug));
        }
        let now = self.now();
        self.parts
            .store
            .set_plugin_access_mode(slug.as_str(), mode.as_str().to_owned(), now)
            .await?;
        self.entry(slug.as_str())?.access_mode = mode;
        Ok(())
    }

    /// What stays is of no use, and deleted at the next start.
    async fn remove_copy(&self, slug: Slug) {
        let copies = self.parts.approved.clone();
        let plugin = slug.clone();
        if let Err(error) = blocking(move || approved::remove(&copies, &slug)).await {
            tracing::warn!(%plugin, %error, "the copy of a plugin's package could not be deleted");
        }
    }

    /// Another plugin that guards the server, if this one would want to.
    pub(super) fn other_gate(&self, slug: &Slug, wanted: Permissions) -> Option<Slug> {
        if !wanted.has(Permission::AuthGate) {
            return None;
        }
        let mut others = self.entries.values().filter(|entry| entry.slug != *slug);
        others
            .find(|entry| entry.is_gate())
            .map(|entry| entry.slug.clone())
    }

    pub(super) fn entry(&mut self, slug: &str) -> Result<&mut Entry, ShelfError> {
        let entry = self.entries.get_mut(slug);
        entry.ok_or_else(|| ShelfError::Unknown(slug.to_owned()))
    }

    /// What the last attempt to load a plugin came to.
    fn outcome(&mut self, slug: &Slug) -> Result<(), ShelfError> {
        match &self.entry(slug.as_str())?.last_error {
            Some(error) => Err(ShelfError::Load(error.clone())),
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
            self.board
                .send_replace(Arc::new(Board { entries, unusable }));
        }
    }
}
