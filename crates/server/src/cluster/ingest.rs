//! Which of several machines takes in the stream: the one that a broadcaster came to, if no other one has a broadcaster.
//!
//! The database decides that (`media/src/stream/engine/sharing.rs`). What is heard over NATS only makes it faster: a holder
//! that is heard no more, and that does not renew its lease either, is not waited for as long.

use std::sync::Arc;
use std::time::Duration;

use media::stream::{IngestPeers, Stream};
use model::Clock;
use store::settings::Settings;
use store::{Leases, Store, StoreError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::heard_nodes::HeardNodes;
use super::{BEAT, Membership};

/// A machine whose beats are missing for this long is not heard any more.
const MISSED: Duration = Duration::from_secs(3);

#[derive(Debug)]
struct HeardHolders {
    heard: Arc<HeardNodes>,
    /// The id of this machine, which hears itself, too.
    own: String,
}

impl IngestPeers for HeardHolders {
    fn is_silent(&self, holder: &str) -> bool {
        let own = self.heard.silent_for(&self.own);
        let hears = own.is_some_and(|own| own < BEAT * 2);
        let other = self.heard.silent_for(holder);
        hears && other.is_some_and(|other| other >= MISSED)
    }
}

/// Starts the task that owns the stream on this machine.
pub(crate) async fn start(
    membership: &Membership,
    store: Store,
    settings: Settings,
    clock: Arc<dyn Clock>,
    leases: Leases,
    tasks: &TaskTracker,
    stop: CancellationToken,
) -> Result<Stream, StoreError> {
    let peers = Arc::new(HeardHolders {
        heard: Arc::clone(&membership.heard),
        own: membership.node.id.clone(),
    });
    let opened = Stream::open_beside(store, settings, clock, leases, peers, stop);
    let (live, engine) = opened.await?;
    tasks.spawn(engine);
    Ok(live)
}

#[cfg(test)]
mod tests {
    use testkit::ManualClock;
    use web::NodeLoad;

    use super::super::heard_nodes::Beat;
    use super::*;

    #[test]
    fn a_holder_is_silent_if_it_is_missed_by_a_machine_that_hears_others() {
        let clock = Arc::new(ManualClock::default());
        let heard = Arc::new(HeardNodes::new(Arc::<ManualClock>::clone(&clock)));
        let holders = HeardHolders {
            heard: Arc::clone(&heard),
            own: "own".into(),
        };
        let beat = |id: &str| {
            let load = NodeLoad {
                viewers: 0,
                chat_clients: 0,
            };
            let (id, name) = (id.into(), "left".into());
            heard.hear(&Beat { id, name, load }.to_bytes());
        };
        beat("own");
        assert!(!holders.is_silent("other"), "nothing is known of it");
        beat("other");
        assert!(!holders.is_silent("other"));
        clock.advance(MISSED);
        assert!(!holders.is_silent("other"), "nobody is heard at all");
        beat("own");
        assert!(holders.is_silent("other"));
        beat("other");
        assert!(!holders.is_silent("other"));
    }
}
