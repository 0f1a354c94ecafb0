//! What is known about keys: cached in memory for speed, and in the database so that a restart does not refetch
//! everything.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use store::StoreError;
use store::federation::{FederationTables, KeyAbsence, KeyRecord, StoredKey};

use super::{KEY_FRESHNESS, KeyError, KeyOwner};
use crate::signature::PublicKey;

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
pub(super) enum CachedKey {
    /// A fresh key.
    Key(KeyOwner),
    /// The key is not available for now.
    Absent(KeyAbsence),
}

impl CachedKey {
    pub(super) fn into_result(self) -> Result<KeyOwner, KeyError> {
        match self {
            Self::Key(key) => Ok(key),
            Self::Absent(KeyAbsence::Gone) => Err(KeyError::Gone),
            Self::Absent(KeyAbsence::Missing) => Err(KeyError::Missing("it was not there lately")),
            Self::Absent(KeyAbsence::Unreachable) => Err(KeyError::Unreachable),
        }
    }
}

/// What is worth caching of a failure: only what says something about the key, nothing about us.
pub(super) fn absence_of(error: &KeyError) -> Option<KeyAbsence> {
    match error {
        KeyError::Gone => Some(KeyAbsence::Gone),
        KeyError::Missing(_) | KeyError::Denied(_) => Some(KeyAbsence::Missing),
        KeyError::Unreachable => Some(KeyAbsence::Unreachable),
        KeyError::Refused(_)
        | KeyError::Busy
        | KeyError::TooSoon
        | KeyError::OutOfBudget
        | KeyError::Store(_) => None,
    }
}

fn lasts(absence: KeyAbsence) -> SignedDuration {
    match absence {
        KeyAbsence::Gone => GONE_FOR,
        KeyAbsence::Missing => MISSING_FOR,
        KeyAbsence::Unreachable => UNREACHABLE_FOR,
    }
}

#[derive(Clone, Debug)]
struct CacheEntry {
    known: CachedKey,
    since: Timestamp,
    until: Timestamp,
}

impl CacheEntry {
    fn of(key: KeyOwner) -> Self {
        Self {
            since: key.fetched_at,
            until: later(key.fetched_at, KEY_FRESHNESS),
            known: CachedKey::Key(key),
        }
    }

    /// Reads a database record; `None` if its text is not a key.
    fn read(record: KeyRecord) -> Option<Self> {
        match record {
            KeyRecord::Found(stored) => Some(Self::of(KeyOwner {
                key: PublicKey::parse(&stored.pem).ok()?,
                key_id: stored.key_id,
                owner: stored.owner,
                fetched_at: stored.fetched_at,
            })),
            KeyRecord::Absent { why, until } => Some(Self {
                known: CachedKey::Absent(why),
                since: until,
                until,
            }),
        }
    }
}

/// What is known about keys.
#[derive(Debug)]
pub(super) struct KeyCache {
    tables: FederationTables,
    memory: Mutex<HashMap<String, CacheEntry>>,
}

impl KeyCache {
    pub(super) fn new(tables: FederationTables) -> Self {
        Self {
            tables,
            memory: Mutex::default(),
        }
    }

    /// What is known about a key, if still valid.
    pub(super) async fn get(
        &self,
        key_id: &str,
        now: Timestamp,
    ) -> Result<Option<CachedKey>, StoreError> {
        let remembered = self.lock().get(key_id).cloned();
        if let Some(entry) = remembered.filter(|entry| now < entry.until) {
            return Ok(Some(entry.known));
        }
        let stored = self.tables.key(key_id).await?.and_then(CacheEntry::read);
        let Some(entry) = stored.filter(|entry| now < entry.until) else {
            return Ok(None);
        };
        self.remember(key_id, entry.clone());
        Ok(Some(entry.known))
    }

    /// Caches a key; `text` is what it was read from.
    pub(super) async fn put(&self, key: KeyOwner, text: String) -> Result<(), StoreError> {
        let stored = StoredKey {
            key_id: key.key_id.clone(),
            owner: key.owner.clone(),
            pem: text,
            fetched_at: key.fetched_at,
        };
        self.tables.put_key(stored).await?;
        self.remember(&key.key_id.clone(), CacheEntry::of(key));
        Ok(())
    }

    /// Caches the absence of a key. An unreachable host is not stored: our own network may be down.
    pub(super) async fn put_absence(
        &self,
        key_id: &str,
        why: KeyAbsence,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let until = later(now, lasts(why));
        if why != KeyAbsence::Unreachable {
            let tables = &self.tables;
            tables
                .put_absent_key(key_id.to_owned(), why, until, now)
                .await?;
        }
        let entry = CacheEntry {
            known: CachedKey::Absent(why),
            since: now,
            until,
        };
        self.remember(key_id, entry);
        Ok(())
    }

    /// Forgets all keys of an actor.
    pub(super) async fn forget_owner(&self, owner: &str) -> Result<(), StoreError> {
        self.tables.forget_keys_of(owner.to_owned()).await?;
        let is_other =
            |entry: &CacheEntry| !matches!(&entry.known, CachedKey::Key(key) if key.owner == owner);
        self.lock().retain(|_, entry| is_other(entry));
        Ok(())
    }

    fn remember(&self, key_id: &str, entry: CacheEntry) {
        let mut memory = self.lock();
        if memory.len() >= MAX_REMEMBERED && !memory.contains_key(key_id) {
            let oldest = memory.iter().min_by_key(|(_, entry)| entry.since);
            if let Some(oldest) = oldest.map(|(key_id, _)| key_id.clone()) {
                memory.remove(&oldest);
            }
        }
        memory.insert(key_id.to_owned(), entry);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, CacheEntry>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `at` plus a while; the end of time if that overflows.
fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}
