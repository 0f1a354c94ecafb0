//! Which recording belongs to a time.

use jiff::Timestamp;
use model::recording::RecordingId;

use super::id;
use crate::database::Store;
use crate::error::StoreError;

impl Store {
    /// The recording that went on at this time, or what was kept then to go back in the stream.
    pub async fn recording_at(&self, at: Timestamp) -> Result<Option<RecordingId>, StoreError> {
        let row = sqlx::query(
            "SELECT id FROM recordings WHERE state <> 'deleting' AND started_at <= $1 \
             AND (ended_at IS NULL OR ended_at >= $1) ORDER BY started_at DESC LIMIT 1",
        )
        .bind(at.as_millisecond())
        .fetch_optional(&self.readers)
        .await?;
        row.map(|row| id(&row, "id")).transpose()
    }

    /// Whether lines that are written now are kept as long as a recording that goes on.
    pub async fn is_chat_recorded(&self) -> Result<bool, StoreError> {
        let row = sqlx::query(
            "SELECT id FROM recordings WHERE state IN ('ring', 'recording') AND keeps_chat = 1 LIMIT 1",
        )
        .fetch_optional(&self.readers)
        .await?;
        Ok(row.is_some())
    }
}
