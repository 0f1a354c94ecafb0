//! What is kept of a broadcast beside its times: what went wrong, and where visitors came from.

use jiff::Timestamp;
use sqlx::Row;

use crate::audience::{StreamTotals, totals};
use crate::database::Store;
use crate::error::StoreError;
use crate::streams::{StreamRecord, record};

/// Limit (operators): incidents kept of a broadcast; later ones are left out.
pub const MAX_INCIDENTS: i64 = 200;
/// Characters kept of what an incident says.
const MAX_INCIDENT_CHARS: usize = 500;
/// Limit (operators): hosts counted for a broadcast; visits from further ones are counted together.
pub const MAX_REFERRERS: i64 = 100;
/// What visits from further hosts are counted as. No host is called so.
pub const OTHER_REFERRERS: &str = "*";

/// Something that went wrong during a broadcast, or was well again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamIncident {
    pub at: Timestamp,
    /// A stable name, for programs.
    pub code: String,
    /// What is known beyond that, for people; may be empty.
    pub message: String,
}

/// Visits of the page that came from one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamReferrer {
    /// Empty if the browser did not say.
    pub host: String,
    pub visits: u32,
}

impl Store {
    /// One broadcast.
    pub async fn stream(&self, id: &str) -> Result<Option<StreamRecord>, StoreError> {
        let row = sqlx::query(
            "SELECT id, started_at, ended_at, title, peak_viewers FROM streams WHERE id = $1",
        )
        .bind(id)
        .fetch_optional(&self.readers)
        .await?;
        row.map(|row| record(&row)).transpose()
    }

    /// Broadcasts with what is known of each as a whole, newest first.
    pub async fn streams_with_totals(
        &self,
        limit: u32,
    ) -> Result<Vec<(StreamRecord, Option<StreamTotals>)>, StoreError> {
        let rows = sqlx::query(
            "SELECT s.id, s.started_at, s.ended_at, s.title, s.peak_viewers, t.measured_ms, t.viewer_ms, \
             t.peak_chat_clients, t.messages, t.chatters FROM streams s \
             LEFT JOIN stream_totals t ON t.stream_id = s.id ORDER BY s.started_at DESC, s.id LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        let mut streams = Vec::with_capacity(rows.len());
        for row in &rows {
            let measured: Option<i64> = row.try_get("measured_ms")?;
            let known = measured.map(|_| totals(row)).transpose()?;
            streams.push((record(row)?, known));
        }
        Ok(streams)
    }

    /// Records an incident; false if the broadcast has as many as are kept.
    pub async fn note_incident(
        &self,
        stream_id: String,
        incident: StreamIncident,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                let row = sqlx::query("SELECT COUNT(*) FROM stream_incidents WHERE stream_id = $1")
                    .bind(stream_id.as_str())
                    .fetch_one(&mut *tx)
                    .await?;
                let known: i64 = row.try_get(0)?;
                if known >= MAX_INCIDENTS {
                    return Ok(false);
                }
                let message: String = incident.message.chars().take(MAX_INCIDENT_CHARS).collect();
                sqlx::query(
                    "INSERT INTO stream_incidents (stream_id, number, at, code, message) \
                     VALUES ($1, $2, $3, $4, $5)",
                )
                .bind(stream_id)
                .bind(known + 1)
                .bind(incident.at.as_millisecond())
                .bind(incident.code)
                .bind(message)
                .execute(tx)
                .await?;
                Ok(true)
            })
        })
        .await
    }

    /// The incidents of a broadcast, oldest first.
    pub async fn incidents(&self, stream_id: &str) -> Result<Vec<StreamIncident>, StoreError> {
        let rows = sqlx::query(
            "SELECT at, code, message FROM stream_incidents WHERE stream_id = $1 ORDER BY number LIMIT $2",
        )
        .bind(stream_id)
        .bind(MAX_INCIDENTS)
        .fetch_all(&self.readers)
        .await?;
        let mut incidents = Vec::with_capacity(rows.len());
        for row in &rows {
            let at: i64 = row.try_get("at")?;
            incidents.push(StreamIncident {
                at: Timestamp::from_millisecond(at)
                    .map_err(|error| StoreError::unreadable("incident", error))?,
                code: row.try_get("code")?,
                message: row.try_get("message")?,
            });
        }
        Ok(incidents)
    }

    /// Adds visits to those of the broadcast.
    pub async fn note_referrers(
        &self,
        stream_id: String,
        visits: Vec<StreamReferrer>,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                for StreamReferrer { host, visits } in visits {
                    let row = sqlx::query(
                        "SELECT COUNT(*), COUNT(CASE WHEN host = $2 THEN 1 END) FROM stream_referrers \
                         WHERE stream_id = $1 AND host <> $3",
                    )
                    .bind(stream_id.as_str())
                    .bind(host.as_str())
                    .bind(OTHER_REFERRERS)
                    .fetch_one(&mut *tx)
                    .await?;
                    let (hosts, same): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
                    let counted_as = match same == 0 && hosts >= MAX_REFERRERS {
                        true => OTHER_REFERRERS.to_owned(),
                        false => host,
                    };
                    sqlx::query(
                        "INSERT INTO stream_referrers (stream_id, host, visits) VALUES ($1, $2, $3) \
                         ON CONFLICT (stream_id, host) DO UPDATE SET \
                         visits = stream_referrers.visits + excluded.visits",
                    )
                    .bind(stream_id.as_str())
                    .bind(counted_as)
                    .bind(i64::from(visits))
                    .execute(&mut *tx)
                    .await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Where visitors came from during a broadcast, most visits first.
    pub async fn referrers(&self, stream_id: &str) -> Result<Vec<StreamReferrer>, StoreError> {
        let rows = sqlx::query(
            "SELECT host, visits FROM stream_referrers WHERE stream_id = $1 ORDER BY visits DESC, host LIMIT $2",
        )
        .bind(stream_id)
        // One more for those that are counted together.
        .bind(MAX_REFERRERS + 1)
        .fetch_all(&self.readers)
        .await?;
        let mut referrers = Vec::with_capacity(rows.len());
        for row in &rows {
            let visits: i64 = row.try_get("visits")?;
            referrers.push(StreamReferrer {
                host: row.try_get("host")?,
                visits: u32::try_from(visits).unwrap_or(u32::MAX),
            });
        }
        Ok(referrers)
    }
}
