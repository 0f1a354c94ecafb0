//! Activities others send: checked without the network, stored, answered, then proven and handled, or dropped.
//!
//! In reading order, which is the path of an activity: `intake.rs` makes every check that needs no other server and
//! stores the request, `limits.rs` counts who sends how much, `envelope.rs` is how headers are stored; then `worker.rs`
//! takes requests one by one, `proof.rs` finds out who signed them, `context.rs` is what is known about the activity by
//! then, and each kind of activity that has an effect has its own file.
//!
//! A 202 promises only that the request is on disk. What is dropped later is counted, and logged with its reason.

mod answer;
mod context;
mod create;
mod delete;
mod dispatch;
mod engagement;
mod envelope;
mod follow;
mod intake;
mod limits;
#[doc(hidden)]
pub mod measure;
mod others;
mod proof;
mod quote;
mod stream;
mod undo;
mod update;
mod worker;

pub use intake::{HeadersAccepted, InboxError, InboxRequest, MAX_BODY_BYTES};
pub(crate) use limits::InboxLimits;
pub(crate) use worker::run;
