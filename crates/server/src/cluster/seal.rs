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

#[cfg(test)]
mod tests {
    use store::DatabaseUrl;
    use testkit::ManualClock;

    use super::*;

    #[tokio::test]
    async fn only_machines_with_the_same_key_open_what_is_sealed_and_for_its_name_only() {
        let folder = tempfile::tempdir().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        let mut seals = Vec::new();
        for (database, key) in [("1.db", "a.key"), ("2.db", "a.key"), ("3.db", "b.key")] {
            let url = DatabaseUrl::Sqlite(folder.path().join(database));
            let store = Store::open(&url, &folder.path().join(key)).await.unwrap();
            seals.push(ClusterSeal::new(&store, &clock));
        }
        let name = "rc.main.plugin.http";
        let sealed = seals[0].seal(name, b"a cookie").unwrap();
        assert!(!String::from_utf8_lossy(&sealed).contains("cookie"));
        let opened = seals[1].open(name, &sealed);
        assert_eq!(opened.as_deref(), Some(&b"a cookie"[..]));
        assert_eq!(seals[1].open("rc.other.plugin.http", &sealed), None);
        assert_eq!(seals[2].open(name, &sealed), None);
        let again = seals[0].seal(name, b"a cookie").unwrap();
        assert_ne!(again[..12], sealed[..12]);
        for seal in seals {
            seal.store.close().await;
        }
    }
}
