//! The life of a broadcast: who may publish, going live, a dropped connection, the end.
//!
//! One task ([`engine`](Stream::open)) owns the broadcast and hands its packager to the one publisher there is; [`Stream`] is the handle
//! everybody else holds. Media never passes through the task: a publisher's own connection drives the packager it was
//! lent, and gives it back when it goes.

mod diagnosis;
mod engine;
mod gate;
mod handle;
mod health;
mod publication;
mod publish_handler;
mod report;
mod transcoding;
mod viewers;

pub use diagnosis::{Advice, AdviceLevel};
pub use gate::{PublishGate, PublishGrant};
pub use handle::Stream;
pub use health::{InboundSample, Meter};
pub use publish_handler::StreamPublishHandler;
pub use report::{BroadcastReport, PublisherInfo, SessionInfo};
pub use viewers::{ViewerId, ViewerInfo, Viewers};
