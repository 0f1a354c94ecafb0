//! Wakes the dispatcher, and tells it which queues are worth a look.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use store::WebhookQueue;
use tokio::sync::Notify;

/// Queues that may have something new. A set, so it holds at most two entries per webhook.
#[derive(Debug, Default)]
pub(super) struct Wakeups {
    lines: Mutex<BTreeSet<WebhookQueue>>,
    woken: Notify,
}

impl Wakeups {
    /// Asks for a look at a queue.
    pub(super) fn wake(&self, line: WebhookQueue) {
        self.lines().insert(line);
        self.woken.notify_one();
    }

    /// Completes once a queue needs a look.
    pub(super) async fn woken(&self) {
        self.woken.notified().await;
    }

    /// The queues to look at.
    pub(super) fn take(&self) -> BTreeSet<WebhookQueue> {
        std::mem::take(&mut self.lines())
    }

    fn lines(&self) -> std::sync::MutexGuard<'_, BTreeSet<WebhookQueue>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
