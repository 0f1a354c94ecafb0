//! Requests that were answered 202 but not yet handled.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;
use tokio::sync::watch;

use super::FederationTables;
use crate::error::StoreError;
use crate::users::time;
use crate::writer::Tx;

/// Verified requests that wait to be handled; a further one is refused, and its sender tries again later.
pub const MAX_INBOX_ENTRIES: i64 = 10_000;
/// Bytes of bodies of verified requests that wait to be handled; beyond that a further one is refused.
pub const MAX_INBOX_BYTES: i64 = 256 * 1024 * 1024;
/// Limit (fediverse): verified requests with one key that wait to be processed; further ones get 503.
pub const MAX_INBOX_PER_KEY: i64 = 1000;

/// Requests that wait and that nobody is proven to have sent; a further one is refused. They have a share of their own,
/// because anybody can send them: what is verified is never refused because of them.
pub const MAX_UNPROVEN_ENTRIES: i64 = 2000;
/// Bytes of their bodies; beyond that a further one is refused.
pub const MAX_UNPROVEN_BYTES: i64 = 32 * 1024 * 1024;
/// Those of one key; a further one is refused.
pub const MAX_UNPROVEN_PER_KEY: i64 = 50;
/// Those whose keys are on one host; a further one is refused.
pub const MAX_UNPROVEN_PER_HOST: i64 = 300;
/// Bytes of those whose keys are on one host; beyond that a further one is refused.
pub const MAX_UNPROVEN_BYTES_PER_HOST: i64 = 4 * 1024 * 1024;

/// How often a request is tried; then it is dropped. Its own retries end long before: this is for one that the database
/// refuses each time, as some refuse signs that others take.
pub const MAX_INBOX_ATTEMPTS: i64 = 20;

/// A request to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInboxEntry {
    /// The id of the key it claims to be signed with.
    pub key_id: String,
    /// The host of that key, in canonical form.
    pub key_host: String,
    /// The key's owner, if the signature was already verified.
    pub verified_owner: Option<String>,
    /// Path and query, as received.
    pub target: String,
    /// The headers a signature can cover, as JSON.
    pub headers: String,
    pub body: Vec<u8>,
}

/// A request to be handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxEntry {
    /// Its position in the queue.
    pub id: i64,
    pub request: NewInboxEntry,
    /// The number of earlier attempts.
    pub attempts: i64,
    pub created_at: Timestamp,
}

/// How many requests of each kind can be handled now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboxCapacity {
    /// Requests already verified.
    pub verified: u32,
    /// Requests whose sender is not proven.
    pub unproven: u32,
}

/// The result of storing a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnqueueResult {
    /// It is on disk.
    Stored,
    /// Too many requests are waiting.
    Full,
}

impl FederationTables {
    /// Signals only that something arrived. The value is how often that was here, and not at a server beside this one.
    pub fn inbox_wakeups(&self) -> watch::Receiver<u64> {
        self.store.incoming.subscribe()
    }

    /// Signals that a server beside this one has put something into the database.
    pub fn note_arrival_elsewhere(&self) {
        self.store.incoming.send_modify(|_| ());
    }

