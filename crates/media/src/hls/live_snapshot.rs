//! Publishes the newest snapshot to viewers, and lets them wait for the next.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::snapshot::Snapshot;

/// The newest snapshot; `None` while no stream can be played.
#[derive(Clone, Debug)]
pub struct LiveSnapshot(watch::Receiver<Option<Arc<Snapshot>>>);

impl LiveSnapshot {
    /// The sending end and the receiving end.
    pub fn new() -> (watch::Sender<Option<Arc<Snapshot>>>, Self) {
        let (sender, receiver) = watch::channel(None);
        (sender, Self(receiver))
    }

    /// The current snapshot.
    pub fn now(&self) -> Option<Arc<Snapshot>> {
        self.0.borrow().clone()
    }

    /// Every change from now on.
    pub fn changes(&self) -> watch::Receiver<Option<Arc<Snapshot>>> {
        self.0.clone()
    }

    /// Waits up to `limit` until `pick` finds something in a snapshot (or in its absence).
    pub async fn until<T>(
        &self,
        limit: Duration,
        mut pick: impl FnMut(Option<&Arc<Snapshot>>) -> Option<T>,
    ) -> Option<T> {
        let mut newest = self.0.clone();
        let found = async {
            loop {
                if let Some(found) = pick(newest.borrow_and_update().as_ref()) {
                    return Some(found);
                }
                newest.changed().await.ok()?;
            }
        };
        tokio::time::timeout(limit, found).await.ok().flatten()
    }
}
