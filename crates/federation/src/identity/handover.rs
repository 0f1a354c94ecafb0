//! A new key is handed over server by server. Some servers never refetch a key they know, so each is told about the new
//! key in a message signed with the old one, and gets requests signed with the new one only once it has answered.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, RwLock};

use jiff::Timestamp;
use store::federation::{CONTACT_EVERY, Contact, MAX_CONTACTS};

use crate::signature::Signer;

/// The keys that may sign a request.
#[derive(Clone, Debug)]
pub struct Signers {
    /// The key the server is believed to know.
    pub first: Signer,
    /// The other of two keys, while there are two: a server may have found out by itself, or not have been told yet.
    pub other: Option<Signer>,
}

/// Servers that know the previous key, and since when they have been told of the new one.
#[derive(Debug, Default)]
pub(super) struct Handover(RwLock<HashMap<String, Timestamp>>);

impl Handover {
    pub(super) fn begin(&self, hosts: HashMap<String, Timestamp>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = hosts;
    }

    pub(super) fn since(&self, host: &str) -> Option<Timestamp> {
        let hosts = self.0.read().unwrap_or_else(PoisonError::into_inner);
        hosts.get(host).copied()
    }

    /// Records that `host` knows the new key; true if it did not before.
    pub(super) fn end(&self, host: &str) -> bool {
        let mut hosts = self.0.write().unwrap_or_else(PoisonError::into_inner);
        hosts.remove(host).is_some()
    }
}

/// Servers that were sent something signed today, so that each is stored once a day.
#[derive(Debug, Default)]
pub(super) struct Contacts(Mutex<HashMap<String, LastContact>>);

#[derive(Clone, Copy, Debug)]
struct LastContact {
    at: Timestamp,
    has_inbox: bool,
}

impl Contacts {
    /// The contact to store for a request to `host`, unless it is stored already.
    pub(super) fn note(&self, host: &str, inbox: Option<&str>, now: Timestamp) -> Option<Contact> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = noted.get(host).is_some_and(|known| {
            now < known.at + CONTACT_EVERY && (known.has_inbox || inbox.is_none())
        });
        if known {
            return None;
        }
        // Beyond that the database forgets some too.
        if noted.len() >= usize::try_from(MAX_CONTACTS).unwrap_or(usize::MAX) {
            noted.clear();
        }
        let has_inbox = inbox.is_some();
        noted.insert(host.to_owned(), LastContact { at: now, has_inbox });
        Some(Contact {
            host: host.to_owned(),
            inbox: inbox.map(str::to_owned),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_written_down_once_a_day_and_again_when_an_inbox_is_known() {
        let contacts = Contacts::default();
        let now = Timestamp::UNIX_EPOCH;
        let inbox = Some("https://a.example/inbox");
        assert!(contacts.note("a.example", None, now).is_some());
        assert!(contacts.note("a.example", None, now).is_none());
        assert_eq!(
            contacts.note("a.example", inbox, now).unwrap().inbox,
            inbox.map(str::to_owned)
        );
        assert!(contacts.note("a.example", inbox, now).is_none());
        assert!(contacts.note("a.example", None, now).is_none());
        assert!(contacts.note("b.example", None, now).is_some());
        assert!(
            contacts
                .note("a.example", None, now + CONTACT_EVERY)
                .is_some()
        );
    }

    #[test]
    fn a_server_knows_the_new_key_once_it_was_told() {
        let handover = Handover::default();
        let since = Timestamp::UNIX_EPOCH;
        handover.begin([("a.example".to_owned(), since)].into());
        assert_eq!(handover.since("a.example"), Some(since));
        assert_eq!(handover.since("b.example"), None);
        assert!(handover.end("a.example"));
        assert!(!handover.end("a.example"));
        assert_eq!(handover.since("a.example"), None);
    }
}