    /// Stores a request; it survives a crash once this returns.
    pub async fn enqueue_inbox(
        &self,
        entry: NewInboxEntry,
        at: Timestamp,
    ) -> Result<EnqueueResult, StoreError> {
        let wakeups = self.store.incoming.clone();
        let queued = self
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let size = i64::try_from(entry.body.len()).unwrap_or(i64::MAX);
                    if !InboxLoad::read(tx, &entry).await?.has_room(&entry, size) {
                        return Ok(EnqueueResult::Full);
                    }
                    sqlx::query(
                        "INSERT INTO ap_inbox (key_id, key_host, verified_owner, is_verified, target, headers, body, \
                         size, is_claimed, attempts, created_at, next_at) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, $9, $9)",
                    )
                    .bind(entry.key_id)
                    .bind(entry.key_host)
                    .bind(entry.verified_owner.clone())
                    .bind(i64::from(entry.verified_owner.is_some()))
                    .bind(entry.target)
                    .bind(entry.headers)
                    .bind(entry.body)
                    .bind(size)
                    .bind(at.as_millisecond())
                    .execute(tx)
                    .await?;
                    Ok(EnqueueResult::Stored)
                })
            })
            .await?;
        if queued == EnqueueResult::Stored {
            wakeups.send_modify(|here| *here += 1);
        }
        Ok(queued)
    }

    /// Claims as many requests as there is capacity for, oldest first. Requests of one key are handed out one at a time
    /// and in order, so that a follow and its undo are not swapped; verified requests do not wait for unverified ones,
    /// which anybody can send in the name of any key.
    pub async fn claim_inbox(
        &self,
        room: InboxCapacity,
        now: Timestamp,
    ) -> Result<Vec<InboxEntry>, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let mut entries = Vec::new();
                    for (is_verified, limit) in [(1_i64, room.verified), (0, room.unproven)] {
                        let rows = sqlx::query(
                            "SELECT id, key_id, key_host, verified_owner, target, headers, body, attempts, created_at \
                             FROM ap_inbox d WHERE is_claimed = 0 AND next_at <= $1 AND is_verified = $2 \
                             AND NOT EXISTS (SELECT 1 FROM ap_inbox e WHERE e.key_id = d.key_id \
                             AND e.is_verified = d.is_verified AND e.id < d.id) ORDER BY next_at, id LIMIT $3",
                        )
                        .bind(now.as_millisecond())
                        .bind(is_verified)
                        .bind(i64::from(limit))
                        .fetch_all(&mut *tx)
                        .await?;
                        for row in &rows {
                            entries.push(from_row(row)?);
                        }
                    }
                    for entry in &entries {
                        sqlx::query("UPDATE ap_inbox SET is_claimed = 1 WHERE id = $1")
                            .bind(entry.id)
                            .execute(&mut *tx)
                            .await?;
                    }
                    Ok(entries)
                })
            })
            .await
    }

    /// When the next request is due; `None` if none waits.
    pub async fn next_inbox_at(&self) -> Result<Option<Timestamp>, StoreError> {
        let at: Option<i64> =
            sqlx::query_scalar("SELECT MIN(next_at) FROM ap_inbox WHERE is_claimed = 0")
                .fetch_one(&self.store.readers)
                .await?;
        at.map(time).transpose()
    }

    /// The number of requests that wait or are being handled.
    pub async fn inbox_depth(&self) -> Result<i64, StoreError> {
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM ap_inbox")
            .fetch_one(&self.store.readers)
            .await?;
        Ok(count)
    }

    /// Removes requests that are handled or given up. A request whose effects were committed is removed with them.
    pub async fn finish_inbox(&self, ids: Vec<i64>) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    for id in ids {
                        sqlx::query("DELETE FROM ap_inbox WHERE id = $1")
                            .bind(id)
                            .execute(&mut *tx)
                            .await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Puts back a request that could not be handled; what waits behind it for the same key waits as long. False if it
    /// was tried [`MAX_INBOX_ATTEMPTS`] times and is dropped.
    pub async fn retry_inbox(&self, id: i64, next_at: Timestamp) -> Result<bool, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let dropped = sqlx::query("DELETE FROM ap_inbox WHERE id = $1 AND attempts >= $2")
                        .bind(id)
                        .bind(MAX_INBOX_ATTEMPTS - 1)
                        .execute(&mut *tx)
                        .await?;
                    if dropped.rows_affected() > 0 {
                        tracing::warn!(id, "a request of another server cannot be handled and is dropped");
                        return Ok(false);
                    }
                    sqlx::query(
                        "UPDATE ap_inbox SET is_claimed = 0, attempts = attempts + 1, next_at = $2 WHERE id = $1",
                    )
                    .bind(id)
                    .bind(next_at.as_millisecond())
                    .execute(tx)
                    .await?;
                    Ok(true)
                })
            })
            .await
    }

    /// Puts back claimed requests that are not among `held`, the ones being handled: the process that claimed them has
    /// ended, or never learned that it holds them. Returns how many.
    pub async fn release_inbox(&self, held: Vec<i64>) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let taken: Vec<i64> =
                        sqlx::query_scalar("SELECT id FROM ap_inbox WHERE is_claimed = 1")
                            .fetch_all(&mut *tx)
                            .await?;
                    let mut released = 0;
                    for id in taken.into_iter().filter(|id| !held.contains(id)) {
                        let done = sqlx::query("UPDATE ap_inbox SET is_claimed = 0 WHERE id = $1")
                            .bind(id)
                            .execute(&mut *tx)
                            .await?;
                        released += done.rows_affected();
                    }
                    Ok(released)
                })
            })
            .await
    }
}

