//! Activities that were handled, and follows that were undone before they arrived.

use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use jiff::Timestamp;

use super::FederationTables;
use crate::error::StoreError;
use crate::writer::Tx;

/// How long an undone follow is remembered that has not come yet.
pub const UNDONE_FOLLOW_AGE: Duration = Duration::from_secs(6 * 3600);

/// An activity that is being handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenActivity {
    /// Its id; an activity without one is not remembered.
    pub activity_id: Option<String>,
    pub actor: String,
}

/// Combines two untrusted strings into one short key: unhashed they could be too long for an index.
pub(super) fn pair(id: &str, actor: &str) -> Vec<u8> {
    // Neither contains a line break: both are addresses.
    let text = format!("{id}\n{actor}");
    digest(&SHA256, text.as_bytes()).as_ref().to_vec()
}

/// Notes the activity; [`StoreError::Conflict`] if it was noted before, which undoes the whole unit of work.
pub(super) async fn note(
    tx: &mut Tx,
    seen: &SeenActivity,
    at: Timestamp,
) -> Result<(), StoreError> {
    let Some(id) = &seen.activity_id else {
        return Ok(());
    };
    let noted =
        sqlx::query("INSERT INTO ap_seen (pair, at) VALUES ($1, $2) ON CONFLICT (pair) DO NOTHING")
            .bind(pair(id, &seen.actor))
            .bind(at.as_millisecond())
            .execute(tx)
            .await?;
    match noted.rows_affected() {
        0 => Err(StoreError::Conflict),
        _ => Ok(()),
    }
}

/// Whether this follow was undone before it arrived.
pub(super) async fn is_undone(
    tx: &mut Tx,
    follow_id: &str,
    actor: &str,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let found: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM ap_undone_follows WHERE pair = $1 AND at > $2")
            .bind(pair(follow_id, actor))
            .bind((at - UNDONE_FOLLOW_AGE).as_millisecond())
            .fetch_one(tx)
            .await?;
    Ok(found > 0)
}

/// Remembers the undo of a follow that may still arrive.
pub(super) async fn remember_undone(
    tx: &mut Tx,
    follow_id: &str,
    actor: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO ap_undone_follows (pair, at) VALUES ($1, $2) \
         ON CONFLICT (pair) DO UPDATE SET at = excluded.at",
    )
    .bind(pair(follow_id, actor))
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

impl FederationTables {
    /// Whether this activity was handled before; a quick check, which the transaction that handles it repeats.
    pub async fn is_seen(&self, activity_id: &str, actor: &str) -> Result<bool, StoreError> {
        let found: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM ap_seen WHERE pair = $1")
            .bind(pair(activity_id, actor))
            .fetch_one(&self.store.readers)
            .await?;
        Ok(found > 0)
    }

    /// Deletes activities handled before `before`, and undone follows that never arrived; returns how many.
    pub async fn prune_seen(&self, before: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let seen = sqlx::query("DELETE FROM ap_seen WHERE at < $1")
                        .bind(before.as_millisecond())
                        .execute(&mut *tx)
                        .await?;
                    let undone = sqlx::query("DELETE FROM ap_undone_follows WHERE at <= $1")
                        .bind((now - UNDONE_FOLLOW_AGE).as_millisecond())
                        .execute(tx)
                        .await?;
                    Ok(seen.rows_affected() + undone.rows_affected())
                })
            })
            .await
    }
}
