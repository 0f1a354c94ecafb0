//! Records that a server accepted something, failed, or is gone.

use jiff::Timestamp;

use super::{HostState, columns, from_row};
use crate::error::StoreError;
use crate::federation::outgoing::{PROBE_EVERY, forget_secrets};
use crate::federation::{FederationTables, followers, host_of};
use crate::users::optional_time;
use crate::writer::Tx;

/// Limit (fediverse, days): time a server fails, with no delivery arriving; then it gets one delivery a day to see
/// whether it is back. The days are those with a failure.
pub const UNAVAILABLE_AFTER_DAYS: i64 = 7;
/// The longest reason that is kept, in characters; the rest is cut off.
const MAX_ERROR: usize = 300;

/// What a 410 from an inbox means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoneInboxResult {
    /// It was an actor's own inbox: this many followers with it were removed.
    Removed(u64),
    /// It was a shared inbox: nothing more is sent, except one more try in a day.
    HostMarked,
    /// It was a shared inbox, for the second time a day later: this many followers were removed.
    HostRemoved(u64),
}

impl FederationTables {
    /// Records that a host accepted something, or sent something verified: its failures are cleared, and what was held
    /// back for it goes out now. A delivery that got an answer of its own keeps the time set by that answer. Writes
    /// nothing if there is nothing to clear.
    pub async fn note_success(&self, host: &str, at: Timestamp) -> Result<(), StoreError> {
        let failing: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM ap_hosts WHERE host = $1 AND failures > 0")
                .bind(host)
                .fetch_one(&self.store.readers)
                .await?;
        if failing == 0 {
            return Ok(());
        }
        let host = host.to_owned();
        let wakeups = self.store.outgoing.clone();
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    sqlx::query(
                        "UPDATE ap_hosts SET failures = 0, failing_days = 0, last_failure_at = NULL, last_error = NULL, \
                         held_until = NULL, unavailable_since = NULL, gone_at = NULL, probe_at = NULL WHERE host = $1",
                    )
                    .bind(host.clone())
                    .execute(&mut *tx)
                    .await?;
                    sqlx::query(
                        "UPDATE deliveries SET next_at = $2 WHERE host = $1 AND state = 'pending' AND next_at > $2 \
                         AND status IS NULL",
                    )
                    .bind(host)
                    .bind(at.as_millisecond())
                    .execute(tx)
                    .await?;
                    Ok(())
                })
            })
            .await?;
        wakeups.send_replace(());
        Ok(())
    }

    /// Records that a host that was held back answered with a refusal: other deliveries may fare better.
    pub async fn note_answer(&self, host: String, at: Timestamp) -> Result<(), StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    // A newer hold was set by another request that fared worse.
                    sqlx::query(
                        "UPDATE ap_hosts SET held_until = NULL WHERE host = $1 AND held_until <= $2",
                    )
                    .bind(host)
                    .bind(at.as_millisecond())
                    .execute(tx)
                    .await?;
                    Ok(())
                })
            })
            .await
    }

    /// Records a failure. Nothing is sent to the host until `held_until`; after failures on [`UNAVAILABLE_AFTER_DAYS`]
    /// days it is unavailable. Returns its new state.
    pub async fn note_failure(
        &self,
        host: String,
        held_until: Option<Timestamp>,
        error: String,
        at: Timestamp,
    ) -> Result<HostState, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    host_failed(&mut *tx, &host, held_until, &error, at).await?;
                    let row = sqlx::query(columns!("WHERE host = $1"))
                        .bind(host)
                        .fetch_one(tx)
                        .await?;
                    Ok(from_row(&row, at)?.state)
                })
            })
            .await
    }

    /// Handles a 410 from an inbox.
    pub async fn inbox_gone(
        &self,
        inbox: String,
        at: Timestamp,
    ) -> Result<GoneInboxResult, StoreError> {
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let sharing: i64 = sqlx::query_scalar(
                        "SELECT COUNT(*) FROM ap_followers WHERE shared_inbox = $1",
                    )
                    .bind(inbox.clone())
                    .fetch_one(&mut *tx)
                    .await?;
                    if sharing == 0 {
                        let removed = followers::remove_with_inbox(tx, &inbox).await?;
                        return Ok(GoneInboxResult::Removed(removed));
                    }
                    host_gone(tx, &host_of(&inbox), at).await
                })
            })
            .await
    }
}

