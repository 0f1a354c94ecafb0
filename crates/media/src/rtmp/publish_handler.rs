//! The interface for callers: may this publisher publish, and where does its media go.

use std::fmt::Debug;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use media_formats::flv::Metadata;
use media_formats::rtmp::session::RefusalCode;
use model::Secret;
use tokio_util::sync::CancellationToken;

/// A request to publish.
#[derive(Clone, Debug)]
pub struct PublishRequest {
    /// The stream key it sent.
    pub key: Secret,
    /// The application it named, usually `live`.
    pub app: String,
    /// The publisher's address.
    pub peer: SocketAddr,
    /// The publisher's software, cleaned and at most 100 characters.
    pub encoder: String,
    /// Whether the key came over TLS.
    pub is_tls: bool,
}

/// Why a publisher was refused.
#[derive(Clone, Debug)]
pub struct PublishRefusal {
    pub code: RefusalCode,
    /// One English sentence for the publisher's log.
    pub reason: String,
    /// How long to delay the reply, to slow down guessing.
    pub delay: Duration,
}

/// Decides who may publish.
pub trait PublishHandler: Send + Sync + Debug {
    /// Decides on one publisher; may take its time.
    fn publish(
        &self,
        request: PublishRequest,
    ) -> BoxFuture<'_, Result<Box<dyn Sink>, PublishRefusal>>;
}

/// Why media was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaRejection {
    /// One English sentence for the publisher's log.
    pub reason: String,
}

/// How a publication ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicationEnd {
    /// The publisher ended it properly.
    Unpublished,
    /// The connection was lost or dropped, for this reason.
    Dropped(String),
    /// [`Sink::revoked`] was cancelled.
    Revoked,
}

/// One publication. Calls are quick and never wait; dropping a sink without [`Sink::end`] ends it, too.
pub trait Sink: Send {
    /// What the publisher declares about its stream; may be repeated.
    fn metadata(&mut self, metadata: Metadata);

    /// A body for [`media_formats::flv::video`]. An error ends the publication.
    fn video(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), MediaRejection>;

    /// A body for [`media_formats::flv::audio`]. An error ends the publication.
    fn audio(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), MediaRejection>;

    /// Cancelled when the operator or a takeover ends this publication.
    fn revoked(&self) -> CancellationToken;

    /// How long the publisher may be silent.
    fn idle_limit(&self) -> Duration;

    /// The last call.
    fn end(self: Box<Self>, how: PublicationEnd);
}
