//! All parts at work together: a plugin is loaded, told of things, asked about things, and ended.
//!
//! [`Runtime`] is the handle the server and its pages have; a [`Guest`] is one plugin that runs. The shelf decides what
//! runs and asks the runtime to load it (`load`); dispatch hands it events, lines of chat and timers (`roles`).

mod guest;
mod load;
mod roles;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use model::Clock;

use crate::dispatch::Listener;
use crate::engine::CodeFolder;
use crate::host::{HostServices, Hub, Keeping, Network, Pacing, Parts, SqlPlace};
use crate::house::House;
use roles::Back;

pub use guest::{Guest, HttpAnswer};

/// What a runtime is made of.
#[derive(Debug)]
pub struct Furnishings {
    /// Where plugins live.
    pub house: House,
    /// What the rest of the server does for them.
    pub services: Arc<dyn HostServices>,
    /// Where their keys, settings and buttons are kept.
    pub keeping: Arc<dyn Keeping>,
    /// The way out.
    pub network: Arc<dyn Network>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The folder with one folder for each plugin's files.
    pub storage: PathBuf,
    /// Where their compiled code is kept, if it is.
    pub code: Option<PathBuf>,
    /// Where a plugin's own database is.
    pub sql: SqlPlace,
}

/// Plugins that run. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Runtime(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    house: House,
    parts: Parts,
    streams: Arc<Hub>,
    code: Option<CodeFolder>,
    guests: Mutex<BTreeMap<Arc<str>, Guest>>,
    /// Those of them that take calls, as dispatch sees them.
    listeners: Mutex<Arc<[Listener]>>,
}

impl Runtime {
    /// A runtime without plugins.
    #[must_use]
    pub fn new(furnishings: Furnishings) -> Self {
        let streams = Arc::new(Hub::default());
        Self(Arc::new_cyclic(|inner: &Weak<Inner>| Inner {
            parts: Parts {
                services: furnishings.services,
                keeping: furnishings.keeping,
                network: furnishings.network,
                streams: Arc::<Hub>::clone(&streams),
                deliveries: Arc::new(Back(Weak::clone(inner))),
                clock: furnishings.clock,
                storage: furnishings.storage,
                sql: furnishings.sql,
                pacing: Pacing::Clock,
            },
            house: furnishings.house,
            streams,
            code: furnishings.code.map(CodeFolder::new),
            guests: Mutex::default(),
            listeners: Mutex::new(Arc::from([])),
        }))
    }

    /// A plugin that takes calls; `None` for one that is not loaded, starts again, has crashed or was switched off.
    #[must_use]
    pub fn guest(&self, slug: &str) -> Option<Guest> {
        let guest = self.0.guests().get(slug).cloned();
        guest.filter(Guest::is_running)
    }

    /// All plugins that take calls, by slug.
    #[must_use]
    pub fn guests(&self) -> Vec<Guest> {
        let guests = self.0.guests();
        let running = guests.values().filter(|guest| guest.is_running());
        running.cloned().collect()
    }

    /// Pages that listen to plugins.
    #[must_use]
    pub fn streams(&self) -> &Arc<Hub> {
        &self.0.streams
    }

    /// Ends all plugins; for the end of the server.
    pub async fn close(&self) {
        let guests = std::mem::take(&mut *self.0.guests());
        for guest in guests.values() {
            guest.host.close();
        }
        self.0.house.close_all().await;
    }
}

impl Inner {
    fn guests(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Guest>> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who takes calls has changed.
    fn count_listeners(&self) {
        let guests = self.guests();
        let listeners = guests.values().filter_map(Guest::listener);
        let listeners: Arc<[Listener]> = listeners.collect();
        // Still under the first lock, so that an older count cannot come last.
        *self.listening() = listeners;
    }

    fn listening(&self) -> MutexGuard<'_, Arc<[Listener]>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the listeners anew whenever a plugin's status changes, until it has moved out.
async fn watch(inner: Weak<Inner>, guest: Guest) {
    let mut status = guest.resident.watch();
    loop {
        let is_over = status.borrow_and_update().is_final();
        let Some(inner) = inner.upgrade() else { return };
        inner.count_listeners();
        drop(inner);
        if is_over || status.changed().await.is_err() {
            return;
        }
    }
}
