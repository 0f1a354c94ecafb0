//! Webhooks against real receivers on real sockets.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod answers;
mod delivery;
mod manage;
mod receiver;
mod support;
