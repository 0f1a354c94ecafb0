//! What a connection holds for its whole life, even after an upgrade to a socket.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::slots::ConnectionSlot;

/// A connection's slot. hyper drops a connection when it is upgraded; its new owner keeps this.
#[derive(Debug)]
pub struct Lease {
    _slot: ConnectionSlot,
    /// Shutdown waits for it.
    _task: TaskTrackerToken,
    cut: CancellationToken,
}

impl Lease {
    pub(super) fn new(
        slot: ConnectionSlot,
        task: TaskTrackerToken,
        cut: CancellationToken,
    ) -> Arc<Self> {
        metrics::gauge!("rillcast_connections").increment(1.0);
        Arc::new(Self {
            _slot: slot,
            _task: task,
            cut,
        })
    }

    /// Completes when connections that have not ended by themselves are cut.
    pub async fn cut(&self) {
        self.cut.cancelled().await;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        metrics::gauge!("rillcast_connections").decrement(1.0);
    }
}
