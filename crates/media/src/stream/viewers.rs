//! Counts viewers without identifying anybody.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use model::address::network;

use super::viewer_marks::{MarkKey, ViewerMark};

/// Limit (viewers): time without a request before a viewer counts as gone; one that comes back is counted again.
const SILENCE: Duration = Duration::from_secs(15);
/// Limit (viewers): viewers that are counted; further ones can watch and are not counted. Somebody with many addresses
/// cannot take all memory.
const MAX_VIEWERS: usize = 200_000;

/// Limit (viewers): viewers counted behind one address, or one IPv6 network; further ones can watch and are not counted.
/// More is rarely a household and usually somebody making numbers up.
const MAX_PER_NETWORK: u32 = 20;

/// Viewers the operator is shown with address and user agent; those beyond it are counted and not listed.
const MAX_LISTED: usize = 5_000;

/// What is kept of a viewer's user agent.
const MAX_AGENT_CHARS: usize = 200;

/// Limit (clients): the longest session id a player may send; one that is longer is ignored.
const MAX_SESSION_BYTES: usize = 64;

/// Identifies a viewer while they watch; a returning viewer gets another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewerId(u64);

impl fmt::Display for ViewerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// What tells viewers apart in a request of theirs.
#[derive(Clone, Copy, Debug)]
pub struct ViewerRequest<'a> {
    pub address: IpAddr,
    pub user_agent: &'a [u8],
    /// The id a player makes up for itself; browsers behind one address are often the same but for this.
    pub session: Option<&'a str>,
}

/// A viewer, as shown to the operator.
#[derive(Clone, Debug)]
pub struct ViewerInfo {
    pub id: ViewerId,
    /// The same for all viewers with this address and user agent.
    pub client: ViewerId,
    pub address: IpAddr,
    /// The user agent they send.
    pub user_agent: String,
    /// When they began to watch, as time since the start of the process.
    pub since: Duration,
}

/// A viewer is a player that says which session it is, or else an address with a user agent: one that asks for
/// playlists, or reports that it is playing (behind a cache its playlist requests do not arrive here). Viewers are told
/// apart by keyed hashes; the operator can see the identity of the first few thousand, and all of it is forgotten when
/// they leave.
///
/// One of several machines counts those at the other machines as well.
#[derive(Debug, Default)]
pub struct Viewers {
    key: RandomState,
    table: Mutex<ViewerTable>,
    /// What marks are made with; nothing on a server that is alone.
    mark_key: OnceLock<MarkKey>,
    /// Viewers at other machines, without those that are here, too.
    elsewhere: AtomicU32,
}

#[derive(Debug, Default)]
struct ViewerTable {
    clients: HashMap<ViewerId, Client>,
    /// Number of viewers.
    count: usize,
    /// Number of viewers per network.
    networks: HashMap<u64, u32>,
    /// The viewers that can be shown.
    listed: HashMap<ViewerId, ViewerInfo>,
}

/// An address with a user agent. It is one viewer, or as many as it has sessions: whoever sends a session also asks for
/// playlists, which carry none.
#[derive(Debug)]
struct Client {
    network: u64,
    mark: u64,
    last_request: Duration,
    sessions: Vec<PlayerSession>,
}

#[derive(Debug)]
struct PlayerSession {
    id: ViewerId,
    mark: u32,
    last_request: Duration,
}

/// A viewer as the table is asked for one.
#[derive(Clone, Copy, Debug)]
struct NotedViewer {
    client: ViewerId,
    session: Option<ViewerId>,
    network: u64,
    mark: ViewerMark,
}

impl Client {
    fn viewers(&self) -> usize {
        self.sessions.len().max(1)
    }
}

fn is_present(last_request: Duration, now: Duration) -> bool {
    now.saturating_sub(last_request) < SILENCE
}

