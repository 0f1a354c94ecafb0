//! The shelf: which plugins there are, which of them are to run, and with which permissions.
//!
//! Packages come with the server or lie in a folder; of two with the same slug the one in the folder counts.
//!
//! One task, the [`Keeper`], owns that; [`Shelf`] is the handle to it, and its [`Board`] shows how things stand. The
//! folder is looked at every two seconds. A file is never enabled by itself, and a newer one that asks for
//! more than the operator agreed to waits while the older one runs on, also after a restart: what runs with the operator's
//! approval is kept as a copy.

mod approved;
mod board;
mod error;
mod folder;
mod guarded;
mod intake;
mod keeper;
mod loader;
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

pub use board::{AccessMode, Board, Entry, UnusableFile};
pub use error::ShelfError;
pub use folder::{MAX_PLUGINS, SUFFIX};
pub use keeper::Keeper;
pub use loader::{CallFacts, Loader, RunFacts};
pub use settings::effective;

use crate::manifest::Slug;
use crate::package::Package;
use guarded::Guarded;
use keeper::{Command, Wish};

/// Wishes that wait for the keeper; the next one waits for room, which only slows the operator who sent so many.
const MAX_WISHES: usize = 32;

/// What a shelf is made of.
#[derive(Debug)]
pub struct Parts {
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
    /// Who runs plugins.
    pub loader: Arc<dyn Loader>,
}

/// Whether a package may take the place of an installed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Install {
    /// Only a slug that is not there yet.
    New,
    /// Also a newer version of one that is there; what the operator agreed to still counts.
    Replace,
}

/// A cloneable handle to the shelf.
#[derive(Clone, Debug)]
pub struct Shelf {
    inbox: mpsc::Sender<Command>,
    board: watch::Receiver<Arc<Board>>,
    loader: Arc<dyn Loader>,
}

impl Shelf {
    /// Looks at the folder and the decisions once, so that the board is right from the start; nothing is loaded before
    /// the keeper runs.
    pub async fn open(parts: Parts) -> Result<(Self, Keeper), ShelfError> {
        let parts = Parts {
            loader: Arc::new(Guarded(parts.loader)),
            ..parts
        };
        let (inbox, wishes) = mpsc::channel(MAX_WISHES);
        let (board, seen) = watch::channel(Arc::default());
        let loader = Arc::clone(&parts.loader);
        let keeper = Keeper::open(parts, wishes, board).await?;
        let shelf = Self {
            inbox,
            board: seen,
            loader,
        };
        Ok((shelf, keeper))
    }

    /// How things stand.
    pub fn board(&self) -> Arc<Board> {
        Arc::clone(&self.board.borrow())
    }

    /// Wakes when something about them changes.
    pub fn board_changes(&self) -> watch::Receiver<Arc<Board>> {
        self.board.clone()
    }

    /// How a plugin is doing; `None` when it is not loaded.
    pub fn facts(&self, slug: &Slug) -> Option<RunFacts> {
        self.loader.facts(slug)
    }

    /// The plugin is to run with all that its package asks for; loads it.
    pub async fn enable(&self, slug: &str) -> Result<(), ShelfError> {
        self.wish(Wish::Enable(slug.to_owned())).await
    }

    /// Agrees to what the newest package asks for beyond the former; loads it.
    pub async fn approve(&self, slug: &str) -> Result<(), ShelfError> {
        self.wish(Wish::Approve(slug.to_owned())).await
    }

    /// The plugin is not to run any more.
    pub async fn disable(&self, slug: &str) -> Result<(), ShelfError> {
        let (shelf, slug) = (self.clone(), slug.to_owned());
        // To its end, even when nobody waits for it any more: what was unloaded is not left enabled.
        let disabling = tokio::spawn(async move {
            // It stops now: the keeper may be busy with one that takes its time to load.
            let board = shelf.board();
            if let Some(entry) = board.get(&slug).filter(|entry| entry.is_enabled) {
                shelf.loader.unload(&entry.slug).await;
            }
            shelf.wish(Wish::Disable(slug)).await
        });
        disabling.await.map_err(|_| ShelfError::Stopping)?
    }

    /// Reads the file again and loads it anew.
    pub async fn reload(&self, slug: &str) -> Result<(), ShelfError> {
        self.wish(Wish::Reload(slug.to_owned())).await
    }

    /// Ends the plugin, forgets what was approved and deletes the file. What it kept stays. A package that comes with the
    /// server and had the file in front of it is back then, and not enabled.
    pub async fn uninstall(&self, slug: &str) -> Result<(), ShelfError> {
        self.wish(Wish::Uninstall(slug.to_owned())).await
    }

    /// Looks at the folder now.
    pub async fn scan(&self) -> Result<(), ShelfError> {
        self.wish(Wish::Scan).await
    }

    /// Replaces the operator's values for a plugin's settings.
    pub async fn set_config(
        &self,
        slug: &str,
        values: Map<String, Value>,
    ) -> Result<(), ShelfError> {
        self.wish(Wish::Config(slug.to_owned(), values)).await
    }

    /// How much the plugin's sign-in guards.
    pub async fn set_access_mode(&self, slug: &str, mode: AccessMode) -> Result<(), ShelfError> {
        self.wish(Wish::Access(slug.to_owned(), mode)).await
    }

    /// Checks a package to the last byte, tries to load it, and puts it into the folder; it is not enabled by that.
    pub async fn install(&self, bytes: Bytes, how: Install) -> Result<Arc<Entry>, ShelfError> {
        let held = bytes.clone();
        let package = blocking(move || {
            let package = Package::from_bytes(held)?;
            package.check_every_entry()?;
            Ok::<_, ShelfError>(Arc::new(package))
        })
        .await?;
        let slug = package.manifest().slug.clone();
        let board = self.board();
        let there = board.get(slug.as_str());
        if how == Install::New && there.is_some_and(|entry| entry.has_file()) {
            return Err(ShelfError::Installed(slug));
        }
        // Outside of the keeper's task: other wishes do not wait for a slow plugin.
        let tried = self.loader.try_load(&package).await;
        tried.map_err(ShelfError::Load)?;
        self.wish(Wish::Install(slug.clone(), bytes, how)).await?;
        let board = self.board();
        let entry = board.get(slug.as_str()).cloned();
        entry.ok_or(ShelfError::Missing(slug))
    }

    async fn wish(&self, wish: Wish) -> Result<(), ShelfError> {
        let (answer, answered) = oneshot::channel();
        let sent = self.inbox.send(Command { wish, answer }).await;
        sent.map_err(|_| ShelfError::Stopping)?;
        answered.await.map_err(|_| ShelfError::Stopping)?
    }
}

/// Work with files, away from the runtime's threads.
async fn blocking<T: Send + 'static, E: From<std::io::Error> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(std::io::Error::other(error).into()))
}
