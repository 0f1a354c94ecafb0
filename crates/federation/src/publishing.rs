//! What the stream publishes: that it is live, what the operator writes, how the profile looks now.
//!
//! Every activity goes into the store's durable queue, in one transaction with its cause, and is sent by
//! [`crate::delivery`]. What was published about the stream is known from the database and not from memory, so a
//! process that is killed and restarted neither repeats nor forgets anything.
//!
//! In reading order: `plan.rs` decides when, `heartbeat.rs` does it, `event_log.rs` follows the event log for profile
//! changes, `posts.rs` is what the operator does, and `effects.rs` turns the documents into what the store takes.
//! `post_image.rs` reads pictures.

pub(crate) mod effects;
mod event_log;
mod heartbeat;
mod plan;
mod post_image;
mod posts;

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use model::settings::table::federation::ENABLED;
use model::{Clock, StreamStatus};
use store::settings::Settings;
use store::{Lease, Store};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::identity::{Account, IdentityError};
use crate::names::Names;
use crate::profile::ActorProfile;
pub use post_image::{MAX_PICTURE_BYTES, PostImage, PostImageError};
pub use posts::{MAX_DESCRIPTION_CHARS, MAX_POST_CHARS, NewPost, PostError};

/// Supplies pictures of the stream.
pub trait PreviewSource: Debug + Send + Sync + 'static {
    /// The stream as it looks now; `None` if there is no picture of it.
    fn preview(&self) -> BoxFuture<'_, Option<Vec<u8>>>;
}

/// What publishing needs from other parts.
#[derive(Clone, Debug)]
pub struct OutboxDeps {
    pub store: Store,
    pub settings: Settings,
    pub clock: Arc<dyn Clock>,
    pub account: Account,
    /// Whether the stream can be watched.
    pub stream: watch::Receiver<StreamStatus>,
    /// Supplies pictures of the stream.
    pub preview: Arc<dyn PreviewSource>,
}

/// Publishes posts, pings and profile updates of the account; cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<OutboxDeps>);

impl Outbox {
    /// Nothing is published automatically before [`Outbox::run`].
    pub fn new(deps: OutboxDeps) -> Self {
        Self(Arc::new(deps))
    }

    /// The same account, which publishes under a lease.
    pub(crate) fn under(&self, lease: &Lease) -> LeasedOutbox {
        let deps = OutboxDeps {
            store: self.0.store.under(lease),
            ..(*self.0).clone()
        };
        LeasedOutbox {
            outbox: Self(Arc::new(deps)),
            is_alone: lease.is_always(),
        }
    }

    /// Publishes the stream's status until `stop`, then sends Leave to directories.
    pub async fn run(self, stop: CancellationToken) {
        self.under(&Lease::always()).run(stop).await;
    }

    /// The account that publishes; `None` while nothing may be sent: federation is off, or the server has no public
    /// https address.
    async fn speaker(&self) -> Result<Option<ActorProfile>, IdentityError> {
        let settings = self.0.settings.now();
        let names = Names::of(&settings).filter(Names::is_secure);
        if names.is_none() || !*settings.get(&ENABLED) {
            return Ok(None);
        }
        self.0.account.profile().await
    }
}

/// An outbox that publishes automatically.
pub(crate) struct LeasedOutbox {
    outbox: Outbox,
    is_alone: bool,
}

impl LeasedOutbox {
    /// Publishes the stream's status until `until`. A server that is alone then sends Leave to directories; among several
    /// the stream goes on elsewhere.
    pub(crate) async fn run(self, until: CancellationToken) {
        heartbeat::run(self.outbox, self.is_alone, until).await;
    }
}
