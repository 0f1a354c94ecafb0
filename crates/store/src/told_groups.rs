//! What servers on one database tell each other of their groups, so that nobody has to ask the database for them.
//!
//! It is sealed with the key that all of them have: what arrives is taken as if the database had said it, and it may
//! have come through the hands of others. A message that is lost or late costs a read. What else they tell is sealed in
//! the same way.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;
use model::{Event, LoggedEvent};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::database::Store;
use crate::error::StoreError;
use crate::group_commit::{GroupCommit, Wake};
use crate::log_watch::raise;
use crate::vault::Vault;

/// What the messages are sealed as.
const SEAL: &str = "told-group";
/// What the key for viewers is made for.
const VIEWERS: &str = "viewer-marks";

/// A group as it travels.
#[derive(Debug, Serialize, Deserialize)]
struct WireGroup<'a> {
    /// The process that committed it.
    from: u64,
    prev: i64,
    last: i64,
    /// Empty if they are too large to travel; then they are read in the database.
    events: Vec<WireEvent<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireEvent<'a> {
    seq: i64,
    /// In Unix milliseconds, as it is stored.
    at: i64,
    event: Cow<'a, Event>,
}

impl<'a> WireGroup<'a> {
    fn whole(from: u64, group: &'a GroupCommit) -> Self {
        let events = group.events.iter().map(|logged| WireEvent {
            seq: logged.seq,
            at: logged.at.as_millisecond(),
            event: Cow::Borrowed(&logged.event),
        });
        Self {
            events: events.collect(),
            ..Self::in_short(from, group)
        }
    }

    fn in_short(from: u64, group: &GroupCommit) -> Self {
        Self {
            from,
            prev: group.prev,
            last: group.last().unwrap_or(group.prev),
            events: vec![],
        }
    }

    fn seal(&self, vault: &Vault) -> Result<Vec<u8>, StoreError> {
        let json =
            serde_json::to_vec(self).map_err(|error| StoreError::unreadable("group", error))?;
        vault.seal(SEAL, &json)
    }

    /// `None` without events, or with such as no group has.
    fn into_group(self) -> Option<GroupCommit> {
        let is_whole = self.events.last()?.seq == self.last;
        let mut events = Vec::with_capacity(self.events.len());
        let mut before = self.prev;
        for wire in self.events {
            if wire.seq <= before {
                return None;
            }
            before = wire.seq;
            events.push(LoggedEvent {
                seq: wire.seq,
                at: Timestamp::from_millisecond(wire.at).ok()?,
                event: wire.event.into_owned(),
            });
        }
        is_whole.then_some(GroupCommit {
            prev: self.prev,
            events,
            wake: Wake::default(),
        })
    }
}

impl Store {
    /// What this server commits from now on, to be told to the others; `None` if there are none. Ends with the store.
    pub fn own_groups(&self) -> Option<mpsc::Receiver<Arc<GroupCommit>>> {
        let feed = self.feed.as_ref();
        feed.map(|feed| feed.subscribe_to_own())
    }

    /// A group as other servers can [hear](Self::hear_group) it.
    pub fn seal_group(&self, group: &GroupCommit) -> Result<Vec<u8>, StoreError> {
        WireGroup::whole(self.feed_id(), group).seal(&self.vault)
    }

    /// The same without its events: those who hear it read them in the database.
    pub fn seal_group_in_short(&self, group: &GroupCommit) -> Result<Vec<u8>, StoreError> {
        WireGroup::in_short(self.feed_id(), group).seal(&self.vault)
    }

    /// Takes what another server has told. What this one told itself, and what is known already, has no effect.
    pub fn hear_group(&self, sealed: &[u8]) -> Result<(), StoreError> {
        let Some(feed) = &self.feed else {
            return Ok(());
        };
        let json = self.vault.unseal(SEAL, sealed)?;
        let read: Result<WireGroup<'_>, _> = serde_json::from_slice(&json);
        let wire = match read {
            Ok(wire) if wire.from == feed.id => return Ok(()),
            Ok(wire) => wire,
            Err(error) => {
                // Something of a newer version: it was committed all the same.
                feed.look.notify_one();
                return Err(StoreError::unreadable("group", error));
            }
        };
        let last = wire.last;
        match wire.into_group() {
            Some(group) => {
                feed.hand_on(group);
                raise(&self.last_event, last);
            }
            None => feed.look.notify_one(),
        }
        Ok(())
    }

    /// Makes a message that only servers with the same key can read, and that nobody else can make.
    pub fn seal_message(&self, kind: &str, clear: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.vault.seal(kind, clear)
    }

    /// What another server has sealed as a message of this kind.
    pub fn open_message(&self, kind: &str, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.vault.unseal(kind, sealed)
    }

    /// What viewers are marked with: the same key at every server with this database.
    pub fn viewer_key(&self) -> Vec<u8> {
        self.vault.derive(VIEWERS)
    }

    fn feed_id(&self) -> u64 {
        self.feed.as_ref().map_or(0, |feed| feed.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> GroupCommit {
        let events = [6, 9].map(|seq| LoggedEvent {
            seq,
            at: Timestamp::from_millisecond(1_700_000_000_123).unwrap(),
            event: Event::SettingChanged { key: "name".into() },
        });
        GroupCommit {
            prev: 4,
            events: events.into(),
            wake: Wake::default(),
        }
    }

    fn travelled(wire: &WireGroup<'_>) -> Option<GroupCommit> {
        let json = serde_json::to_vec(wire).unwrap();
        let read: WireGroup<'_> = serde_json::from_slice(&json).unwrap();
        assert_eq!((read.from, read.last), (u64::MAX, 9));
        read.into_group()
    }

    #[test]
    fn a_group_arrives_as_it_was() {
        let sent = group();
        let arrived = travelled(&WireGroup::whole(u64::MAX, &sent)).unwrap();
        assert_eq!((arrived.prev, arrived.events), (sent.prev, sent.events));
    }

    #[test]
    fn a_group_without_its_events_only_says_that_there_is_something() {
        let sent = group();
        assert!(travelled(&WireGroup::in_short(u64::MAX, &sent)).is_none());
    }

    #[test]
    fn what_cannot_be_a_group_is_not_taken_for_one() {
        let sent = group();
        let refused = |spoil: fn(&mut WireGroup<'_>)| {
            let mut wire = WireGroup::whole(1, &sent);
            spoil(&mut wire);
            wire.into_group().is_none()
        };
        assert!(refused(|wire| wire.events.reverse()));
        assert!(refused(|wire| wire.prev = 6));
        assert!(refused(|wire| wire.last = 10));
        assert!(refused(|wire| wire.events[0].at = i64::MAX));
        assert!(!refused(|_| ()));
    }
}
