//! Rows of announced streams.

use jiff::Timestamp;
use model::ScheduleId;
use model::schedule::ScheduledEvent;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::MAX_SINGLE_EVENTS;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::time;

impl Store {
    /// Streams that begin between two moments, the end excluded, earliest first.
    pub async fn scheduled_events(
        &self,
        from: Timestamp,
        to: Timestamp,
        limit: u32,
    ) -> Result<Vec<ScheduledEvent>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, series_id, name, description, starts_at, ends_at, timezone, is_cancelled \
             FROM schedule_events WHERE starts_at >= $1 AND starts_at < $2 ORDER BY starts_at, id LIMIT $3",
        )
        .bind(from.as_millisecond())
        .bind(to.as_millisecond())
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(event).collect()
    }

    /// Streams that are neither over nor cancelled, earliest first.
    pub async fn coming_events(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<ScheduledEvent>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, series_id, name, description, starts_at, ends_at, timezone, is_cancelled \
             FROM schedule_events WHERE ends_at > $1 AND is_cancelled = 0 ORDER BY starts_at, id LIMIT $2",
        )
        .bind(now.as_millisecond())
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(event).collect()
    }

    /// The stream with this id.
    pub async fn scheduled_event(
        &self,
        id: &ScheduleId,
    ) -> Result<Option<ScheduledEvent>, StoreError> {
        let row = sqlx::query(
            "SELECT id, series_id, name, description, starts_at, ends_at, timezone, is_cancelled \
             FROM schedule_events WHERE id = $1",
        )
        .bind(id.as_str())
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(event).transpose()
    }

    /// Announces a single stream; false if the limit is reached.
    pub async fn add_scheduled_event(
        &self,
        event: ScheduledEvent,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "INSERT INTO schedule_events (id, name, description, starts_at, ends_at, timezone, is_cancelled, is_own) \
                     SELECT $1, $2, $3, $4, $5, $6, 0, 1 WHERE \
                     (SELECT COUNT(*) FROM schedule_events WHERE series_id IS NULL AND ends_at > $7) < $8",
                )
                .bind(event.id.as_str().to_owned())
                .bind(event.name.clone())
                .bind(event.description.clone())
                .bind(event.starts_at.as_millisecond())
                .bind(event.ends_at().as_millisecond())
                .bind(event.timezone.clone())
                .bind(now.as_millisecond())
                .bind(MAX_SINGLE_EVENTS)
                .execute(tx)
                .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }

    /// Changes one stream, which is independent of its series from now on; false if it is gone.
    pub async fn change_scheduled_event(&self, event: ScheduledEvent) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "UPDATE schedule_events SET name = $2, description = $3, \
                     reminded_at = CASE WHEN starts_at = $4 THEN reminded_at END, \
                     starts_at = $4, ends_at = $5, timezone = $6, is_own = 1 WHERE id = $1",
                )
                .bind(event.id.as_str().to_owned())
                .bind(event.name.clone())
                .bind(event.description.clone())
                .bind(event.starts_at.as_millisecond())
                .bind(event.ends_at().as_millisecond())
                .bind(event.timezone.clone())
                .execute(tx)
                .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }

    /// Cancels one stream: it stays, marked as cancelled. False if there is none.
    pub async fn cancel_scheduled_event(&self, id: &ScheduleId) -> Result<bool, StoreError> {
        let id = id.as_str().to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query("UPDATE schedule_events SET is_cancelled = 1 WHERE id = $1")
                    .bind(id)
                    .execute(tx)
                    .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }

    /// Deletes one stream as if it had never been announced. False if there is none.
    pub async fn delete_scheduled_event(&self, id: &ScheduleId) -> Result<bool, StoreError> {
        let id = id.as_str().to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                // Otherwise its series would announce it again with the next change of its rule.
                sqlx::query(
                    "INSERT INTO schedule_gone (series_id, slot) SELECT series_id, slot FROM schedule_events \
                     WHERE id = $1 AND series_id IS NOT NULL AND slot IS NOT NULL ON CONFLICT DO NOTHING",
                )
                .bind(id.clone())
                .execute(&mut *tx)
                .await?;
                let done = sqlx::query("DELETE FROM schedule_events WHERE id = $1")
                    .bind(id)
                    .execute(tx)
                    .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }

    /// Claims the reminder of a stream; true only the first time.
    pub async fn claim_reminder(&self, id: &ScheduleId, at: Timestamp) -> Result<bool, StoreError> {
        let id = id.as_str().to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "UPDATE schedule_events SET reminded_at = $2 \
                     WHERE id = $1 AND reminded_at IS NULL AND is_cancelled = 0",
                )
                .bind(id)
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }

    /// Deletes streams that ended before `before`; returns how many.
    pub async fn prune_schedule(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query("DELETE FROM schedule_gone WHERE slot < $1")
                    .bind(before.as_millisecond())
                    .execute(&mut *tx)
                    .await?;
                let done = sqlx::query("DELETE FROM schedule_events WHERE ends_at < $1")
                    .bind(before.as_millisecond())
                    .execute(tx)
                    .await?;
                Ok(done.rows_affected())
            })
        })
        .await
    }
}

fn event(row: &AnyRow) -> Result<ScheduledEvent, StoreError> {
    let series_id: Option<String> = row.try_get("series_id")?;
    let starts_at = time(row.try_get("starts_at")?)?;
    let ends_at = time(row.try_get("ends_at")?)?;
    let minutes = ends_at.duration_since(starts_at).as_mins();
    Ok(ScheduledEvent {
        id: id(row.try_get("id")?)?,
        series_id: series_id.map(id).transpose()?,
        name: row.try_get("name")?,
        description: row.try_get("description")?,
        starts_at,
        duration_minutes: u32::try_from(minutes).unwrap_or_default(),
        timezone: row.try_get("timezone")?,
        is_cancelled: row.try_get::<i64, _>("is_cancelled")? != 0,
    })
}

pub(super) fn id(text: String) -> Result<ScheduleId, StoreError> {
    ScheduleId::parse(text).map_err(|error| StoreError::unreadable("schedule", error))
}
