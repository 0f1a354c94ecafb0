//! Rows of series, and the dates created for them.

use jiff::Timestamp;
use model::ScheduleId;
use model::schedule::{Occurrences, Series};
use sqlx::Row;
use sqlx::any::AnyRow;

use super::MAX_SERIES;
use super::events::id;
use crate::database::Store;
use crate::error::StoreError;
use crate::users::time;
use crate::writer::Tx;

impl Store {
    /// Every series, oldest first.
    pub async fn series(&self) -> Result<Vec<Series>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, name, description, recurrence, duration_minutes, is_active FROM schedule_series \
             ORDER BY created_at, id",
        )
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(series).collect()
    }

    /// The series with this id.
    pub async fn one_series(&self, id: &ScheduleId) -> Result<Option<Series>, StoreError> {
        let row = sqlx::query(
            "SELECT id, name, description, recurrence, duration_minutes, is_active FROM schedule_series \
             WHERE id = $1",
        )
        .bind(id.as_str())
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(series).transpose()
    }

    /// Active series whose dates are not created up to `until` yet, with how far they are.
    pub(super) async fn series_to_lay_out(
        &self,
        until: Timestamp,
    ) -> Result<Vec<(Series, Timestamp)>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, name, description, recurrence, duration_minutes, is_active, laid_until \
             FROM schedule_series WHERE is_active = 1 AND laid_until < $1",
        )
        .bind(until.as_millisecond())
        .fetch_all(&self.readers)
        .await?;
        rows.iter()
            .map(|row| Ok((series(row)?, time(row.try_get("laid_until")?)?)))
            .collect()
    }

    /// Announces a series with its first dates; false if the limit is reached.
    pub async fn add_series(
        &self,
        series: Series,
        occurrences: Occurrences,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "INSERT INTO schedule_series (id, name, description, recurrence, duration_minutes, is_active, \
                     laid_until, created_at) \
                     SELECT $1, $2, $3, $4, $5, 1, $6, $7 WHERE (SELECT COUNT(*) FROM schedule_series) < $8",
                )
                .bind(series.id.as_str().to_owned())
                .bind(series.name.clone())
                .bind(series.description.clone())
                .bind(series.recurrence.clone())
                .bind(i64::from(series.duration_minutes))
                .bind(occurrences.until.as_millisecond())
                .bind(now.as_millisecond())
                .bind(MAX_SERIES)
                .execute(&mut *tx)
                .await?;
                if done.rows_affected() == 0 {
                    return Ok(false);
                }
                insert(tx, &series, &occurrences).await?;
                Ok(true)
            })
        })
        .await
    }

    /// Changes a series and its future dates, except those changed individually; a new rule gives new dates. False if
    /// the series is gone.
    pub async fn change_series(
        &self,
        series: Series,
        occurrences: Option<Occurrences>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "UPDATE schedule_series SET name = $2, description = $3, recurrence = $4, \
                     duration_minutes = $5 WHERE id = $1 AND is_active = 1",
                )
                .bind(series.id.as_str().to_owned())
                .bind(series.name.clone())
                .bind(series.description.clone())
                .bind(series.recurrence.clone())
                .bind(i64::from(series.duration_minutes))
                .execute(&mut *tx)
                .await?;
                if done.rows_affected() == 0 {
                    return Ok(false);
                }
                match &occurrences {
                    None => rename_dates(tx, &series, now).await?,
                    Some(occurrences) => {
                        sqlx::query(
                            "DELETE FROM schedule_events WHERE series_id = $1 AND starts_at > $2 \
                             AND is_cancelled = 0 AND is_own = 0",
                        )
                        .bind(series.id.as_str().to_owned())
                        .bind(now.as_millisecond())
                        .execute(&mut *tx)
                        .await?;
                        insert(tx, &series, occurrences).await?;
                        note_layout(tx, &series.id, occurrences).await?;
                    }
                }
                Ok(true)
            })
        })
        .await
    }

    /// Creates later dates of a series.
    pub(super) async fn extend_series(
        &self,
        series: Series,
        occurrences: Occurrences,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                if note_layout(tx, &series.id, &occurrences).await? {
                    insert(tx, &series, &occurrences).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Retires a series whose rule has no more dates.
    pub(super) async fn retire_series(&self, id: &ScheduleId) -> Result<(), StoreError> {
        let id = id.as_str().to_owned();
        self.write(move |tx| Box::pin(async move { deactivate(tx, &id).await }))
            .await
    }

    /// Deletes a series and its future dates; cancelled ones stay, so that people still see the cancellation. False if
    /// there is none.
    pub async fn delete_series(&self, id: &ScheduleId, now: Timestamp) -> Result<bool, StoreError> {
        let id = id.as_str().to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query("DELETE FROM schedule_series WHERE id = $1")
                    .bind(id.clone())
                    .execute(&mut *tx)
                    .await?;
                sqlx::query("DELETE FROM schedule_gone WHERE series_id = $1")
                    .bind(id.clone())
                    .execute(&mut *tx)
                    .await?;
                sqlx::query(
                    "DELETE FROM schedule_events WHERE series_id = $1 AND starts_at > $2 AND is_cancelled = 0",
                )
                .bind(id)
                .bind(now.as_millisecond())
                .execute(tx)
                .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }

    /// Cancels a series and all its future dates. False if there is none.
    pub async fn cancel_series(&self, id: &ScheduleId, now: Timestamp) -> Result<bool, StoreError> {
        let id = id.as_str().to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let known = sqlx::query("SELECT id FROM schedule_series WHERE id = $1")
                    .bind(id.clone())
                    .fetch_optional(&mut *tx)
                    .await?;
                deactivate(tx, &id).await?;
                sqlx::query(
                    "UPDATE schedule_events SET is_cancelled = 1 WHERE series_id = $1 AND starts_at > $2",
                )
                .bind(id)
                .bind(now.as_millisecond())
                .execute(tx)
                .await?;
                Ok(known.is_some())
            })
        })
        .await
    }
}

