//! A listener that must never be reached.

use std::net::{SocketAddr, TcpListener};

/// Counts every connection that was ever made to it.
///
/// The kernel completes a connection before anyone accepts it, so the queue is counted only on request, and nothing can
/// slip by between two counts.
pub(crate) struct Trap {
    listener: TcpListener,
}

impl Trap {
    /// A trap on a free port of `127.0.0.1`.
    pub(crate) fn set() -> Self {
        Self::at("127.0.0.1:0").unwrap()
    }

    /// A trap at `address`, if this machine has it.
    pub(crate) fn at(address: &str) -> Option<Self> {
        let listener = TcpListener::bind(address).ok()?;
        listener.set_nonblocking(true).unwrap();
        Some(Self { listener })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap()
    }

    pub(crate) fn port(&self) -> u16 {
        self.address().port()
    }

    /// Connections since the last count.
    pub(crate) fn connections(&self) -> usize {
        std::iter::from_fn(|| self.listener.accept().ok()).count()
    }
}
