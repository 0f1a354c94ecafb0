//! How many watched and chatted, kept for ever and coarser with age; totals of each broadcast.
//!
//! A sample is added to the current period of every step in one unit of work, so nothing has to be thinned out later:
//! housekeeping only deletes fine periods that are old.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

/// Limit (operators): time that viewer counts of each minute are kept; after that they are kept by quarter hours.
pub const MINUTES_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// Limit (operators): time that viewer counts of each quarter hour are kept; hours and days are kept for ever.
pub const QUARTERS_KEPT: Duration = Duration::from_secs(400 * 24 * 3600);
/// Periods one answer has at most; a longer time is told in coarser ones.
const MAX_PERIODS: i64 = 1500;
/// Rows that one answer reads, even where there is nothing coarser: more than ten years of days.
const MAX_ROWS: i64 = 4000;
/// Periods of one step that one round of housekeeping deletes at most.
const PRUNED_AT_ONCE: i64 = 5000;

/// The length of the periods that are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AudienceStep {
    Minute,
    Quarter,
    Hour,
    Day,
}

impl AudienceStep {
    /// From fine to coarse.
    const ALL: [Self; 4] = [Self::Minute, Self::Quarter, Self::Hour, Self::Day];

    pub fn seconds(self) -> i64 {
        match self {
            Self::Minute => 60,
            Self::Quarter => 900,
            Self::Hour => 3600,
            Self::Day => 86_400,
        }
    }

    fn ms(self) -> i64 {
        self.seconds() * 1000
    }

    fn kept(self) -> Option<Duration> {
        match self {
            Self::Minute => Some(MINUTES_KEPT),
            Self::Quarter => Some(QUARTERS_KEPT),
            Self::Hour | Self::Day => None,
        }
    }

    /// The finest step that still has the beginning of this time and does not make too many periods of it.
    pub fn choose(from: Timestamp, to: Timestamp, now: Timestamp) -> Self {
        let span = to.as_millisecond() - from.as_millisecond();
        let age = now.as_millisecond() - from.as_millisecond();
        let fits = |step: &Self| {
            let is_kept = step
                .kept()
                .is_none_or(|kept| age <= kept.as_millis() as i64);
            is_kept && span / step.ms() <= MAX_PERIODS
        };
        Self::ALL.into_iter().find(fits).unwrap_or(Self::Day)
    }

    /// The beginning of the period with this time.
    fn begin(self, at: Timestamp) -> i64 {
        let ms = at.as_millisecond();
        ms - ms.rem_euclid(self.ms())
    }
}

/// What was measured in a short time. It is counted into the periods in which it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AudienceSample {
    pub began_at: Timestamp,
    /// Its length.
    pub measured_ms: i64,
    /// The sum of the time each viewer was there.
    pub viewer_ms: i64,
    pub peak_viewers: u32,
    /// The sum of the time each connection to the chat was open.
    pub chat_client_ms: i64,
    pub peak_chat_clients: u32,
    /// Lines that people wrote.
    pub messages: u32,
}

/// The broadcast that a sample belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledStream {
    pub id: String,
    /// How many people have written so far.
    pub chatters: u32,
}

/// A period of which something is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AudiencePoint {
    /// Its beginning.
    pub at: Timestamp,
    /// On average, over the time that was measured.
    pub viewers: f64,
    pub peak_viewers: u32,
    /// On average.
    pub chat_clients: f64,
    pub peak_chat_clients: u32,
    pub messages: u32,
}

/// A broadcast as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamTotals {
    pub average_viewers: f64,
    /// The sum of the time that all viewers were there.
    pub watch_time: Duration,
    pub peak_chat_clients: u32,
    /// Lines that people wrote.
    pub messages: u32,
    /// People who wrote at least one.
    pub chatters: u32,
}

