//! The life cycle of a broadcast: who may publish, going live, a dropped connection, the end.
//!
//! One task ([`engine`](Stream::open)) owns the broadcast and lends its packager to the one publisher; [`Stream`] is
//! everybody else's handle. Media never passes through the task: the publisher's own connection drives the packager,
//! and returns it when it ends.

mod diagnosis;
mod engine;
mod gate;
mod handle;
mod health;
mod mirror;
mod peers;
mod publication;
mod publish_handler;
mod report;
pub mod sentences;
mod transcoding;
mod viewer_marks;
mod viewers;

pub use diagnosis::{Advice, AdviceLevel};
pub use gate::{PublishGate, PublishGrant};
pub use handle::{LocalBroadcast, Stream};
pub use health::{InboundSample, Meter};
pub use mirror::StreamMirror;
pub use peers::IngestPeers;
pub use publish_handler::StreamPublishHandler;
pub use report::{BroadcastReport, PublisherInfo, SessionInfo};
pub use viewer_marks::ViewerMark;
pub use viewers::{ViewerId, ViewerInfo, ViewerRequest, Viewers};
