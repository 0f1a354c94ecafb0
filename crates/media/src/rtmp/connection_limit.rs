//! Limits the number of connections without an accepted stream key.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Limit (broadcasters): RTMP connections without an accepted stream key; further ones are closed.
const MAX_STRANGERS: usize = 32;
/// Limit (broadcasters): RTMP connections without an accepted stream key from one address; further ones are closed. An
/// IPv6 network counts as one address.
const MAX_STRANGERS_PER_ADDRESS: usize = 4;

/// Counts the connections without an accepted stream key; clones share the count.
#[derive(Clone, Debug, Default)]
pub(super) struct UnauthenticatedLimit {
    waiting: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// The share of one such connection; released when dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    limit: UnauthenticatedLimit,
    network: IpAddr,
}

/// Which limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitReached {
    Server,
    Address,
}

impl UnauthenticatedLimit {
    pub(super) fn try_acquire(&self, address: IpAddr) -> Result<ConnectionPermit, LimitReached> {
        let network = model::address::network(address);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.values().sum::<usize>() >= MAX_STRANGERS {
            return Err(LimitReached::Server);
        }
        let from_here = waiting.entry(network).or_default();
        if *from_here >= MAX_STRANGERS_PER_ADDRESS {
            return Err(LimitReached::Address);
        }
        *from_here += 1;
        Ok(ConnectionPermit {
            limit: self.clone(),
            network,
        })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut waiting = self
            .limit
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = waiting.get_mut(&self.network) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                waiting.remove(&self.network);
            }
        }
    }
}

impl LimitReached {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Server => "too_many",
            Self::Address => "too_many_from_address",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v4(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn one_address_gets_four_places_and_a_place_left_is_free_again() {
        let limit = UnauthenticatedLimit::default();
        let mut permits: Vec<ConnectionPermit> =
            (0..4).map(|_| limit.try_acquire(v4(1)).unwrap()).collect();
        assert_eq!(limit.try_acquire(v4(1)).unwrap_err(), LimitReached::Address);
        assert!(limit.try_acquire(v4(2)).is_ok());
        permits.pop();
        assert!(limit.try_acquire(v4(1)).is_ok());
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let limit = UnauthenticatedLimit::default();
        let addresses = (1..=5).map(|last| format!("2001:db8::{last}").parse().unwrap());
        let entered: Vec<_> = addresses
            .map(|address| limit.try_acquire(address))
            .collect();
        assert_eq!(entered.iter().filter(|one| one.is_ok()).count(), 4);
    }

    #[test]
    fn the_house_is_full_with_thirty_two() {
        let limit = UnauthenticatedLimit::default();
        let permits: Vec<_> = (0..33).map(|last| limit.try_acquire(v4(last))).collect();
        assert_eq!(permits.iter().filter(|one| one.is_ok()).count(), 32);
        assert_eq!(permits[32].as_ref().unwrap_err(), &LimitReached::Server);
        drop(permits);
        assert!(limit.waiting.lock().unwrap().is_empty());
    }
}