impl Viewers {
    /// Records a viewer at `now` (time since the start of the process). `None` if they are not
    /// counted.
    pub fn note(&self, request: &ViewerRequest<'_>, now: Duration) -> Option<ViewerId> {
        let network = network(request.address);
        let client = ViewerId(self.key.hash_one((network, request.user_agent)));
        let sent = request.session.filter(|session| is_session(session));
        let session = sent.map(|session| ViewerId(self.key.hash_one((client, session))));
        let marked = |key: &MarkKey| key.mark(&(network, request.user_agent), sent);
        let noted = NotedViewer {
            client,
            session,
            mark: self.mark_key.get().map(marked).unwrap_or_default(),
            network: self.key.hash_one(network),
        };
        let mut table = self.table.lock().ok()?;
        let viewer = table.note(noted, now)?;
        table.list(viewer, client, request, now);
        Some(viewer)
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

    /// From now on viewers get marks that are the same at every machine with this key.
    pub fn mark_with(&self, key: &[u8]) {
        // Another key would make strangers of those who are here.
        let _ = self.mark_key.set(MarkKey::new(key));
    }

    /// The marks of the viewers here; `None` if there are more than `most`.
    pub fn marks(&self, most: usize) -> Option<Vec<ViewerMark>> {
        let Ok(table) = self.table.lock() else {
            return Some(Vec::new());
        };
        if table.count > most {
            return None;
        }
        let mut marks = Vec::with_capacity(table.count);
        for known in table.clients.values() {
            let client = known.mark;
            if known.sessions.is_empty() {
                marks.push(ViewerMark { client, session: 0 });
            }
            marks.extend(known.sessions.iter().map(|one| ViewerMark {
                client,
                session: one.mark,
            }));
        }
        Some(marks)
    }

    /// How many there are at other machines and not here.
    pub fn set_elsewhere(&self, viewers: u32) {
        self.elsewhere.store(viewers, Ordering::Relaxed);
    }

    /// Forgets viewers that have left and counts the rest, here and at other machines.
    pub fn count(&self, now: Duration) -> u32 {
        let elsewhere = self.elsewhere.load(Ordering::Relaxed);
        self.count_here(now).saturating_add(elsewhere)
    }

    /// Forgets viewers that have left and counts the rest at this machine.
    pub fn count_here(&self, now: Duration) -> u32 {
        let Ok(mut table) = self.table.lock() else {
            return 0;
        };
        table.forget_absent(now);
        u32::try_from(table.count).unwrap_or(u32::MAX)
    }

    /// Forgets all viewers when the stream is over.
    pub fn clear(&self) {
        if let Ok(mut table) = self.table.lock() {
            *table = ViewerTable::default();
        }
    }
}

fn is_session(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_SESSION_BYTES
}

impl ViewerTable {
    fn note(&mut self, noted: NotedViewer, now: Duration) -> Option<ViewerId> {
        let NotedViewer {
            client,
            session,
            network,
            mark,
        } = noted;
        let Some(known) = self.clients.get_mut(&client) else {
            self.add_to(network)?;
            let sessions = session.map(|id| PlayerSession {
                id,
                mark: mark.session,
                last_request: now,
            });
            let added = Client {
                network,
                mark: mark.client,
                last_request: now,
                sessions: sessions.into_iter().collect(),
            };
            self.clients.insert(client, added);
            return Some(session.unwrap_or(client));
        };
        known.last_request = now;
        // Whoever came before there was a key gets one now.
        known.mark = mark.client;
        let Some(id) = session else {
            return Some(client);
        };
        if let Some(session) = known.sessions.iter_mut().find(|known| known.id == id) {
            session.last_request = now;
            session.mark = mark.session;
            return Some(id);
        }
        // The first one is the viewer that the client counted as until now.
        if known.sessions.is_empty() {
            if let Some(viewer) = self.listed.remove(&client) {
                self.listed.insert(id, ViewerInfo { id, ..viewer });
            }
        } else {
            self.add_to(network)?;
        }
        let sessions = &mut self.clients.get_mut(&client)?.sessions;
        sessions.push(PlayerSession {
            id,
            mark: mark.session,
            last_request: now,
        });
        Some(id)
    }

    /// Counts one more viewer, if there may be more.
    fn add_to(&mut self, network: u64) -> Option<()> {
        let neighbours = self.networks.entry(network).or_default();
        if self.count >= MAX_VIEWERS || *neighbours >= MAX_PER_NETWORK {
            return None;
        }
        *neighbours += 1;
        self.count += 1;
        Some(())
    }

    /// A client with sessions is listed by these alone.
    fn list(
        &mut self,
        viewer: ViewerId,
        client: ViewerId,
        request: &ViewerRequest<'_>,
        now: Duration,
    ) {
        let is_known = self.listed.contains_key(&viewer) || self.listed.len() >= MAX_LISTED;
        let has_sessions = || {
            let known = self.clients.get(&client);
            known.is_some_and(|known| !known.sessions.is_empty())
        };
        if is_known || (viewer == client && has_sessions()) {
            return;
        }
        let agent = String::from_utf8_lossy(request.user_agent);
        let viewer = ViewerInfo {
            id: viewer,
            client,
            address: request.address.to_canonical(),
            user_agent: agent.chars().take(MAX_AGENT_CHARS).collect(),
            since: now,
        };
        self.listed.insert(viewer.id, viewer);
    }

