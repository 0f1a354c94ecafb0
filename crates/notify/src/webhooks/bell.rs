//! Says which queues are worth a look.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use store::Line;
use tokio::sync::Notify;

/// Queues that may have something new. A set, so it is never larger than twice the number of webhooks.
#[derive(Debug, Default)]
pub(super) struct Bell {
    lines: Mutex<BTreeSet<Line>>,
    rung: Notify,
}

impl Bell {
    /// Asks for a look at a queue.
    pub(super) fn ring(&self, line: Line) {
        self.lines().insert(line);
        self.rung.notify_one();
    }

    /// Completes once there is something to take.
    pub(super) async fn rung(&self) {
        self.rung.notified().await;
    }

    /// The queues to look at.
    pub(super) fn take(&self) -> BTreeSet<Line> {
        std::mem::take(&mut self.lines())
    }

    fn lines(&self) -> std::sync::MutexGuard<'_, BTreeSet<Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
