//! Counts viewers without identifying anybody.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use model::address::network;

/// Limit (viewers): time without a request before a viewer counts as gone; one that comes back is counted again.
const SILENCE: Duration = Duration::from_secs(15);
/// Limit (viewers): viewers that are counted; further ones can watch and are not counted. Somebody with many addresses
/// cannot take all memory.
const MAX_VIEWERS: usize = 200_000;

/// User agents told apart behind one address, or one IPv6 network; more is no household but somebody making numbers up.
const MAX_AGENTS: u32 = 64;

/// Viewers the operator is shown with address and user agent; those beyond it are counted and not listed.
const MAX_LISTED: usize = 5_000;

/// What is kept of a viewer's user agent.
const MAX_AGENT_CHARS: usize = 200;

/// Identifies a viewer while they watch; a returning viewer gets another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewerId(u64);

impl fmt::Display for ViewerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A viewer, as shown to the operator.
#[derive(Clone, Debug)]
pub struct ViewerInfo {
    pub id: ViewerId,
    pub address: IpAddr,
    /// The user agent they send.
    pub user_agent: String,
    /// When they began to watch, as time since the start of the process.
    pub since: Duration,
}

/// A viewer is an address with a user agent that asks for playlists, or a player that reports that it is playing
/// (behind a cache its playlist requests do not arrive here). Viewers are told apart by keyed hashes; the operator can
/// see the identity of the first few thousand, and all of it is forgotten when they leave.
#[derive(Debug, Default)]
pub struct Viewers {
    key: RandomState,
    table: Mutex<ViewerTable>,
}

#[derive(Debug, Default)]
struct ViewerTable {
    viewers: HashMap<u64, Viewer>,
    /// Number of viewers per network.
    networks: HashMap<u64, u32>,
    /// The viewers that can be shown.
    listed: HashMap<u64, ViewerInfo>,
}

#[derive(Debug)]
struct Viewer {
    network: u64,
    last: Duration,
}

impl Viewers {
    /// Records a viewer at `now` (time since the start of the process). `None` if they are not
    /// counted.
    pub fn note(&self, address: IpAddr, user_agent: &[u8], now: Duration) -> Option<ViewerId> {
        let network = network(address);
        let id = self.key.hash_one((network, user_agent));
        let mut table = self.table.lock().ok()?;
        let table = &mut *table;
        if let Some(viewer) = table.viewers.get_mut(&id) {
            viewer.last = now;
            return Some(ViewerId(id));
        }
        let network = self.key.hash_one(network);
        let neighbours = table.networks.entry(network).or_default();
        if table.viewers.len() >= MAX_VIEWERS || *neighbours >= MAX_AGENTS {
            return None;
        }
        *neighbours += 1;
        table.viewers.insert(id, Viewer { network, last: now });
        if table.listed.len() < MAX_LISTED {
            let agent = String::from_utf8_lossy(user_agent);
            let viewer = ViewerInfo {
                id: ViewerId(id),
                address: address.to_canonical(),
                user_agent: agent.chars().take(MAX_AGENT_CHARS).collect(),
                since: now,
            };
            table.listed.insert(id, viewer);
        }
        Some(ViewerId(id))
    }

    /// Whether somebody is watching from this network.
    pub fn is_watched_from(&self, address: IpAddr) -> bool {
        let network = self.key.hash_one(network(address));
        let table = self.table.lock();
        table.is_ok_and(|table| table.networks.contains_key(&network))
    }

    /// The viewers, those who have watched longest first.
    pub fn list(&self) -> Vec<ViewerInfo> {
        let Ok(table) = self.table.lock() else {
            return Vec::new();
        };
        let mut list: Vec<ViewerInfo> = table.listed.values().cloned().collect();
        list.sort_by_key(|viewer| viewer.since);
        list
    }

    /// Forgets viewers that have left and counts the rest.
    pub fn count(&self, now: Duration) -> u32 {
        let Ok(mut table) = self.table.lock() else {
            return 0;
        };
        let ViewerTable {
            viewers,
            networks,
            listed,
        } = &mut *table;
        viewers.retain(|_, viewer| {
            let stays = now.saturating_sub(viewer.last) < SILENCE;
            if !stays && let Some(neighbours) = networks.get_mut(&viewer.network) {
                *neighbours -= 1;
            }
            stays
        });
        networks.retain(|_, neighbours| *neighbours > 0);
        listed.retain(|id, _| viewers.contains_key(id));
        if viewers.capacity() > 1024 && viewers.len() < viewers.capacity() / 8 {
            viewers.shrink_to_fit();
            networks.shrink_to_fit();
            listed.shrink_to_fit();
        }
        u32::try_from(viewers.len()).unwrap_or(u32::MAX)
    }

    /// Forgets all viewers when the stream is over.
    pub fn clear(&self) {
        if let Ok(mut table) = self.table.lock() {
            *table = ViewerTable::default();
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
    fn it_is_known_from_where_somebody_watches_until_they_go() {
        let viewers = Viewers::default();
        let [a, b] = ["2001:db8::1", "2001:db8::2"].map(|text| text.parse().unwrap());
        assert!(!viewers.is_watched_from(b));
        viewers.note(a, b"VLC", at(0));
        assert!(viewers.is_watched_from(b));
        assert!(!viewers.is_watched_from("2001:db8:0:1::".parse().unwrap()));
        assert_eq!(viewers.count(at(15)), 0);
        assert!(!viewers.is_watched_from(b));
    }

    #[test]
    fn the_operator_sees_who_watches_until_they_go() {
        let viewers = Viewers::default();
        let [a, b] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        let first = viewers.note(a, b"VLC", at(3)).unwrap();
        viewers.note(b, "x".repeat(500).as_bytes(), at(5)).unwrap();
        assert_eq!(viewers.note(a, b"VLC", at(6)), Some(first));
        let list = viewers.list();
        assert_eq!((list[0].id, list[0].address), (first, a));
        assert_eq!((list[0].user_agent.as_str(), list[0].since), ("VLC", at(3)));
        assert_eq!(list[1].user_agent.len(), MAX_AGENT_CHARS);
        assert_eq!(viewers.count(at(21)), 0);
        assert!(viewers.list().is_empty());
    }

    #[test]
    fn one_address_cannot_pretend_to_be_thousands() {
        let viewers = Viewers::default();
        for agent in 0..5_000_u32 {
            viewers.note("192.0.2.1".parse().unwrap(), &agent.to_be_bytes(), at(0));
            let neighbour = format!("2001:db8::{agent:x}").parse().unwrap();
            viewers.note(neighbour, b"VLC", at(0));
        }
        assert_eq!(
            viewers.count(at(1)),
            MAX_AGENTS + 1,
            "an IPv6 network is one address"
        );
        assert_eq!(viewers.count(at(20)), 0);
        viewers.note("192.0.2.1".parse().unwrap(), b"VLC", at(21));
        assert_eq!(
            viewers.count(at(22)),
            1,
            "and is counted again when it behaves"
        );
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
        assert_eq!(viewers.list().len(), MAX_LISTED);
        assert_eq!(viewers.count(at(60)), 0);
        assert!(viewers.table.lock().unwrap().viewers.capacity() < 1024);
    }
}
