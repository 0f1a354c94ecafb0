//! The Fediverse over real sockets: what other servers find and read, and what the operator and visitors do.

mod collections;
mod discovery;
mod documents;
mod inbox;
mod naming;
mod network;
mod operator;
mod pictures;
mod sending;
mod signin;
pub(crate) mod stage;
mod two_servers;
