//! Outgoing notifications. Today these are webhooks; Discord and browser push will follow.
//!
//! This crate reads the durable event log with a cursor of its own and tells others what happened: signed, retried with
//! growing pauses, and visible to the operator while pending.
//!
//! What it must not do:
//!
//! - open a socket: every request leaves through `outbound`, even to addresses the operator typed;
//! - invent events: what is not in the event log is not sent;
//! - lose a notice in a restart, or send one before its cause is committed;
//! - follow redirects or read an answer of unbounded size;
//! - hold up whoever caused the event;
//! - know what a body looks like: that is the job of [`PayloadBuilder`], which `web` implements.
//!
//! It may use `store`, `outbound` and `model`; `web` and `server` may use it.
//!
//! In reading order, which is the path of a notice: `webhooks/follower.rs` turns events into rows of a queue,
//! `webhooks/dispatcher.rs` decides which queue to look at, `webhooks/queue_worker.rs` sends one queue in order with
//! `webhooks/request.rs` and `webhooks/signature.rs`, and `webhooks/retry.rs` decides what follows from the answer.

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
