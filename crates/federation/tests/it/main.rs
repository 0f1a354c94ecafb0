//! The crate as others use it: real databases, real sockets, its own clock.
#![allow(clippy::unwrap_used)]

mod account;
mod codes;
mod decisions;
mod delivery;
mod featuring;
mod fetching;
mod house;
mod inbox;
mod keys;
mod lookup;
mod outlook;
mod peer;
mod replay;
mod signed;
mod voice;
mod world;
