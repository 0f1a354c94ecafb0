//! What RTMP asks of others: may this publisher publish, and who takes its media.

use std::fmt::Debug;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use model::Secret;
use tokio_util::sync::CancellationToken;

use crate::flv::Metadata;

/// A publisher that asks to publish.
#[derive(Clone, Debug)]
pub struct PublishRequest {
    /// The stream key it showed.
    pub key: Secret,
    /// The application it named, usually `live`.
    pub app: String,
    /// Where it comes from.
    pub peer: SocketAddr,
    /// Its software, cleaned and at most 100 characters.
    pub encoder: String,
    /// Whether the key came over TLS.
    pub is_tls: bool,
}

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalCode {
    /// The stream key is not one of ours.
    BadKey,
    /// Somebody else publishes.
    Busy,
    /// The server is about to stop.
    Stopping,
}

impl RefusalCode {
    /// A word for metrics.
    pub fn label(self) -> &'static str {
        match self {
            Self::BadKey => "bad_key",
            Self::Busy => "busy",
            Self::Stopping => "stopping",
        }
    }
}

/// Why a publisher may not publish.
#[derive(Clone, Debug)]
pub struct PublishRefusal {
    /// The kind of refusal.
    pub code: RefusalCode,
    /// One English sentence for the publisher's log.
    pub reason: String,
    /// How long to wait before answering, against guessing.
    pub delay: Duration,
}

/// Decides who may publish.
pub trait PublishHandler: Send + Sync + Debug {
    /// Answers one publisher; may take its time.
    fn publish(
        &self,
        request: PublishRequest,
    ) -> BoxFuture<'_, Result<Box<dyn Sink>, PublishRefusal>>;
}

/// Why media cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaRejection {
    /// One English sentence for the publisher's log.
    pub reason: String,
}

/// How a publication ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicationEnd {
    /// The publisher ended it in good order.
    Unpublished,
    /// The connection was lost or given up, for this reason.
    Dropped(String),
    /// [`Sink::revoked`] was cancelled.
    Revoked,
}

/// One publication. Calls are quick and never wait; a sink that is dropped without [`Sink::end`] ends by itself.
pub trait Sink: Send {
    /// What the sender says about its stream; may come again.
    fn metadata(&mut self, metadata: Metadata);

    /// A body for [`crate::flv::video`]. An error ends the publication.
    fn video(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), MediaRejection>;

    /// A body for [`crate::flv::audio`]. An error ends the publication.
    fn audio(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), MediaRejection>;

    /// Cancelled when the operator or a take-over ends this publication.
    fn revoked(&self) -> CancellationToken;

    /// How long the publisher may be silent.
    fn idle_limit(&self) -> Duration;

    /// The last call.
    fn end(self: Box<Self>, how: PublicationEnd);
}
