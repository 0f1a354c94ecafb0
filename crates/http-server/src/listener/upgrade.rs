//! What is left of a connection after an upgrade (RFC 9110 §7.8).

use bytes::Bytes;
pub use hyper::upgrade::OnUpgrade;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use tokio::net::TcpStream;

use super::stall_guard::{PrefixedStream, StallGuard};

/// A connection after its upgrade, with whatever is below it, such as TLS.
pub type UpgradedStream = TokioIo<Upgraded>;

/// The TCP connection below an upgraded one, with bytes already read from it but not yet consumed. Fails if there is
/// TLS between.
pub fn downcast_tcp(upgraded: Upgraded) -> Result<(TcpStream, Bytes), UpgradedStream> {
    let parts = auto::upgrade::downcast::<TokioIo<StallGuard<PrefixedStream<TcpStream>>>>(upgraded)
        .map_err(TokioIo::new)?;
    let (stream, unread) = parts.io.into_inner().into_inner().into_parts();
    let read = [parts.read_buf, unread].concat();
    Ok((stream, read.into()))
}
