//! The base of HTTP: connections with their limits, TLS, who is calling, and answers every route has.
//!
//! It knows no route, no document and no domain: [`serve`] gets a [`RequestHandler`], a function from a request to an
//! answer, and asks it for every request of every connection. So it must not use any crate of the workspace except
//! `model`.
//!
//! Start with [`serve`]. A request reaches the handler with two extensions: a [`client::PeerInfo`], from which
//! [`client::identify`] determines the [`client::ClientInfo`], and the connection's [`Lease`].

mod chained_body;
pub mod client;
pub mod envelope;
pub mod etag;
pub mod json;
mod listener;
pub mod range;
mod tls;

pub use chained_body::ChainedBody;
pub use client::TrustedProxies;
pub use listener::{
    ConnectionLimits, Lease, OnUpgrade, RequestHandler, Shutdown, UpgradedStream, downcast_tcp,
    serve,
};
pub use tls::{Tls, TlsError};
