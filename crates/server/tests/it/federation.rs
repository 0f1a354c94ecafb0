//! The Fediverse, over real sockets: what other servers find and read.

mod collections;
mod discovery;
mod documents;
mod naming;
mod stage;
