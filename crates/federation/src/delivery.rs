//! Deliveries: taken from the durable queue, signed when they are sent, posted to the inboxes of other servers.
//!
//! The queue is in the store, and everything to be sent is written there in the transaction of its cause. This module
//! takes out what is due and records the outcome; a process killed in between sends what it had taken again, and
//! nothing is lost.
//!
//! In reading order: `dispatcher.rs` takes what is due, `host_queues.rs` holds it until a slot is free, `lanes.rs`
//! moves slow hosts aside into `slow_lane.rs`, `attempt.rs` finds the keys, `request.rs` signs and posts, `retry.rs`
//! decides what follows from the answer, and `outcomes.rs` records it.

mod attempt;
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
use store::federation::{DeliveryAudience, DeliveryKind, OutgoingActivity};
use store::settings::Settings;
use store::{Lease, Store};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::document::Activity;
use crate::identity::Account;
pub use lanes::LaneLimits;
use lanes::Lanes;

/// Signatures made at once, each on a thread of its own; further ones wait. More would take the processor from video.
const SIGNING_THREADS: usize = 2;

/// What deliveries need from other parts.
#[derive(Clone, Debug)]
pub struct DeliveryDeps {
    /// Holds the queue.
    pub store: Store,
    /// What everything is taken and recorded under.
    pub lease: Lease,
    pub client: Client,
    pub clock: Arc<dyn Clock>,
    /// Say whether anything is sent at all.
    pub settings: Settings,
    pub account: Account,
    pub limits: LaneLimits,
}

#[derive(Debug)]
struct DeliveryShared {
    /// Under the lease.
    store: Store,
    lease: Lease,
    client: Client,
    clock: Arc<dyn Clock>,
    settings: Settings,
    account: Account,
    lanes: Lanes,
    grace: Duration,
    signing: Arc<Semaphore>,
}

/// Sends what is due until `stop`, then finishes what is under way within a few seconds.
///
/// Cancel `stop` after every other task has queued its last message: whatever is queued by then is still sent if the
/// hosts are quick.
pub async fn run(deps: DeliveryDeps, stop: CancellationToken) {
    let shared = DeliveryShared {
        store: deps.store.under(&deps.lease),
        lease: deps.lease,
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

/// An activity to be sent, given up once its kind is no longer worth sending.
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
