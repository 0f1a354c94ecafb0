//! Seals what machines tell each other, with the key that all of them have.

use std::sync::Arc;

use bus::Seal;
use model::Clock;
use store::Store;

/// The key and the time of this machine.
#[derive(Debug)]
pub(super) struct ClusterSeal {
    store: Store,
    clock: Arc<dyn Clock>,
}

impl ClusterSeal {
    pub(super) fn new(store: &Store, clock: &Arc<dyn Clock>) -> Self {
        Self {
            store: store.clone(),
            clock: Arc::clone(clock),
        }
    }
}

impl Seal for ClusterSeal {
    fn seal(&self, name: &str, clear: &[u8]) -> Option<Vec<u8>> {
        self.store.seal_message(name, clear).ok()
    }

    fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        self.store.open_message(name, sealed).ok()
    }

    fn now(&self) -> i64 {
        self.clock.now().as_millisecond()
    }
}
