//! The durable event log, and the cursors of its readers.

use std::time::Duration;

use jiff::Timestamp;
use model::{Event, LoggedEvent};
use sqlx::Row;
use tokio::sync::watch;

use crate::database::Store;
use crate::error::StoreError;
use crate::log_rows::{MAX_READ, newest, read_after};
use crate::log_watch::raise;
use crate::writer::Tx;

/// Limit (operators): time events are kept in the database; older ones are deleted, and a listener that was away longer
/// starts at the oldest one left.
pub const MAX_EVENT_AGE: Duration = Duration::from_secs(30 * 24 * 3600);
/// What people wrote and who came, here or from other servers, is kept for this long only: as long as somebody may still have to be told of it.
pub const MAX_CHAT_EVENT_AGE: Duration = Duration::from_secs(24 * 3600);
/// Limit (operators): events kept in the database; the oldest are deleted. About 100 MB at a few hundred bytes each.
pub const MAX_EVENT_ROWS: i64 = 300_000;
/// The cursor that says how far pruning has come.
const PRUNED: &str = "pruned";

/// Appends an event inside the unit of work that causes it; returns its position in the log. Nothing else may insert
/// into `events`: the order of the log is the order of these calls, under the writer's lock.
pub(crate) async fn append(tx: &mut Tx, event: &Event, at: Timestamp) -> Result<i64, StoreError> {
    let json =
        serde_json::to_string(event).map_err(|error| StoreError::unreadable("event", error))?;
    let row = sqlx::query("INSERT INTO events (kind, json, at) VALUES ($1, $2, $3) RETURNING seq")
        .bind(event.kind())
        .bind(json)
        .bind(at.as_millisecond())
        .fetch_one(tx)
        .await?;
    Ok(row.try_get(0)?)
}

/// Advances a cursor inside the unit of work that handles the events; it never goes back.
pub(crate) async fn advance(
    tx: &mut Tx,
    name: &'static str,
    seq: i64,
    at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO cursors (name, seq, updated_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE \
         SET seq = excluded.seq, updated_at = excluded.updated_at WHERE cursors.seq < excluded.seq",
    )
    .bind(name)
    .bind(seq)
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

impl Store {
    /// Runs `work`, appends the events it returns in the same transaction, and wakes the listeners after the commit.
    pub async fn write_with_events<T, F>(&self, at: Timestamp, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(
                &'c mut Tx,
            ) -> futures_util::future::BoxFuture<
                'c,
                Result<(T, Vec<Event>), StoreError>,
            > + Send
            + 'static,
    {
        self.write_events_and(at, work, |_| ()).await
    }

    /// As [`Store::write_with_events`]; `after_commit` runs in commit order.
    pub(crate) async fn write_events_and<T, F, A>(
        &self,
        at: Timestamp,
        work: F,
        after_commit: A,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(
                &'c mut Tx,
            ) -> futures_util::future::BoxFuture<
                'c,
                Result<(T, Vec<Event>), StoreError>,
            > + Send
            + 'static,
        A: FnOnce(&T) + Send + 'static,
    {
        let last_event = self.last_event.clone();
        let is_shared = self.is_shared();
        let (value, _) = self
            .writer
            .write(
                move |tx| {
                    Box::pin(async move {
                        let (value, mut events) = work(tx).await?;
                        events.retain(|event| is_shared || !event.is_internal());
                        let mut newest = None;
                        for event in &events {
                            newest = Some(append(tx, event, at).await?);
                        }
                        Ok((value, newest))
                    })
                },
                move |(value, newest)| {
                    after_commit(value);
                    if let Some(seq) = newest {
                        raise(&last_event, *seq);
                    }
                },
            )
            .await?;
        Ok(value)
    }

    /// Logs an event that has no other effect.
    pub async fn log_event(&self, event: Event, at: Timestamp) -> Result<(), StoreError> {
        self.write_with_events(at, move |_| Box::pin(async move { Ok(((), vec![event])) }))
            .await
    }

    /// Signals only that the log has grown; readers learn from the log what happened.
    pub fn event_wakeups(&self) -> watch::Receiver<i64> {
        self.last_event.subscribe()
    }

    /// Events after `seq`, oldest first, at most 500.
    pub async fn events_after(&self, seq: i64) -> Result<Vec<LoggedEvent>, StoreError> {
        self.some_events_after(seq, MAX_READ).await
    }

    /// Events after `seq`, oldest first, at most `limit`.
    pub async fn some_events_after(
        &self,
        seq: i64,
        most: i64,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        read_after(&self.readers, seq, most).await
    }

    /// The position up to which events may be missing because of pruning, and the newest position.
    pub async fn event_bounds(&self) -> Result<(i64, i64), StoreError> {
        let pruned = self.cursor(PRUNED).await?.unwrap_or(0);
        let newest = self.newest_event().await?;
        Ok((pruned, newest.max(*self.last_event.borrow()).max(pruned)))
    }

    /// The newest position before `at`.
    pub async fn last_event_before(&self, at: Timestamp) -> Result<i64, StoreError> {
        let row = sqlx::query("SELECT COALESCE(MAX(seq), 0) FROM events WHERE at < $1")
            .bind(at.as_millisecond())
            .fetch_one(&self.readers)
            .await?;
        Ok(row.try_get(0)?)
    }

    pub(crate) async fn newest_event(&self) -> Result<i64, StoreError> {
        newest(&self.readers).await
    }

    /// How far the listener `name` has read; `None` before its first [`Store::advance_cursor`].
    pub async fn cursor(&self, name: &str) -> Result<Option<i64>, StoreError> {
        let row = sqlx::query("SELECT seq FROM cursors WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.readers)
            .await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// Records that `name` has handled everything up to `seq`; a cursor never goes back.
    pub async fn advance_cursor(
        &self,
        name: &'static str,
        seq: i64,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| Box::pin(advance(tx, name, seq, at)))
            .await
    }

    /// Deletes events that are too old or too many; returns how many. It records how far pruning got, so that a
    /// listener that comes back can be told that something is missing.
    pub async fn prune_events(&self, now: Timestamp) -> Result<u64, StoreError> {
        let oldest = now.as_millisecond() - MAX_EVENT_AGE.as_millis() as i64;
        let oldest_chat = now.as_millisecond() - MAX_CHAT_EVENT_AGE.as_millis() as i64;
        self.write(move |tx| {
            Box::pin(async move {
                let reached = sqlx::query(
                    "SELECT COALESCE(MAX(seq), 0) FROM events WHERE at < $1 \
                     OR seq <= (SELECT COALESCE(MAX(seq), 0) FROM events) - $2 OR (at < $3 AND (kind LIKE 'Chat%' OR kind LIKE 'Fediverse%'))",
                )
                .bind(oldest)
                .bind(MAX_EVENT_ROWS)
                .bind(oldest_chat)
                .fetch_one(&mut *tx)
                .await?;
                let reached: i64 = reached.try_get(0)?;
                let done = sqlx::query(
                    "DELETE FROM events WHERE at < $1 OR seq <= (SELECT COALESCE(MAX(seq), 0) FROM events) - $2 \
                     OR (at < $3 AND (kind LIKE 'Chat%' OR kind LIKE 'Fediverse%'))",
                )
                .bind(oldest)
                .bind(MAX_EVENT_ROWS)
                .bind(oldest_chat)
                .execute(&mut *tx)
                .await?;
                advance(tx, PRUNED, reached, now).await?;
                Ok(done.rows_affected())
            })
        })
        .await
    }
}
