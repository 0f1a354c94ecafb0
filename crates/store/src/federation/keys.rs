//! Other servers' keys, and known absences of keys.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::FederationTables;
use crate::error::StoreError;
use crate::users::{optional_time, time};
use crate::writer::Tx;

/// Keys kept, found or not; beyond that the one that was fetched first is forgotten, and fetched again when needed.
pub const MAX_KEYS: i64 = 20_000;

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAbsence {
    /// Its server says it is gone for good (410).
    Gone,
    /// There is none, or none that is usable.
    Missing,
    /// Its server could not be reached.
    Unreachable,
}

impl KeyAbsence {
    /// As stored.
    pub fn as_str(self) -> &'static str {
        match self {
            KeyAbsence::Gone => "gone",
            KeyAbsence::Missing => "missing",
            KeyAbsence::Unreachable => "unreachable",
        }
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        match text {
            "gone" => Ok(KeyAbsence::Gone),
            "missing" => Ok(KeyAbsence::Missing),
            "unreachable" => Ok(KeyAbsence::Unreachable),
            other => Err(StoreError::unreadable("absence of a key", other)),
        }
    }
}

/// An actor's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    pub key_id: String,
    pub owner: String,
    /// The public key, as the federation crate encodes it.
    pub pem: String,
    pub fetched_at: Timestamp,
}

/// What we know about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyRecord {
    Found(StoredKey),
    /// There is no key.
    Absent {
        /// The reason.
        why: KeyAbsence,
        /// When it may be requested again.
        until: Timestamp,
    },
}

impl FederationTables {
    /// What we know about a key.
    pub async fn key(&self, key_id: &str) -> Result<Option<KeyRecord>, StoreError> {
        let row = sqlx::query(
            "SELECT key_id, owner, pem, absence, until_at, fetched_at FROM ap_keys WHERE key_id = $1",
        )
        .bind(key_id)
        .fetch_optional(&self.store.readers)
        .await?;
        row.map(|row| from_row(&row)).transpose()
    }

    /// Whether we know anything of this actor: a key, a follow, a server shown beside the stream.
    pub async fn is_known_actor(&self, actor: &str) -> Result<bool, StoreError> {
        let found: i64 = sqlx::query_scalar(
            "SELECT (SELECT COUNT(*) FROM ap_followers WHERE iri = $1) + (SELECT COUNT(*) FROM ap_keys WHERE owner = $1) \
             + (SELECT COUNT(*) FROM federated_servers WHERE actor_iri = $1) \
             + (SELECT COUNT(*) FROM ap_inbound_posts WHERE actor = $1)",
        )
        .bind(actor)
        .fetch_one(&self.store.readers)
        .await?;
        Ok(found > 0)
    }

    pub async fn put_key(&self, key: StoredKey) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    sqlx::query(
                        "INSERT INTO ap_keys (key_id, owner, pem, fetched_at) VALUES ($1, $2, $3, $4) \
                         ON CONFLICT (key_id) DO UPDATE SET owner = excluded.owner, pem = excluded.pem, absence = NULL, \
                         until_at = NULL, fetched_at = excluded.fetched_at",
                    )
                    .bind(key.key_id)
                    .bind(key.owner)
                    .bind(key.pem)
                    .bind(key.fetched_at.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                    make_room(tx).await
                })
            })
            .await
    }

    /// Stores that there is no such key.
    pub async fn put_absent_key(
        &self,
        key_id: String,
        why: KeyAbsence,
        until: Timestamp,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    sqlx::query(
                        "INSERT INTO ap_keys (key_id, absence, until_at, fetched_at) VALUES ($1, $2, $3, $4) \
                         ON CONFLICT (key_id) DO UPDATE SET owner = NULL, pem = NULL, absence = excluded.absence, \
                         until_at = excluded.until_at, fetched_at = excluded.fetched_at",
                    )
                    .bind(key_id)
                    .bind(why.as_str())
                    .bind(until.as_millisecond())
                    .bind(at.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                    make_room(tx).await
                })
            })
            .await
    }

    /// Deletes the keys of an owner; returns how many.
    pub async fn forget_keys_of(&self, owner: String) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query("DELETE FROM ap_keys WHERE owner = $1")
                        .bind(owner)
                        .execute(tx)
                        .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }

    /// Deletes keys that were fetched before `before`; returns how many.
    pub async fn prune_keys(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done = sqlx::query("DELETE FROM ap_keys WHERE fetched_at < $1")
                        .bind(before.as_millisecond())
                        .execute(tx)
                        .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }
}

async fn make_room(tx: &mut Tx) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM ap_keys WHERE fetched_at <= \
         (SELECT fetched_at FROM ap_keys ORDER BY fetched_at DESC LIMIT 1 OFFSET $1)",
    )
    .bind(MAX_KEYS)
    .execute(tx)
    .await?;
    Ok(())
}

fn from_row(row: &AnyRow) -> Result<KeyRecord, StoreError> {
    let absence: Option<String> = row.try_get("absence")?;
    if let Some(absence) = absence {
        return Ok(KeyRecord::Absent {
            why: KeyAbsence::parse(&absence)?,
            until: optional_time(row, "until_at")?.unwrap_or(Timestamp::UNIX_EPOCH),
        });
    }
    Ok(KeyRecord::Found(StoredKey {
        key_id: row.try_get("key_id")?,
        owner: row.try_get("owner")?,
        pem: row.try_get("pem")?,
        fetched_at: time(row.try_get("fetched_at")?)?,
    }))
}
