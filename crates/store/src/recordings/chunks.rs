//! The files of recordings.

use jiff::Timestamp;
use model::recording::RecordingId;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::{id, unreadable, unsigned};
use crate::database::Store;
use crate::error::StoreError;
use crate::users::time;

/// One file of a rendition: one init segment, no discontinuity inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingChunk {
    pub recording: RecordingId,
    /// Its folder: `0`, `1`, `audio`, `aac`.
    pub rendition: String,
    /// Its place among the chunks of the rendition.
    pub number: u32,
    /// What tells this run of the rendition from others in the names of segments.
    pub token: u64,
    pub init_hash: String,
    /// What a list of renditions says of it, as JSON.
    pub described: String,
    /// The run of the server that wrote it.
    pub session: u32,
    /// The place of its first segment in the whole rendition.
    pub first_ordinal: u64,
    /// From the beginning of the recording.
    pub start_us: i64,
    pub duration_us: i64,
    /// Wall-clock time at its beginning.
    pub date: Timestamp,
    pub bytes: u64,
    /// Nothing is added to it any more.
    pub is_closed: bool,
}

impl Store {
    /// Records that a file was begun. What is known of it is replaced; of a recording that is forgotten, nothing is kept.
    pub async fn open_chunk(&self, chunk: RecordingChunk) -> Result<(), StoreError> {
        self.put_chunk(chunk).await
    }

    /// Records what is in a file that is complete.
    pub async fn close_chunk(&self, chunk: RecordingChunk) -> Result<(), StoreError> {
        self.put_chunk(RecordingChunk {
            is_closed: true,
            ..chunk
        })
        .await
    }

    async fn put_chunk(&self, chunk: RecordingChunk) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO recording_chunks (recording_id, rendition, init_hash, described, number, token, \
                     session, first_ordinal, start_us, duration_us, date_ms, bytes, is_closed) \
                     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 \
                     WHERE EXISTS (SELECT 1 FROM recordings WHERE id = $1) \
                     ON CONFLICT (recording_id, rendition, number) DO UPDATE SET init_hash = excluded.init_hash, \
                     described = excluded.described, token = excluded.token, session = excluded.session, \
                     first_ordinal = excluded.first_ordinal, start_us = excluded.start_us, \
                     duration_us = excluded.duration_us, date_ms = excluded.date_ms, bytes = excluded.bytes, \
                     is_closed = excluded.is_closed",
                )
                .bind(chunk.recording.as_str())
                .bind(chunk.rendition.as_str())
                .bind(chunk.init_hash.as_str())
                .bind(chunk.described.as_str())
                .bind(i64::from(chunk.number))
                .bind(chunk.token.cast_signed())
                .bind(i64::from(chunk.session))
                .bind(chunk.first_ordinal.cast_signed())
                .bind(chunk.start_us)
                .bind(chunk.duration_us)
                .bind(chunk.date.as_millisecond())
                .bind(chunk.bytes.cast_signed())
                .bind(i64::from(chunk.is_closed))
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
    }

    /// Forgets a file that is gone.
    pub async fn forget_chunk(
        &self,
        recording: &RecordingId,
        rendition: &str,
        number: u32,
    ) -> Result<(), StoreError> {
        let (recording, rendition) = (recording.clone(), rendition.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "DELETE FROM recording_chunks WHERE recording_id = $1 AND rendition = $2 AND number = $3",
                )
                .bind(recording.as_str())
                .bind(rendition.as_str())
                .bind(i64::from(number))
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
    }

    /// The files of a recording, by rendition and number.
    pub async fn recording_chunks(
        &self,
        id: &RecordingId,
    ) -> Result<Vec<RecordingChunk>, StoreError> {
        let rows = sqlx::query(
            "SELECT recording_id, rendition, init_hash, described, number, token, session, first_ordinal, start_us, \
             duration_us, date_ms, bytes, is_closed FROM recording_chunks WHERE recording_id = $1 \
             ORDER BY rendition, number",
        )
        .bind(id.as_str())
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }
}

fn from_row(row: &AnyRow) -> Result<RecordingChunk, StoreError> {
    let number = |column: &str| -> Result<u32, StoreError> {
        let stored: i64 = row.try_get(column)?;
        u32::try_from(stored).map_err(unreadable)
    };
    // A token uses all 64 bits.
    let token: i64 = row.try_get("token")?;
    Ok(RecordingChunk {
        recording: id(row, "recording_id")?,
        rendition: row.try_get("rendition")?,
        number: number("number")?,
        token: token.cast_unsigned(),
        init_hash: row.try_get("init_hash")?,
        described: row.try_get("described")?,
        session: number("session")?,
        first_ordinal: unsigned(row, "first_ordinal")?,
        start_us: row.try_get("start_us")?,
        duration_us: row.try_get("duration_us")?,
        date: time(row.try_get("date_ms")?)?,
        bytes: unsigned(row, "bytes")?,
        is_closed: row.try_get::<i64, _>("is_closed")? != 0,
    })
}
