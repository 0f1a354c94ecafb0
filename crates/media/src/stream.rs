//! The life of a broadcast: who may publish, going live, a dropped connection, the end.
//!
//! One task ([`engine`](Stream::open)) owns the broadcast and hands its packager to the one publisher there is; [`Stream`] is the handle
//! everybody else holds. Media never passes through the task: a publisher's own connection drives the packager it was
//! lent, and gives it back when it goes.

mod diagnosis;
mod engine;
mod front;
mod gate;
mod handle;
mod health;
mod ladder;
mod publication;
mod report;
mod viewers;

pub use diagnosis::{Advice, Level};
pub use front::Front;
pub use gate::{Grant, PublishGate};
pub use handle::Stream;
pub use health::{InboundSample, Meter};
pub use report::{PublisherInfo, Report, SessionInfo};
pub use viewers::{ViewerId, ViewerInfo, Viewers};
