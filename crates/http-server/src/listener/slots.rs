//! Limits connections, in total and per address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use model::address::network;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::client::TrustedProxies;

/// Limit (viewers): HTTP connections from one address, trusted proxies and this machine excepted; further ones are
/// closed. With few open files allowed it is an eighth of all connections.
const MAX_PER_ADDRESS: usize = 512;

/// How many connections are allowed.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// In total; beyond that new ones wait in the system's backlog.
    pub total: usize,
    /// From one address, except trusted proxies and this machine.
    pub per_address: usize,
}

impl ConnectionLimits {
    /// 70 % of the file descriptors for connections, and at most an eighth of those for any one address.
    pub fn from_fd_limit(fds: u64) -> Self {
        let total = usize::try_from(fds.min(1_000_000) * 7 / 10)
            .unwrap_or(700)
            .max(16);
        Self {
            total,
            per_address: (total / 8).clamp(16, MAX_PER_ADDRESS),
        }
    }
}

/// Connections per address.
type Counts = Arc<Mutex<HashMap<IpAddr, usize>>>;

/// Counts connections; clones share the count.
#[derive(Clone, Debug)]
pub(super) struct ConnectionSlots {
    total: Arc<Semaphore>,
    by_address: Counts,
    per_address: usize,
    trusted: TrustedProxies,
}

/// A connection's slot; released when dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    _total: Option<OwnedSemaphorePermit>,
    counted: Option<(IpAddr, Counts)>,
}

impl ConnectionSlots {
    pub(super) fn new(limits: &ConnectionLimits, trusted: TrustedProxies) -> Self {
        Self {
            total: Arc::new(Semaphore::new(limits.total)),
            by_address: Arc::default(),
            per_address: limits.per_address,
            trusted,
        }
    }

    /// Waits until there is capacity for one more.
    pub(super) async fn wait_for_capacity(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.total).acquire_owned().await.ok()
    }

    /// A slot for `address`, unless it has used its share.
    pub(super) fn take(
        &self,
        total: Option<OwnedSemaphorePermit>,
        address: IpAddr,
    ) -> Option<ConnectionSlot> {
        // A proxy speaks for many, and a process on this machine needs no sockets to harm it. A proxy is trusted by its
        // own address, not by its network's.
        if address.to_canonical().is_loopback() || self.trusted.contains(address) {
            return Some(ConnectionSlot {
                _total: total,
                counted: None,
            });
        }
        let address = network(address);
        let mut counts = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= self.per_address {
            return None;
        }
        *count += 1;
        Some(ConnectionSlot {
            _total: total,
            counted: Some((address, Arc::clone(&self.by_address))),
        })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let Some((address, counts)) = &self.counted else {
            return;
        };
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(address);
            }
        }
    }
}

/// Logs sparingly: ten lines a second would fill a disk that may already be full.
pub(super) fn complain(error: &std::io::Error) {
    metrics::counter!("rillcast_accept_failures_total").increment(1);
    model::stranger_line!(error, "accept", %error, "cannot accept connections");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gets_its_share_and_no_more() {
        let limits = ConnectionLimits {
            total: 100,
            per_address: 2,
        };
        let slots =
            ConnectionSlots::new(&limits, TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]));
        let take = |address: &str| slots.take(None, address.parse().unwrap());
        let first = take("192.0.2.1").unwrap();
        let _second = take("::ffff:192.0.2.1").unwrap();
        assert!(take("192.0.2.1").is_none());
        let _other = take("192.0.2.2").unwrap();
        drop(first);
        assert!(take("192.0.2.1").is_some());
        let proxied: Vec<_> = (0..50).map(|_| take("10.1.1.1").unwrap()).collect();
        drop(proxied);
    }

    #[test]
    fn a_trusted_proxy_with_an_ipv6_address_speaks_for_many() {
        let limits = ConnectionLimits {
            total: 100,
            per_address: 2,
        };
        let slots = ConnectionSlots::new(
            &limits,
            TrustedProxies(vec!["fd77::2/128".parse().unwrap()]),
        );
        let take = |address: &str| slots.take(None, address.parse().unwrap());
        let proxied: Vec<_> = (0..50).map(|_| take("fd77::2").unwrap()).collect();
        // Its neighbours count together; the proxy's connections do not count with them.
        let _neighbours = [take("fd77::3").unwrap(), take("fd77::4").unwrap()];
        assert!(take("fd77::5").is_none());
        drop(proxied);
    }

    #[test]
    fn nothing_is_remembered_of_those_who_left() {
        let slots = ConnectionSlots::new(
            &ConnectionLimits::from_fd_limit(1024),
            TrustedProxies::default(),
        );
        for last in 0..=255 {
            drop(slots.take(None, IpAddr::from([192, 0, 2, last])));
        }
        assert!(slots.by_address.lock().unwrap().is_empty());
    }

    #[test]
    fn limits_follow_the_file_descriptors() {
        let limits = ConnectionLimits::from_fd_limit(20_000);
        assert_eq!((limits.total, limits.per_address), (14_000, 512));
        assert_eq!(ConnectionLimits::from_fd_limit(0).total, 16);
    }
}