impl Store {
    /// Adds a sample to what is known.
    pub async fn record_audience(
        &self,
        sample: AudienceSample,
        stream: Option<SampledStream>,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                for step in AudienceStep::ALL {
                    add_to_period(tx, step, &sample).await?;
                }
                if let Some(stream) = stream {
                    add_to_totals(tx, stream, &sample).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// The periods between two times, oldest first; those without anything are left out.
    pub async fn audience(
        &self,
        step: AudienceStep,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<AudiencePoint>, StoreError> {
        let rows = sqlx::query(
            "SELECT at, measured_ms, viewer_ms, peak_viewers, chat_client_ms, peak_chat_clients, messages \
             FROM audience WHERE step = $1 AND at >= $2 AND at <= $3 ORDER BY at LIMIT $4",
        )
        .bind(step.seconds())
        .bind(step.begin(from))
        .bind(to.as_millisecond())
        .bind(MAX_ROWS)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(point).collect()
    }

    /// When the first period begins, as finely as that is still known; `None` before the first sample.
    pub async fn audience_since(&self) -> Result<Option<Timestamp>, StoreError> {
        let mut first: Option<i64> = None;
        for step in AudienceStep::ALL.into_iter().rev() {
            let row = sqlx::query("SELECT MIN(at) FROM audience WHERE step = $1")
                .bind(step.seconds())
                .fetch_one(&self.readers)
                .await?;
            let found: Option<i64> = row.try_get(0)?;
            // A finer step that begins on a later day has lost its beginning.
            let is_finer =
                |first: i64| found.is_some_and(|found| found - first < AudienceStep::Day.ms());
            if first.is_none_or(is_finer) {
                first = found;
            }
        }
        first.map(timestamp).transpose()
    }

    /// What is known of a broadcast as a whole; `None` for those from before this was counted.
    pub async fn stream_totals(&self, id: &str) -> Result<Option<StreamTotals>, StoreError> {
        let row = sqlx::query(
            "SELECT measured_ms, viewer_ms, peak_chat_clients, messages, chatters FROM stream_totals \
             WHERE stream_id = $1",
        )
        .bind(id)
        .fetch_optional(&self.readers)
        .await?;
        row.map(|row| totals(&row)).transpose()
    }

    /// How many lines people wrote in this time, as far as they are still kept.
    pub async fn count_lines(&self, from: Timestamp, to: Timestamp) -> Result<u32, StoreError> {
        let row = sqlx::query(
            "SELECT COUNT(*) FROM messages WHERE at >= $1 AND at < $2 AND kind = 'CHAT' AND is_held = 0",
        )
        .bind(from.as_millisecond())
        .bind(to.as_millisecond())
        .fetch_one(&self.readers)
        .await?;
        Ok(count(row.try_get(0)?))
    }

    /// The people who wrote these lines, each once.
    pub async fn authors(&self, from: Timestamp, to: Timestamp) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(
            "SELECT DISTINCT user_id FROM messages \
             WHERE at >= $1 AND at < $2 AND kind = 'CHAT' AND is_held = 0 AND user_id IS NOT NULL",
        )
        .bind(from.as_millisecond())
        .bind(to.as_millisecond())
        .fetch_all(&self.readers)
        .await?;
        rows.iter()
            .map(|row| row.try_get(0).map_err(StoreError::from))
            .collect()
    }

    /// Deletes fine periods that are old; returns how many. What is left after a long absence goes in later rounds.
    pub async fn prune_audience(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let mut pruned = 0;
                for step in AudienceStep::ALL {
                    let Some(kept) = step.kept() else { continue };
                    let done = sqlx::query(
                        "DELETE FROM audience WHERE step = $1 AND at < $2 \
                         AND at < (SELECT MIN(at) FROM audience WHERE step = $1) + $3",
                    )
                    .bind(step.seconds())
                    .bind(now.as_millisecond() - kept.as_millis() as i64)
                    .bind(PRUNED_AT_ONCE * step.ms())
                    .execute(&mut *tx)
                    .await?;
                    pruned += done.rows_affected();
                }
                Ok(pruned)
            })
        })
        .await
    }
}

