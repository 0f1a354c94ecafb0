//! Whether the server can serve, remembered for a moment.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::Clock;
use store::Store;
use tokio::sync::Semaphore;

/// A write costs an fsync, and anybody may ask: one answer serves this long.
const REMEMBERED_FOR: Duration = Duration::from_secs(1);
/// A database that has not answered by then is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// The last answer and its time (uptime); one probe at a time.
#[derive(Debug)]
pub(crate) struct Readiness {
    last: Mutex<Option<(Duration, bool)>>,
    turn: Semaphore,
}

impl Default for Readiness {
    fn default() -> Self {
        Self {
            last: Mutex::new(None),
            turn: Semaphore::new(1),
        }
    }
}

impl Readiness {
    fn known(&self, now: Duration) -> Option<bool> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|(at, _)| now.saturating_sub(*at) < REMEMBERED_FOR)
            .map(|(_, is_ready)| is_ready)
    }

    /// Whether the database takes reads and writes.
    pub(crate) async fn is_ready(&self, store: &Store, clock: &dyn Clock) -> bool {
        if let Some(is_ready) = self.known(clock.uptime()) {
            return is_ready;
        }
        let _turn = self.turn.acquire().await;
        // The previous holder of the lock may have found out.
        if let Some(is_ready) = self.known(clock.uptime()) {
            return is_ready;
        }
        let is_ready = probe(store, clock).await;
        let found = (clock.uptime(), is_ready);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        is_ready
    }
}

async fn probe(store: &Store, clock: &dyn Clock) -> bool {
    let both = async { store.ping().await.and(store.ping_writer(clock.now()).await) };
    match tokio::time::timeout(PATIENCE, both).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            model::stranger_line!(warn, "not_ready", %error, "not ready");
            false
        }
        Err(_) => {
            model::stranger_line!(warn, "not_ready", "not ready: the database does not answer");
            false
        }
    }
}
