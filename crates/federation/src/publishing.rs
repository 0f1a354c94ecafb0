//! Who decides that something is said: that the stream is live, what the operator writes, how the profile looks now.
//!
//! What is said goes into the durable queue of the store, in one transaction with its cause, and is sent by
//! [`crate::delivery`]. What was said about the stream is known from the database and not from memory, so a process
//! that is killed and started again neither repeats nor forgets.
//!
//! In reading order: `plan.rs` says when, `heartbeat.rs` does it, `event_log.rs` follows the log of facts for changes of
//! the profile, `posts.rs` is what the operator does, and `effects.rs` makes the documents into what the store takes.
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
use store::Store;
use store::settings::Settings;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::identity::{Account, IdentityError};
use crate::names::Names;
use crate::profile::ActorProfile;
pub use post_image::{MAX_PICTURE_BYTES, PostImage, PostImageError};
pub use posts::{MAX_DESCRIPTION_CHARS, MAX_POST_CHARS, NewPost, PostError};

/// Where a picture of the stream comes from.
pub trait PreviewSource: Debug + Send + Sync + 'static {
    /// The stream as it looks now; `None` when there is no picture of it.
    fn preview(&self) -> BoxFuture<'_, Option<Vec<u8>>>;
}

/// What publishing needs of the other parts.
#[derive(Debug)]
pub struct OutboxDeps {
    /// Where everything is kept.
    pub store: Store,
    /// What the operator wants.
    pub settings: Settings,
    /// Time.
    pub clock: Arc<dyn Clock>,
    pub account: Account,
    /// Whether the stream can be watched.
    pub stream: watch::Receiver<StreamStatus>,
    /// Pictures of it.
    pub preview: Arc<dyn PreviewSource>,
}

/// What publishes posts, pings and profile updates of the account; cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<OutboxDeps>);

impl Outbox {
    /// Nothing is said by itself before [`Outbox::run`].
    pub fn new(deps: OutboxDeps) -> Self {
        Self(Arc::new(deps))
    }

    /// Speaks about the stream until `stop`, and says good-bye to directories then.
    pub async fn run(self, stop: CancellationToken) {
        heartbeat::run(self, stop).await;
    }

    /// Who speaks now; `None` while nothing may be said: federation is off, or the server has no public https address.
    async fn speaker(&self) -> Result<Option<ActorProfile>, IdentityError> {
        let settings = self.0.settings.now();
        let names = Names::of(&settings).filter(Names::is_secure);
        if names.is_none() || !*settings.get(&ENABLED) {
            return Ok(None);
        }
        self.0.account.profile().await
    }
}