async fn deactivate(tx: &mut Tx, id: &str) -> Result<(), StoreError> {
    sqlx::query("UPDATE schedule_series SET is_active = 0 WHERE id = $1")
        .bind(id.to_owned())
        .execute(tx)
        .await?;
    Ok(())
}

async fn rename_dates(tx: &mut Tx, series: &Series, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE schedule_events SET name = $2, description = $3, ends_at = starts_at + $4 \
         WHERE series_id = $1 AND starts_at > $5 AND is_cancelled = 0 AND is_own = 0",
    )
    .bind(series.id.as_str().to_owned())
    .bind(series.name.clone())
    .bind(series.description.clone())
    .bind(milliseconds(series))
    .bind(now.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

/// Creates a row for every date; one that already has a row (cancelled, or changed individually) keeps it, and a
/// deleted one gets none.
async fn insert(tx: &mut Tx, series: &Series, occurrences: &Occurrences) -> Result<(), StoreError> {
    for date in &occurrences.dates {
        let slot = date.as_millisecond();
        sqlx::query(
            "INSERT INTO schedule_events (id, series_id, slot, name, description, starts_at, ends_at, timezone, \
             is_cancelled, is_own) SELECT $1, $2, $3, $4, $5, $6, $7, $8, 0, 0 \
             WHERE NOT EXISTS (SELECT 1 FROM schedule_gone WHERE series_id = $2 AND slot = $3) \
             ON CONFLICT DO NOTHING",
        )
        // The same date of the same series has the same id whenever it is created, as calendars that show it need.
        .bind(format!("{}-{}", series.id, date.as_second()))
        .bind(series.id.as_str().to_owned())
        .bind(slot)
        .bind(series.name.clone())
        .bind(series.description.clone())
        .bind(slot)
        .bind(slot + milliseconds(series))
        .bind(occurrences.timezone.clone())
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// False when the series is gone or cancelled.
async fn note_layout(
    tx: &mut Tx,
    id: &ScheduleId,
    occurrences: &Occurrences,
) -> Result<bool, StoreError> {
    let done =
        sqlx::query("UPDATE schedule_series SET laid_until = $2 WHERE id = $1 AND is_active = 1")
            .bind(id.as_str().to_owned())
            .bind(occurrences.until.as_millisecond())
            .execute(tx)
            .await?;
    Ok(done.rows_affected() > 0)
}

fn milliseconds(series: &Series) -> i64 {
    i64::from(series.duration_minutes) * 60_000
}

fn series(row: &AnyRow) -> Result<Series, StoreError> {
    let minutes: i64 = row.try_get("duration_minutes")?;
    Ok(Series {
        id: id(row.try_get("id")?)?,
        name: row.try_get("name")?,
        description: row.try_get("description")?,
        recurrence: row.try_get("recurrence")?,
        duration_minutes: u32::try_from(minutes).unwrap_or_default(),
        is_active: row.try_get::<i64, _>("is_active")? != 0,
    })
}
