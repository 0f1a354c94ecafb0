//! Who is watching, counted without knowing anybody.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

/// A viewer that has not been heard of for this long has gone.
const SILENCE: Duration = Duration::from_secs(15);
/// Viewers told apart; beyond it new ones are not counted, so that a stranger with many addresses cannot take memory.
const MAX_VIEWERS: usize = 200_000;

/// A viewer is an address with a user agent: whoever asks for playlists, and players that say they are playing (behind a
/// cache their playlist requests do not arrive here). Only a keyed hash is kept, and only while somebody watches.
#[derive(Debug, Default)]
pub struct Viewers {
    key: RandomState,
    seen: Mutex<HashMap<u64, Duration>>,
}

impl Viewers {
    /// Somebody is watching at `now` (time since the start of the process).
    pub fn note(&self, address: IpAddr, user_agent: &[u8], now: Duration) {
        let id = self.key.hash_one((address.to_canonical(), user_agent));
        let Ok(mut seen) = self.seen.lock() else {
            return;
        };
        if seen.len() < MAX_VIEWERS || seen.contains_key(&id) {
            seen.insert(id, now);
        }
    }

    /// Forgets those who have gone and counts the rest.
    pub fn count(&self, now: Duration) -> u32 {
        let Ok(mut seen) = self.seen.lock() else {
            return 0;
        };
        seen.retain(|_, last| now.saturating_sub(*last) < SILENCE);
        if seen.capacity() > 1024 && seen.len() < seen.capacity() / 8 {
            seen.shrink_to_fit();
        }
        u32::try_from(seen.len()).unwrap_or(u32::MAX)
    }

    /// Nobody watches a stream that is over.
    pub fn clear(&self) {
        if let Ok(mut seen) = self.seen.lock() {
            *seen = HashMap::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_viewer_is_an_address_with_a_user_agent() {
        let viewers = Viewers::default();
        let [a, b] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        viewers.note(a, b"VLC", at(0));
        viewers.note(a, b"VLC", at(1));
        viewers.note(a, b"Firefox", at(1));
        viewers.note(b, b"VLC", at(1));
        assert_eq!(viewers.count(at(2)), 3);
    }

    #[test]
    fn fifteen_seconds_of_silence_are_a_farewell() {
        let viewers = Viewers::default();
        viewers.note("192.0.2.1".parse().unwrap(), b"", at(0));
        viewers.note("192.0.2.2".parse().unwrap(), b"", at(10));
        assert_eq!(viewers.count(at(14)), 2);
        assert_eq!(viewers.count(at(15)), 1);
        assert_eq!(viewers.count(at(25)), 0);
    }

    #[test]
    fn more_addresses_than_anybody_needs_are_not_kept() {
        let viewers = Viewers::default();
        for id in 0..=u32::try_from(MAX_VIEWERS).unwrap() {
            viewers.note(IpAddr::from(id.to_be_bytes()), b"", at(0));
        }
        assert_eq!(viewers.count(at(1)) as usize, MAX_VIEWERS);
        assert_eq!(viewers.count(at(60)), 0);
        assert!(viewers.seen.lock().unwrap().capacity() < 1024);
    }
}
