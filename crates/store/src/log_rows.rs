//! What stands in the event log, as the pool and as a transaction see it.

use jiff::Timestamp;
use model::{Event, LoggedEvent};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Row};

use crate::error::StoreError;

/// Events one read returns at most.
pub(crate) const MAX_READ: i64 = 500;
const AFTER: &str = "SELECT seq, json, at FROM events WHERE seq > $1 ORDER BY seq LIMIT $2";
const NEWEST: &str = "SELECT COALESCE(MAX(seq), 0) FROM events";

/// Events after `seq`, oldest first, at most `most`.
pub(crate) async fn read_after(
    readers: &AnyPool,
    seq: i64,
    most: i64,
) -> Result<Vec<LoggedEvent>, StoreError> {
    let query = sqlx::query(AFTER).bind(seq).bind(most);
    let rows = query.fetch_all(readers).await?;
    rows.iter().map(from_row).collect()
}

/// Everything after `seq` as a transaction sees it: if it holds the writer's lock, that is what it has appended itself.
pub(crate) async fn appended_after(
    tx: &mut AnyConnection,
    seq: i64,
) -> Result<Vec<LoggedEvent>, StoreError> {
    let query = sqlx::query(AFTER).bind(seq).bind(i64::MAX);
    let rows = query.fetch_all(tx).await?;
    rows.iter().map(from_row).collect()
}

/// An event that this version cannot read is passed on as one that it does not know: a machine that is upgraded later than
/// the others must not stand still before it.
fn from_row(row: &AnyRow) -> Result<LoggedEvent, StoreError> {
    let (seq, json): (i64, String) = (row.try_get("seq")?, row.try_get("json")?);
    let at: i64 = row.try_get("at")?;
    let event = serde_json::from_str(&json).unwrap_or_else(|error| {
        tracing::warn!(%error, seq, "an event in the log cannot be read; it is passed over");
        Event::Unknown
    });
    Ok(LoggedEvent {
        at: Timestamp::from_millisecond(at)
            .map_err(|error| StoreError::unreadable("event", error))?,
        seq,
        event,
    })
}

/// The end of the log; 0 if it is empty.
pub(crate) async fn newest(readers: &AnyPool) -> Result<i64, StoreError> {
    let row = sqlx::query(NEWEST).fetch_one(readers).await?;
    Ok(row.try_get(0)?)
}

/// The same as a transaction sees it.
pub(crate) async fn newest_in(tx: &mut AnyConnection) -> Result<i64, StoreError> {
    let row = sqlx::query(NEWEST).fetch_one(tx).await?;
    Ok(row.try_get(0)?)
}