    fn forget_absent(&mut self, now: Duration) {
        let Self {
            clients,
            count,
            networks,
            listed,
        } = self;
        *count = 0;
        networks.values_mut().for_each(|viewers| *viewers = 0);
        clients.retain(|_, client| {
            client.sessions.retain(|session| {
                let stays = is_present(session.last_request, now);
                if !stays {
                    listed.remove(&session.id);
                }
                stays
            });
            let stays = is_present(client.last_request, now);
            if stays {
                *count += client.viewers();
                let viewers = u32::try_from(client.viewers()).unwrap_or(u32::MAX);
                *networks.entry(client.network).or_default() += viewers;
            }
            stays
        });
        networks.retain(|_, viewers| *viewers > 0);
        listed.retain(|_, viewer| clients.contains_key(&viewer.client));
        if clients.capacity() > 1024 && clients.len() < clients.capacity() / 8 {
            clients.shrink_to_fit();
            networks.shrink_to_fit();
            listed.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn note(viewers: &Viewers, address: IpAddr, agent: &[u8], now: Duration) -> Option<ViewerId> {
        note_session(viewers, address, agent, None, now)
    }

    fn note_session(
        viewers: &Viewers,
        address: IpAddr,
        user_agent: &[u8],
        session: Option<&str>,
        now: Duration,
    ) -> Option<ViewerId> {
        let request = ViewerRequest {
            address,
            user_agent,
            session,
        };
        viewers.note(&request, now)
    }

    #[test]
    fn machines_with_one_key_make_the_same_marks_of_the_same_viewers() {
        let marks = |key: &[u8], sessions: &[Option<&str>]| {
            let viewers = Viewers::default();
            viewers.mark_with(key);
            let a = "192.0.2.1".parse().unwrap();
            for session in sessions {
                note_session(&viewers, a, b"VLC", *session, at(0));
            }
            assert_eq!(viewers.marks(0), None);
            let mut marks = viewers.marks(5).unwrap();
            marks.sort_unstable();
            marks
        };
        let both = marks(b"key", &[Some("one"), Some("two"), None]);
        assert_eq!(both.len(), 2);
        assert_eq!(both, marks(b"key", &[None, Some("two"), Some("one")]));
        assert_ne!(both, marks(b"another", &[Some("one"), Some("two")]));
        let silent = marks(b"key", &[None]);
        assert_eq!((silent[0].client, silent[0].session), (both[0].client, 0));
    }

    #[test]
    fn viewers_elsewhere_count_and_stay_when_those_here_leave() {
        let viewers = Viewers::default();
        note(&viewers, "192.0.2.1".parse().unwrap(), b"VLC", at(0));
        viewers.set_elsewhere(7);
        assert_eq!((viewers.count(at(1)), viewers.count_here(at(1))), (8, 1));
        assert_eq!((viewers.count(at(60)), viewers.count_here(at(60))), (7, 0));
    }

    #[test]
    fn a_viewer_is_an_address_with_a_user_agent() {
        let viewers = Viewers::default();
        let [a, b] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        note(&viewers, a, b"VLC", at(0));
        note(&viewers, a, b"VLC", at(1));
        note(&viewers, a, b"Firefox", at(1));
        note(&viewers, b, b"VLC", at(1));
        assert_eq!(viewers.count(at(2)), 3);
    }

    #[test]
    fn players_behind_one_address_are_told_apart_by_their_sessions() {
        let viewers = Viewers::default();
        let a = "192.0.2.1".parse().unwrap();
        let first = note(&viewers, a, b"Firefox", at(0)).unwrap();
        for session in ["one", "two", "three"] {
            note_session(&viewers, a, b"Firefox", Some(session), at(1)).unwrap();
        }
        // Their playlists carry no session.
        assert_eq!(note(&viewers, a, b"Firefox", at(2)), Some(first));
        assert_eq!(viewers.count(at(3)), 3);
        let list = viewers.list();
        assert_eq!(list.len(), 3);
        assert!(
            list.iter()
                .all(|one| one.client == first && one.id != first)
        );
        assert_eq!(
            (list[0].since, list[1].since),
            (at(0), at(1)),
            "the first asked for playlists before it named itself"
        );
        note_session(&viewers, a, b"Firefox", Some("two"), at(14)).unwrap();
        assert_eq!(viewers.count(at(16)), 1, "two of them have gone");
        assert_eq!(viewers.list().len(), 1);
    }

    #[test]
    fn a_client_whose_sessions_have_gone_is_one_viewer_while_it_asks_for_playlists() {
        let viewers = Viewers::default();
        let a = "192.0.2.1".parse().unwrap();
        note_session(&viewers, a, b"VLC", Some("one"), at(0)).unwrap();
        note(&viewers, a, b"VLC", at(14)).unwrap();
        assert_eq!(viewers.count(at(16)), 1);
        note(&viewers, a, b"VLC", at(17)).unwrap();
        assert_eq!((viewers.count(at(18)), viewers.list().len()), (1, 1));
        assert_eq!(viewers.count(at(32)), 0);
    }

    #[test]
    fn an_id_that_is_empty_or_too_long_is_none() {
        let viewers = Viewers::default();
        let a = "192.0.2.1".parse().unwrap();
        let long = "x".repeat(MAX_SESSION_BYTES + 1);
        for session in ["", &long] {
            let viewer = note_session(&viewers, a, b"VLC", Some(session), at(0));
            assert_eq!(viewer, note(&viewers, a, b"VLC", at(0)));
        }
    }

    #[test]
    fn one_address_has_at_most_twenty_sessions() {
        let viewers = Viewers::default();
        let a = "192.0.2.1".parse().unwrap();
        for session in 0..1000 {
            let session = session.to_string();
            note_session(&viewers, a, b"Firefox", Some(&session), at(0));
        }
        assert_eq!(viewers.count(at(1)), MAX_PER_NETWORK);
        assert_eq!(viewers.list().len(), MAX_PER_NETWORK as usize);
        assert_eq!(viewers.count(at(20)), 0);
    }

    #[test]
    fn it_is_known_from_where_somebody_watches_until_they_go() {
        let viewers = Viewers::default();
        let [a, b] = ["2001:db8::1", "2001:db8::2"].map(|text| text.parse().unwrap());
        assert!(!viewers.is_watched_from(b));
        note(&viewers, a, b"VLC", at(0));
        assert!(viewers.is_watched_from(b));
        assert!(!viewers.is_watched_from("2001:db8:0:1::".parse().unwrap()));
        assert_eq!(viewers.count(at(15)), 0);
        assert!(!viewers.is_watched_from(b));
    }

    #[test]
    fn the_operator_sees_who_watches_until_they_go() {
        let viewers = Viewers::default();
        let [a, b] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        let first = note(&viewers, a, b"VLC", at(3)).unwrap();
        note(&viewers, b, "x".repeat(500).as_bytes(), at(5)).unwrap();
        assert_eq!(note(&viewers, a, b"VLC", at(6)), Some(first));
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
            note(
                &viewers,
                "192.0.2.1".parse().unwrap(),
                &agent.to_be_bytes(),
                at(0),
            );
            let neighbour = format!("2001:db8::{agent:x}").parse().unwrap();
            note(&viewers, neighbour, b"VLC", at(0));
        }
        assert_eq!(
            viewers.count(at(1)),
            MAX_PER_NETWORK + 1,
            "an IPv6 network is one address"
        );
        assert_eq!(viewers.count(at(20)), 0);
        note(&viewers, "192.0.2.1".parse().unwrap(), b"VLC", at(21));
        assert_eq!(
            viewers.count(at(22)),
            1,
            "and is counted again when it behaves"
        );
    }

    #[test]
    fn fifteen_seconds_of_silence_are_a_farewell() {
        let viewers = Viewers::default();
        note(&viewers, "192.0.2.1".parse().unwrap(), b"", at(0));
        note(&viewers, "192.0.2.2".parse().unwrap(), b"", at(10));
        assert_eq!(viewers.count(at(14)), 2);
        assert_eq!(viewers.count(at(15)), 1);
        assert_eq!(viewers.count(at(25)), 0);
    }

    #[test]
    fn more_addresses_than_anybody_needs_are_not_kept() {
        let viewers = Viewers::default();
        for id in 0..=u32::try_from(MAX_VIEWERS).unwrap() {
            note(&viewers, IpAddr::from(id.to_be_bytes()), b"", at(0));
        }
        assert_eq!(viewers.count(at(1)) as usize, MAX_VIEWERS);
        assert_eq!(viewers.list().len(), MAX_LISTED);
        assert_eq!(viewers.count(at(60)), 0);
        assert!(viewers.table.lock().unwrap().clients.capacity() < 1024);
    }
}