/// Counts a failure, and holds back what waits for the host.
pub(in crate::federation) async fn host_failed(
    tx: &mut Tx,
    host: &str,
    held_until: Option<Timestamp>,
    error: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let error: String = error.chars().take(MAX_ERROR).collect();
    count_failure(&mut *tx, host, held_until, error, at).await?;
    match held_until {
        Some(until) => hold(tx, host, until).await,
        None => Ok(()),
    }
}

/// Each day counts once.
async fn count_failure(
    tx: &mut Tx,
    host: &str,
    held_until: Option<Timestamp>,
    error: String,
    at: Timestamp,
) -> Result<(), StoreError> {
    let moment = at.as_millisecond();
    let day = i64::try_from(PROBE_EVERY.as_millis()).unwrap_or(i64::MAX);
    sqlx::query(
        "INSERT INTO ap_hosts (host, failures, failing_days, last_failure_at, last_error, held_until) \
         VALUES ($1, 1, 1, $2, $3, $4) ON CONFLICT (host) DO UPDATE SET failures = ap_hosts.failures + 1, \
         failing_days = ap_hosts.failing_days + \
         CASE WHEN ap_hosts.last_failure_at / $5 = excluded.last_failure_at / $5 THEN 0 ELSE 1 END, \
         last_failure_at = excluded.last_failure_at, last_error = excluded.last_error, \
         held_until = COALESCE(excluded.held_until, ap_hosts.held_until)",
    )
    .bind(host.to_owned())
    .bind(moment)
    .bind(error)
    .bind(held_until.map(Timestamp::as_millisecond))
    .bind(day)
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "UPDATE ap_hosts SET unavailable_since = COALESCE(unavailable_since, $2), probe_at = $3 \
         WHERE host = $1 AND failing_days >= $4",
    )
    .bind(host.to_owned())
    .bind(moment)
    .bind((at + PROBE_EVERY).as_millisecond())
    .bind(UNAVAILABLE_AFTER_DAYS)
    .execute(tx)
    .await?;
    Ok(())
}

async fn hold(tx: &mut Tx, host: &str, until: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE deliveries SET next_at = $2 WHERE host = $1 AND state = 'pending' AND next_at < $2",
    )
    .bind(host.to_owned())
    .bind(until.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

async fn host_gone(tx: &mut Tx, host: &str, at: Timestamp) -> Result<GoneInboxResult, StoreError> {
    let row = sqlx::query("SELECT gone_at FROM ap_hosts WHERE host = $1")
        .bind(host.to_owned())
        .fetch_optional(&mut *tx)
        .await?;
    let first = match row {
        Some(row) => optional_time(&row, "gone_at")?,
        None => None,
    };
    if first.is_some_and(|first| at >= first + PROBE_EVERY) {
        sqlx::query("DELETE FROM deliveries WHERE host = $1 AND state = 'pending'")
            .bind(host.to_owned())
            .execute(&mut *tx)
            .await?;
        forget_secrets(&mut *tx).await?;
        return Ok(GoneInboxResult::HostRemoved(
            followers::remove_host(tx, host).await?,
        ));
    }
    if first.is_none() {
        sqlx::query(
            "INSERT INTO ap_hosts (host, failures, failing_days, last_failure_at, last_error, gone_at, probe_at) \
             VALUES ($1, 1, 1, $2, '410 Gone', $2, $3) ON CONFLICT (host) DO UPDATE \
             SET failures = ap_hosts.failures + 1, last_failure_at = excluded.last_failure_at, \
             last_error = excluded.last_error, gone_at = excluded.gone_at, probe_at = excluded.probe_at",
        )
        .bind(host.to_owned())
        .bind(at.as_millisecond())
        .bind((at + PROBE_EVERY).as_millisecond())
        .execute(tx)
        .await?;
    }
    Ok(GoneInboxResult::HostMarked)
}