async fn add_to_period(
    tx: &mut Tx,
    step: AudienceStep,
    sample: &AudienceSample,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO audience (step, at, measured_ms, viewer_ms, peak_viewers, chat_client_ms, peak_chat_clients, \
         messages) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (step, at) DO UPDATE SET \
         measured_ms = audience.measured_ms + excluded.measured_ms, \
         viewer_ms = audience.viewer_ms + excluded.viewer_ms, \
         peak_viewers = CASE WHEN excluded.peak_viewers > audience.peak_viewers \
         THEN excluded.peak_viewers ELSE audience.peak_viewers END, \
         chat_client_ms = audience.chat_client_ms + excluded.chat_client_ms, \
         peak_chat_clients = CASE WHEN excluded.peak_chat_clients > audience.peak_chat_clients \
         THEN excluded.peak_chat_clients ELSE audience.peak_chat_clients END, \
         messages = audience.messages + excluded.messages",
    )
    .bind(step.seconds())
    .bind(step.begin(sample.began_at))
    .bind(sample.measured_ms)
    .bind(sample.viewer_ms)
    .bind(i64::from(sample.peak_viewers))
    .bind(sample.chat_client_ms)
    .bind(i64::from(sample.peak_chat_clients))
    .bind(i64::from(sample.messages))
    .execute(tx)
    .await?;
    Ok(())
}

/// The number of people who wrote only grows: it is counted among lines that may be deleted before the broadcast ends.
async fn add_to_totals(
    tx: &mut Tx,
    stream: SampledStream,
    sample: &AudienceSample,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO stream_totals (stream_id, measured_ms, viewer_ms, peak_chat_clients, messages, chatters) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (stream_id) DO UPDATE SET \
         measured_ms = stream_totals.measured_ms + excluded.measured_ms, \
         viewer_ms = stream_totals.viewer_ms + excluded.viewer_ms, \
         peak_chat_clients = CASE WHEN excluded.peak_chat_clients > stream_totals.peak_chat_clients \
         THEN excluded.peak_chat_clients ELSE stream_totals.peak_chat_clients END, \
         messages = stream_totals.messages + excluded.messages, \
         chatters = CASE WHEN excluded.chatters > stream_totals.chatters \
         THEN excluded.chatters ELSE stream_totals.chatters END",
    )
    .bind(stream.id)
    .bind(sample.measured_ms)
    .bind(sample.viewer_ms)
    .bind(i64::from(sample.peak_chat_clients))
    .bind(i64::from(sample.messages))
    .bind(i64::from(stream.chatters))
    .execute(tx)
    .await?;
    Ok(())
}

fn point(row: &AnyRow) -> Result<AudiencePoint, StoreError> {
    let measured: i64 = row.try_get("measured_ms")?;
    let average = |sum: i64| sum as f64 / measured.max(1) as f64;
    Ok(AudiencePoint {
        at: timestamp(row.try_get("at")?)?,
        viewers: average(row.try_get("viewer_ms")?),
        peak_viewers: count(row.try_get("peak_viewers")?),
        chat_clients: average(row.try_get("chat_client_ms")?),
        peak_chat_clients: count(row.try_get("peak_chat_clients")?),
        messages: count(row.try_get("messages")?),
    })
}

pub(crate) fn totals(row: &AnyRow) -> Result<StreamTotals, StoreError> {
    let measured: i64 = row.try_get("measured_ms")?;
    let viewer_ms: i64 = row.try_get("viewer_ms")?;
    Ok(StreamTotals {
        average_viewers: viewer_ms as f64 / measured.max(1) as f64,
        watch_time: Duration::from_millis(viewer_ms.unsigned_abs()),
        peak_chat_clients: count(row.try_get("peak_chat_clients")?),
        messages: count(row.try_get("messages")?),
        chatters: count(row.try_get("chatters")?),
    })
}

fn timestamp(ms: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(ms).map_err(|error| StoreError::unreadable("audience", error))
}

fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
