//! Outgoing notices: webhooks, Discord, browser push. This room has no code yet.
//!
//! It will read the durable event log behind a cursor of its own and tell others what happened: signed, retried with
//! growing pauses, and visible to the operator while it is pending.
//!
//! What it must not do:
//!
//! - open a socket: every request leaves through `outbound`, also those to addresses the operator typed;
//! - invent facts: what is not in the event log is not told;
//! - lose a notice in a restart, or send one before its cause is committed;
//! - follow redirects or let an answer grow without a bound;
//! - hold up whoever caused the event.
//!
//! Doors: it may use `store`, `outbound` and `model`. `web` and `server` may use it.
//!
//! The log and the cursors it will stand on exist already: `Store::events_after` and `Store::advance_cursor`.
