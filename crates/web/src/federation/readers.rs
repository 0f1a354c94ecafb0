//! How often an address may read what is here for the Fediverse.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::address::network;

/// Reads from one address at once, and in a minute; more are answered with 429. A busy server reads a few documents of
/// ours a day, so this stops programs that run in a circle and nobody else.
const BURST: u32 = 300;
/// And then one per this long.
const INTERVAL: Duration = Duration::from_millis(200);
/// Addresses remembered; beyond that those that have all their reads back are forgotten, then all.
const MAX_TRACKED: usize = 10_000;

/// When each address has all its reads back.
#[derive(Debug, Default)]
pub(crate) struct Readers(Mutex<HashMap<IpAddr, Duration>>);

impl Readers {
    /// Counts one read; the error is how long to wait. Loopback is a proxy that we were not told of: the whole world
    /// comes from there, so it is not limited.
    pub(super) fn admit(&self, address: IpAddr, now: Duration) -> Result<(), Duration> {
        if address.to_canonical().is_loopback() {
            return Ok(());
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_TRACKED {
            known.retain(|_, full_at| *full_at > now);
        }
        if known.len() >= MAX_TRACKED {
            known.clear();
        }
        let full_at = known.entry(network(address)).or_insert(now);
        let ahead = full_at.saturating_sub(now);
        let most = INTERVAL * (BURST - 1);
        if ahead > most {
            return Err(ahead - most);
        }
        *full_at = (*full_at).max(now) + INTERVAL;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_three_hundred_documents_a_minute() {
        let readers = Readers::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        let now = Duration::from_secs(100);
        let admitted = (0..1000).filter(|_| readers.admit(address, now).is_ok());
        assert_eq!(admitted.count(), 300);
        let wait = readers.admit(address, now).unwrap_err();
        assert!(readers.admit(address, now + wait).is_ok());
        assert!(readers.admit(address, now + wait).is_err());
        assert!(readers.admit(IpAddr::from([192, 0, 2, 2]), now).is_ok());
        let proxy = IpAddr::from([127, 0, 0, 1]);
        assert!((0..1000).all(|_| readers.admit(proxy, now).is_ok()));
    }

    #[test]
    fn memory_is_bounded_whoever_reads() {
        let readers = Readers::default();
        for number in 0..25_000u32 {
            let address = IpAddr::from((number + (11 << 24)).to_be_bytes());
            assert!(readers.admit(address, Duration::ZERO).is_ok());
        }
        assert!(readers.0.lock().unwrap().len() <= MAX_TRACKED);
    }
}
