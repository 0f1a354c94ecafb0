//! How often an address may make this server ask another one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::address::network;

use crate::problem::Problem;

/// Requests from one address at once, and in a minute.
const BURST: u32 = 5;
/// And then one per this long.
const INTERVAL: Duration = Duration::from_secs(12);
/// Addresses remembered; beyond that those that may ask again anyway are forgotten, then all.
const MAX_TRACKED: usize = 10_000;

/// One pace for each thing that is limited.
#[derive(Debug, Default)]
pub(crate) struct Paces {
    /// Following from elsewhere.
    pub(super) follow: Pace,
    /// Codes for signing in.
    pub(super) codes: Pace,
}

/// When each address has all its requests back. Loopback counts like any other: what is limited here is what we do to
/// others, so a proxy we were not told of does not lift it.
#[derive(Debug, Default)]
pub(super) struct Pace(Mutex<HashMap<IpAddr, Duration>>);

impl Pace {
    /// Counts one.
    pub(super) fn admit(&self, address: IpAddr, now: Duration) -> Result<(), Problem> {
        self.take(address, now)
            .map_err(|retry_after| Problem::TooMany {
                message: "too many requests come from your address, please try again in a minute"
                    .into(),
                retry_after,
            })
    }

    /// The error is how long to wait.
    fn take(&self, address: IpAddr, now: Duration) -> Result<(), Duration> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_TRACKED {
            known.retain(|_, full_at| *full_at > now);
        }
        if known.len() >= MAX_TRACKED {
            known.clear();
        }
        let full_at = known.entry(network(address)).or_insert(now);
        let ahead = (*full_at).saturating_sub(now);
        if ahead > INTERVAL * (BURST - 1) {
            return Err(ahead - INTERVAL * (BURST - 1));
        }
        *full_at = (*full_at).max(now) + INTERVAL;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_requests_a_minute_and_the_wait_is_told() {
        let pace = Pace::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        let now = Duration::from_secs(100);
        let admitted = (0..50).filter(|_| pace.take(address, now).is_ok());
        assert_eq!(admitted.count(), 5);
        let wait = pace.take(address, now).unwrap_err();
        assert_eq!(wait, INTERVAL);
        assert!(pace.take(address, now + wait).is_ok());
        assert!(pace.take(address, now + wait).is_err());
        assert!(pace.take(IpAddr::from([192, 0, 2, 2]), now).is_ok());
    }

    #[test]
    fn a_whole_ipv6_network_counts_as_one_and_memory_is_bounded() {
        let pace = Pace::default();
        let hosts = (0..100u16).map(|host| IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, host]));
        let admitted = hosts.filter(|host| pace.take(*host, Duration::ZERO).is_ok());
        assert_eq!(admitted.count(), 5);
        for number in 0..25_000u32 {
            let address = IpAddr::from((number + (11 << 24)).to_be_bytes());
            assert!(pace.take(address, Duration::ZERO).is_ok());
        }
        assert!(pace.0.lock().unwrap().len() <= MAX_TRACKED);
    }
}
