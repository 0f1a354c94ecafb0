//! Outgoing notices. Today these are webhooks; Discord and browser push will follow.
//!
//! This crate reads the durable event log behind a cursor of its own and tells others what happened: signed, retried with
//! growing pauses, and visible to the operator while it is pending.
//!
//! What it must not do:
//!
//! - open a socket: every request leaves through `outbound`, also those to addresses the operator typed;
//! - invent facts: what is not in the event log is not told;
//! - lose a notice in a restart, or send one before its cause is committed;
//! - follow redirects or let an answer grow without a bound;
//! - hold up whoever caused the event;
//! - know what a body looks like: that is [`PayloadBuilder`], which `web` has.
//!
//! It may use `store`, `outbound` and `model`; `web` and `server` may use it.
//!
//! In reading order, which is the way of a notice: `webhooks/follower.rs` turns facts into rows of a queue,
//! `webhooks/dispatcher.rs` decides whose queue is looked at, `webhooks/queue_worker.rs` sends one queue in its order with
//! `webhooks/request.rs` and `webhooks/signature.rs`, and `webhooks/retry.rs` says what follows from the answer.

mod event_names;
mod payload;
mod random;
mod webhooks;

pub use event_names::{EVENT_NAMES, known_event};
pub use payload::{PayloadBuilder, WebhookPayload};
pub use webhooks::{
    CreatedWebhook, MAX_SECRET_BYTES, WebhookDeps, WebhookError, WebhookInput, WebhookState,
    WebhookStatus, Webhooks,
};
