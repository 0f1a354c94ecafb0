//! Servers on loopback for tests of what goes out: certificates of an authority that exists for one run, and a scripted
//! HTTP/1.1 server that misbehaves as a test needs.

mod authority;
mod peer;

pub use authority::Authority;
pub use peer::{Peer, Reply, Request, endless, reply, trickle};
pub use tokio_rustls::TlsAcceptor;
