//! Wakes the machine that handles what other servers send, which arrives at any of the machines.
//!
//! Without this it would be found when the queue is next looked at.

use bus::{BusError, Subject};
use store::Store;
use tokio_util::sync::CancellationToken;

use super::Membership;
use super::listening::each_message;

/// What the messages are sealed as.
const KIND: &str = "arrival";

/// Tells the other machines that something has arrived, and hears it from them, until `stop`.
pub(super) async fn share(node: &Membership, store: &Store, stop: &CancellationToken) {
    let tables = store.federation();
    let hear = |body: &[u8]| {
        let id = store.open_message(KIND, body);
        // Whoever handles it here is awake already.
        if id.is_ok_and(|id| id != node.node.id.as_bytes()) {
            tables.note_arrival_elsewhere();
        }
    };
    tokio::join!(
        tell(node, store, stop),
        each_message(&node.bus, Subject::Arrival, stop, hear),
    );
}

async fn tell(node: &Membership, store: &Store, stop: &CancellationToken) {
    let mut arrivals = store.federation().inbox_wakeups();
    let mut told = *arrivals.borrow_and_update();
    loop {
        let changed = tokio::select! {
            () = stop.cancelled() => return,
            changed = arrivals.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
        let here = *arrivals.borrow_and_update();
        if here == told {
            continue;
        }
        told = here;
        let sealed = match store.seal_message(KIND, node.node.id.as_bytes()) {
            Ok(sealed) => sealed,
            Err(error) => {
                tracing::debug!(%error, "cannot seal a message to the other machines");
                continue;
            }
        };
        match node.bus.publish(Subject::Arrival, &sealed).await {
            Ok(()) | Err(BusError::Away) => {}
            Err(error) => tracing::debug!(%error, "cannot tell that something has arrived"),
        }
    }
}
