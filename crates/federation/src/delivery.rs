//! Deliveries: out of the durable queue, signed the moment they are sent, to the inboxes of other servers.
//!
//! The queue is in the store, and whatever is to be sent is written there in the transaction of its cause. This part
//! takes out what is due and writes down what came of it; a process that is killed in between sends again what it had
//! taken, and nothing is lost.
//!
//! In reading order: `dispatcher.rs` takes what is due, in `host_queues.rs` it waits for a place, `lanes.rs` lets slow
//! hosts step aside into `slow_lane.rs`, `request.rs` signs and posts, `retry.rs` says what follows from the answer, and
//! `outcomes.rs` writes it down.

mod dispatcher;
mod host_queues;
mod lanes;
mod outcomes;
mod request;
mod retry;
mod slow_lane;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::Clock;
use outbound::Client;
use store::Store;
use store::federation::{DeliveryAudience, DeliveryKind, OutgoingActivity};
use store::settings::Settings;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::document::Activity;
use crate::identity::Account;
pub use lanes::LaneLimits;
use lanes::Lanes;

/// Signatures made at once, each on a thread of its own; further ones wait. More would take the processor from video.
const SIGNING_THREADS: usize = 2;

/// What deliveries need of the others.
#[derive(Clone, Debug)]
pub struct DeliveryDeps {
    /// Where the queue is.
    pub store: Store,
    pub client: Client,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Whether anything is sent at all.
    pub settings: Settings,
    pub account: Account,
    /// How many requests there are at once.
    pub limits: LaneLimits,
}

#[derive(Debug)]
struct DeliveryShared {
    store: Store,
    client: Client,
    clock: Arc<dyn Clock>,
    settings: Settings,
    account: Account,
    lanes: Lanes,
    grace: Duration,
    signing: Arc<Semaphore>,
}

/// Sends what is due until `stop`, and then for a few seconds what is on its way.
///
/// `stop` is to be cancelled after everybody else has said their last word: what was queued up to then is still sent if
/// the hosts are quick.
pub async fn run(deps: DeliveryDeps, stop: CancellationToken) {
    let shared = DeliveryShared {
        store: deps.store,
        client: deps.client,
        clock: deps.clock,
        settings: deps.settings,
        account: deps.account,
        lanes: Lanes::new(deps.limits),
        grace: deps.limits.grace,
        signing: Arc::new(Semaphore::new(SIGNING_THREADS)),
    };
    dispatcher::run(Arc::new(shared), stop).await;
}

/// Something to be sent, given up when its kind is no longer worth sending.
pub fn outgoing(
    activity: &Activity,
    kind: DeliveryKind,
    audience: DeliveryAudience,
    now: Timestamp,
) -> OutgoingActivity {
    OutgoingActivity {
        id: activity.id.clone(),
        json: activity.json.to_string(),
        kind,
        audience,
        signer: None,
        expires_at: now + retry::life(kind),
    }
}
