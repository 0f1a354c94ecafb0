//! The room as others use it: real databases, real sockets, a clock of its own.
#![allow(clippy::unwrap_used, missing_docs)]

mod decisions;
mod featuring;
mod fetching;
mod keys;
mod lookup;
mod outlook;
mod peer;
mod replay;
mod world;