/// What waits of the same kind as a request.
struct InboxLoad {
    count: i64,
    bytes: i64,
    of_key: i64,
    of_host: i64,
    bytes_of_host: i64,
}

impl InboxLoad {
    async fn read(tx: &mut Tx, entry: &NewInboxEntry) -> Result<Self, StoreError> {
        let row = sqlx::query(
            "SELECT COUNT(*) AS count, CAST(COALESCE(SUM(size), 0) AS BIGINT) AS bytes, \
             CAST(COALESCE(SUM(CASE WHEN key_id = $2 THEN 1 ELSE 0 END), 0) AS BIGINT) AS of_key, \
             CAST(COALESCE(SUM(CASE WHEN key_host = $3 THEN 1 ELSE 0 END), 0) AS BIGINT) AS of_host, \
             CAST(COALESCE(SUM(CASE WHEN key_host = $3 THEN size ELSE 0 END), 0) AS BIGINT) AS bytes_of_host \
             FROM ap_inbox WHERE is_verified = $1",
        )
        .bind(i64::from(entry.verified_owner.is_some()))
        .bind(entry.key_id.clone())
        .bind(entry.key_host.clone())
        .fetch_one(tx)
        .await?;
        Ok(Self {
            count: row.try_get("count")?,
            bytes: row.try_get("bytes")?,
            of_key: row.try_get("of_key")?,
            of_host: row.try_get("of_host")?,
            bytes_of_host: row.try_get("bytes_of_host")?,
        })
    }

    fn has_room(&self, entry: &NewInboxEntry, size: i64) -> bool {
        let bytes = self.bytes.saturating_add(size);
        match entry.verified_owner {
            Some(_) => {
                self.count < MAX_INBOX_ENTRIES
                    && bytes <= MAX_INBOX_BYTES
                    && self.of_key < MAX_INBOX_PER_KEY
            }
            None => {
                self.count < MAX_UNPROVEN_ENTRIES
                    && bytes <= MAX_UNPROVEN_BYTES
                    && self.of_key < MAX_UNPROVEN_PER_KEY
                    && self.of_host < MAX_UNPROVEN_PER_HOST
                    && self.bytes_of_host.saturating_add(size) <= MAX_UNPROVEN_BYTES_PER_HOST
            }
        }
    }
}

fn from_row(row: &AnyRow) -> Result<InboxEntry, StoreError> {
    Ok(InboxEntry {
        id: row.try_get("id")?,
        request: NewInboxEntry {
            key_id: row.try_get("key_id")?,
            key_host: row.try_get("key_host")?,
            verified_owner: row.try_get("verified_owner")?,
            target: row.try_get("target")?,
            headers: row.try_get("headers")?,
            body: row.try_get("body")?,
        },
        attempts: row.try_get("attempts")?,
        created_at: time(row.try_get("created_at")?)?,
    })
}
