//! Broadcasts: their times, titles and viewer counts.

use jiff::Timestamp;
use model::Event;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;

/// A broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamRecord {
    /// Chosen by the caller, never reused.
    pub id: String,
    /// When it went live.
    pub started_at: Timestamp,
    /// When it ended; `None` while it is live.
    pub ended_at: Option<Timestamp>,
    /// Its title: the last one it had while it was on.
    pub title: String,
    /// The most viewers at once.
    pub peak_viewers: u32,
}

impl Store {
    /// Records that a broadcast went live. A repeated call changes nothing and logs nothing.
    pub async fn begin_stream(
        &self,
        id: String,
        at: Timestamp,
        title: String,
    ) -> Result<(), StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let inserted = sqlx::query(
                    "INSERT INTO streams (id, started_at, ended_at, title, peak_viewers, resumptions) \
                     VALUES ($1, $2, NULL, $3, 0, 0) \
                     ON CONFLICT (id) DO NOTHING",
                )
                .bind(id.clone())
                .bind(at.as_millisecond())
                .bind(title.clone())
                .execute(tx)
                .await?;
                let is_new = inserted.rows_affected() > 0;
                let started = is_new.then_some(Event::StreamStarted { id, title });
                Ok(((), started.into_iter().collect()))
            })
        })
        .await
    }

    /// Records the highest number of viewers so far, and the title now. An empty title says nothing new.
    pub async fn note_stream(
        &self,
        id: String,
        peak: u32,
        title: String,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "UPDATE streams SET peak_viewers = $2 WHERE id = $1 AND peak_viewers < $2",
                )
                .bind(id.clone())
                .bind(i64::from(peak))
                .execute(&mut *tx)
                .await?;
                if !title.is_empty() {
                    sqlx::query("UPDATE streams SET title = $2 WHERE id = $1 AND title <> $2")
                        .bind(id)
                        .bind(title)
                        .execute(tx)
                        .await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Records that another process continues a broadcast; returns how often that has happened.
    pub async fn resume_stream(&self, id: String) -> Result<u32, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let row = sqlx::query(
                    "UPDATE streams SET resumptions = resumptions + 1 WHERE id = $1 RETURNING resumptions",
                )
                .bind(id)
                .fetch_one(tx)
                .await?;
                let count: i64 = row.try_get(0)?;
                Ok(u32::try_from(count).unwrap_or(u32::MAX))
            })
        })
        .await
    }

    /// Records that a broadcast is over. A repeated call changes nothing and logs nothing.
    pub async fn end_stream(&self, id: String, at: Timestamp, peak: u32) -> Result<(), StoreError> {
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "UPDATE streams SET peak_viewers = $2 WHERE id = $1 AND peak_viewers < $2",
                )
                .bind(id.clone())
                .bind(i64::from(peak))
                .execute(&mut *tx)
                .await?;
                let ended = sqlx::query(
                    "UPDATE streams SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL",
                )
                .bind(id.clone())
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                let is_new = ended.rows_affected() > 0;
                let stopped = is_new.then_some(Event::StreamStopped { id });
                Ok(((), stopped.into_iter().collect()))
            })
        })
        .await
    }

    /// Broadcasts, newest first.
    pub async fn recent_streams(&self, limit: u32) -> Result<Vec<StreamRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, started_at, ended_at, title, peak_viewers FROM streams ORDER BY started_at DESC, id LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(record).collect()
    }

    /// Broadcasts without an end, newest first; more than one only if an end could not be written.
    pub async fn unfinished_streams(&self) -> Result<Vec<StreamRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, started_at, ended_at, title, peak_viewers FROM streams WHERE ended_at IS NULL \
             ORDER BY started_at DESC LIMIT 1000",
        )
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(record).collect()
    }

    /// The most viewers any broadcast had at once.
    pub async fn overall_peak(&self) -> Result<u32, StoreError> {
        let row = sqlx::query("SELECT COALESCE(MAX(peak_viewers), 0) FROM streams")
            .fetch_one(&self.readers)
            .await?;
        let peak: i64 = row.try_get(0)?;
        Ok(u32::try_from(peak).unwrap_or(u32::MAX))
    }
}

pub(crate) fn record(row: &AnyRow) -> Result<StreamRecord, StoreError> {
    let time = |at: i64| {
        Timestamp::from_millisecond(at).map_err(|error| StoreError::unreadable("stream", error))
    };
    let ended_at: Option<i64> = row.try_get("ended_at")?;
    let peak: i64 = row.try_get("peak_viewers")?;
    Ok(StreamRecord {
        id: row.try_get("id")?,
        started_at: time(row.try_get("started_at")?)?,
        ended_at: ended_at.map(time).transpose()?,
        title: row.try_get("title")?,
        peak_viewers: u32::try_from(peak).unwrap_or(u32::MAX),
    })
}
