//! Deliveries: out of the durable queue, signed the moment they are sent, to the inboxes of other servers.
//!
//! The queue is in the store, and whatever is to be sent is written there in the transaction of its cause. This part
//! takes out what is due and writes down what came of it; a process that is killed in between sends again what it had
//! taken, and nothing is lost.
//!
//! In reading order: `dispatcher.rs` takes what is due, in `desk.rs` it waits for a place, `lanes.rs` lets slow hosts step
//! aside into `slow.rs`, `request.rs` signs and posts, `rules.rs` says what follows from the answer, and `ledger.rs`
//! writes it down.

mod desk;
mod dispatcher;
mod lanes;
mod ledger;
mod request;
mod rules;
mod slow;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::Clock;
use outbound::Client;
use store::Store;
use store::federation::{Audience, DeliveryKind, Outgoing};
use store::settings::Settings;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::document::Activity;
use crate::identity::Account;
use lanes::Lanes;
pub use lanes::Pace;

/// Signatures made at once, each on a thread of its own; further ones wait. More would take the processor from video.
const SIGNING_THREADS: usize = 2;

/// What deliveries need of the others.
#[derive(Clone, Debug)]
pub struct Fittings {
    /// Where the queue is.
    pub store: Store,
    /// The way out.
    pub client: Client,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Whether anything is sent at all.
    pub settings: Settings,
    /// Who signs.
    pub account: Account,
    /// How many requests there are at once.
    pub pace: Pace,
}

#[derive(Debug)]
struct Shared {
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
pub async fn run(fittings: Fittings, stop: CancellationToken) {
    let shared = Shared {
        store: fittings.store,
        client: fittings.client,
        clock: fittings.clock,
        settings: fittings.settings,
        account: fittings.account,
        lanes: Lanes::new(fittings.pace),
        grace: fittings.pace.grace,
        signing: Arc::new(Semaphore::new(SIGNING_THREADS)),
    };
    dispatcher::run(Arc::new(shared), stop).await;
}

/// Something to be sent, given up when its kind is no longer worth sending.
pub fn outgoing(
    activity: &Activity,
    kind: DeliveryKind,
    audience: Audience,
    now: Timestamp,
) -> Outgoing {
    Outgoing {
        id: activity.id.clone(),
        json: activity.json.to_string(),
        kind,
        audience,
        signer: None,
        expires_at: now + rules::life(kind),
    }
}
