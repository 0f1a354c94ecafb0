//! Requests that were answered 202 and are yet to be handled.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;
use tokio::sync::watch;

use super::Fediverse;
use crate::error::StoreError;
use crate::users::time;

/// Requests that wait to be handled; a further one is refused, and its sender tries again later.
pub const MAX_INBOX_ENTRIES: i64 = 10_000;
/// Bytes of bodies that wait to be handled; beyond that a further one is refused.
pub const MAX_INBOX_BYTES: i64 = 256 * 1024 * 1024;

/// How often a request is tried; then it is dropped. Its own retries end long before: this is for one that the database
/// refuses each time, as some refuse signs that others take.
pub const MAX_INBOX_ATTEMPTS: i64 = 20;

/// A request to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInboxEntry {
    /// The key it says it is signed with.
    pub key_id: String,
    /// Whose key that is, when the signature was good already.
    pub verified_owner: Option<String>,
    /// Path and query, as they came.
    pub target: String,
    /// The headers a signature can cover, as JSON.
    pub headers: String,
    /// The body.
    pub body: Vec<u8>,
}

/// A request to be handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxEntry {
    /// Its place in the queue.
    pub id: i64,
    /// What came.
    pub request: NewInboxEntry,
    /// How often it was tried before.
    pub attempts: i64,
    /// When it came.
    pub created_at: Timestamp,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued {
    /// It is on disk.
    Stored,
    /// Too much waits.
    Full,
}

impl Fediverse {
    /// Says "something came in" and nothing more.
    pub fn inbox_wakeups(&self) -> watch::Receiver<()> {
        self.store.incoming.subscribe()
    }

    /// Stores a request; it survives a crash once this returns.
    pub async fn enqueue_inbox(
        &self,
        entry: NewInboxEntry,
        at: Timestamp,
    ) -> Result<Queued, StoreError> {
        let wakeups = self.store.incoming.clone();
        let queued = self
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let size = i64::try_from(entry.body.len()).unwrap_or(i64::MAX);
                    let row = sqlx::query(
                        "SELECT COUNT(*) AS count, CAST(COALESCE(SUM(size), 0) AS BIGINT) AS bytes FROM ap_inbox",
                    )
                    .fetch_one(&mut *tx)
                    .await?;
                    let bytes: i64 = row.try_get("bytes")?;
                    if row.try_get::<i64, _>("count")? >= MAX_INBOX_ENTRIES
                        || bytes.saturating_add(size) > MAX_INBOX_BYTES
                    {
                        return Ok(Queued::Full);
                    }
                    sqlx::query(
                        "INSERT INTO ap_inbox (key_id, verified_owner, is_verified, target, headers, body, size, \
                         is_claimed, attempts, created_at, next_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8, $8)",
                    )
                    .bind(entry.key_id)
                    .bind(entry.verified_owner.clone())
                    .bind(i64::from(entry.verified_owner.is_some()))
                    .bind(entry.target)
                    .bind(entry.headers)
                    .bind(entry.body)
                    .bind(size)
                    .bind(at.as_millisecond())
                    .execute(tx)
                    .await?;
                    Ok(Queued::Stored)
                })
            })
            .await?;
        if queued == Queued::Stored {
            wakeups.send_replace(());
        }
        Ok(queued)
    }

    /// Takes up to `limit` requests to be handled, the oldest first. Those of one key are handed out one after the other
    /// and in their order, so that a follow and its end are not confused; those that were verified already do not wait
    /// for those that were not, which anybody can send in the name of any key.
    pub async fn claim_inbox(
        &self,
        limit: u32,
        now: Timestamp,
    ) -> Result<Vec<InboxEntry>, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let rows = sqlx::query(
                        "SELECT id, key_id, verified_owner, target, headers, body, attempts, created_at FROM ap_inbox d \
                         WHERE is_claimed = 0 AND next_at <= $1 AND NOT EXISTS (SELECT 1 FROM ap_inbox e \
                         WHERE e.key_id = d.key_id AND e.is_verified = d.is_verified AND e.id < d.id) \
                         ORDER BY next_at, id LIMIT $2",
                    )
                    .bind(now.as_millisecond())
                    .bind(i64::from(limit))
                    .fetch_all(&mut *tx)
                    .await?;
                    let entries = rows.iter().map(from_row).collect::<Result<Vec<_>, _>>()?;
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

    /// When the next request is to be handled; `None` when none waits.
    pub async fn next_inbox_at(&self) -> Result<Option<Timestamp>, StoreError> {
        let at: Option<i64> =
            sqlx::query_scalar("SELECT MIN(next_at) FROM ap_inbox WHERE is_claimed = 0")
                .fetch_one(&self.store.readers)
                .await?;
        at.map(time).transpose()
    }

    /// Requests that wait or are being handled.
    pub async fn inbox_depth(&self) -> Result<i64, StoreError> {
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM ap_inbox")
            .fetch_one(&self.store.readers)
            .await?;
        Ok(count)
    }

    /// Requests that are done with, or given up. One whose effects were committed is gone with them.
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

    /// A request could not be handled and is tried again; what waits behind it for the same key waits as long. False when
    /// it was tried [`MAX_INBOX_ATTEMPTS`] times and is dropped.
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

    /// Puts back what was being handled when the process ended; call it once, before anything is claimed.
    pub async fn release_inbox(&self) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let done =
                        sqlx::query("UPDATE ap_inbox SET is_claimed = 0 WHERE is_claimed = 1")
                            .execute(tx)
                            .await?;
                    Ok(done.rows_affected())
                })
            })
            .await
    }
}

fn from_row(row: &AnyRow) -> Result<InboxEntry, StoreError> {
    Ok(InboxEntry {
        id: row.try_get("id")?,
        request: NewInboxEntry {
            key_id: row.try_get("key_id")?,
            verified_owner: row.try_get("verified_owner")?,
            target: row.try_get("target")?,
            headers: row.try_get("headers")?,
            body: row.try_get("body")?,
        },
        attempts: row.try_get("attempts")?,
        created_at: time(row.try_get("created_at")?)?,
    })
}
