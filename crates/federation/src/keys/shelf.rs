//! What is known about keys: in memory for speed, in the database so that a restart does not ask everybody again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use store::{Store, StoreError};

use super::{KEY_FRESHNESS, KeyError, KeyOwner};

/// Keys kept in memory; beyond them the ones fetched longest ago make room.
const MAX_REMEMBERED: usize = 4096;
/// How long we believe that there is no such key.
const MISSING_FOR: SignedDuration = SignedDuration::from_mins(10);
/// How long we believe that a key is gone for ever.
const GONE_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long a host that could not be reached is not asked for the key again.
const UNREACHABLE_FOR: SignedDuration = SignedDuration::from_mins(5);

/// What is known about a key.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// It, and it is fresh.
    Key(KeyOwner),
    /// That it cannot be had for now.
    Absent(Absence),
}

impl Known {
    pub(super) fn into_result(self) -> Result<KeyOwner, KeyError> {
        match self {
            Self::Key(key) => Ok(key),
            Self::Absent(Absence::Gone) => Err(KeyError::Gone),
            Self::Absent(Absence::Missing) => Err(KeyError::Missing("it was not there lately")),
            Self::Absent(Absence::Unreachable) => Err(KeyError::Unreachable),
        }
    }
}

/// Why a key cannot be had for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absence {
    Gone,
    Missing,
    Unreachable,
}

impl Absence {
    /// What is worth remembering of a failure: what says something about the key, and nothing about us.
    pub(super) fn of(error: &KeyError) -> Option<Self> {
        match error {
            KeyError::Gone => Some(Self::Gone),
            KeyError::Missing(_) => Some(Self::Missing),
            KeyError::Unreachable => Some(Self::Unreachable),
            KeyError::Refused(_)
            | KeyError::Busy
            | KeyError::TooSoon
            | KeyError::OutOfBudget
            | KeyError::Store(_) => None,
        }
    }

    fn lasts(self) -> SignedDuration {
        match self {
            Self::Gone => GONE_FOR,
            Self::Missing => MISSING_FOR,
            Self::Unreachable => UNREACHABLE_FOR,
        }
    }
}

#[derive(Clone, Debug)]
struct Entry {
    known: Known,
    since: Timestamp,
    until: Timestamp,
}

/// What is known about keys.
#[derive(Debug)]
pub(super) struct Shelf {
    store: Store,
    memory: Mutex<HashMap<String, Entry>>,
}

impl Shelf {
    pub(super) fn new(store: Store) -> Self {
        Self {
            store,
            memory: Mutex::default(),
        }
    }

    /// What is known about a key and still holds.
    pub(super) async fn get(
        &self,
        key_id: &str,
        now: Timestamp,
    ) -> Result<Option<Known>, StoreError> {
        let found = self.lock().get(key_id).cloned();
        let held = found.filter(|entry| now < entry.until);
        Ok(held.map(|entry| entry.known))
    }

    /// Remembers a key; `text` is what it was read from.
    pub(super) async fn put(&self, key: KeyOwner, text: String) -> Result<(), StoreError> {
        let entry = Entry {
            since: key.fetched_at,
            until: later(key.fetched_at, KEY_FRESHNESS),
            known: Known::Key(key.clone()),
        };
        drop(text);
        self.remember(&key.key_id, entry);
        Ok(())
    }

    /// Remembers that there is no key. An unreachable host does not make us forget a key that is fresh.
    pub(super) async fn put_absence(
        &self,
        key_id: &str,
        absence: Absence,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let entry = Entry {
            known: Known::Absent(absence),
            since: now,
            until: later(now, absence.lasts()),
        };
        self.remember(key_id, entry);
        Ok(())
    }

    /// Forgets all keys of an actor.
    pub(super) async fn forget_owner(&self, owner: &str) -> Result<(), StoreError> {
        let is_other =
            |entry: &Entry| !matches!(&entry.known, Known::Key(key) if key.owner == owner);
        self.lock().retain(|_, entry| is_other(entry));
        Ok(())
    }

    fn remember(&self, key_id: &str, entry: Entry) {
        let mut memory = self.lock();
        if memory.len() >= MAX_REMEMBERED && !memory.contains_key(key_id) {
            let oldest = memory.iter().min_by_key(|(_, entry)| entry.since);
            if let Some(oldest) = oldest.map(|(key_id, _)| key_id.clone()) {
                memory.remove(&oldest);
            }
        }
        memory.insert(key_id.to_owned(), entry);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `at` and a while; the end of time if there is no such moment.
fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}
