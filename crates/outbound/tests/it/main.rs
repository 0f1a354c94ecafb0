//! The client against real sockets: traps that count connections, and peers that misbehave.

#![allow(clippy::unwrap_used)]

mod addresses;
mod budget;
mod environment;
mod faults;
mod http2;
mod internal;
mod literals;
mod promises;
mod rebinding;
mod redirects;
mod replay;
mod start;
mod support;
mod tls;
