//! Finding recordings.

use model::recording::RecordingId;

use super::{Recording, columns, from_row, unsigned};
use crate::chat::people::pattern;
use crate::database::Store;
use crate::error::StoreError;

/// Recordings that one answer has at most.
const MAX_RECORDINGS: u32 = 500;

/// Which recordings a list shows, newest first: complete ones, and for the operator also the one that goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingQuery {
    /// Part of the title, the summary or a tag; empty means all.
    pub text: String,
    /// A whole tag; empty means all.
    pub tag: String,
    /// What visitors see in the list.
    pub only_public: bool,
    pub offset: u32,
    pub limit: u32,
}

/// One page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingPage {
    /// The length of the whole list.
    pub total: u64,
    pub recordings: Vec<Recording>,
}

impl Store {
    /// The recordings that fit a query.
    pub async fn recordings(&self, query: RecordingQuery) -> Result<RecordingPage, StoreError> {
        // PostgreSQL knows no text with this character.
        if query.text.contains('\0') || query.tag.contains('\0') {
            return Ok(RecordingPage::default());
        }
        let text = pattern(&query.text);
        let tag = match query.tag.is_empty() {
            true => pattern(""),
            false => pattern(&format!("\n{}\n", query.tag)),
        };
        let only_public = i64::from(query.only_public);
        let count = sqlx::query(
            "SELECT COUNT(*) AS total FROM recordings WHERE (state = 'finished' OR (state = 'recording' AND $1 = 0)) \
             AND (visibility = 'public' OR $1 = 0) AND search_text LIKE $2 ESCAPE '!' AND search_tags LIKE $3 ESCAPE '!'",
        )
        .bind(only_public)
        .bind(text.as_str())
        .bind(tag.as_str())
        .fetch_one(&self.readers)
        .await?;
        let rows = sqlx::query(columns!(
            "WHERE (state = 'finished' OR (state = 'recording' AND $1 = 0)) \
             AND (visibility = 'public' OR $1 = 0) AND search_text LIKE $2 ESCAPE '!' AND search_tags LIKE $3 ESCAPE '!' \
             ORDER BY started_at DESC, id LIMIT $4 OFFSET $5"
        ))
        .bind(only_public)
        .bind(text.as_str())
        .bind(tag.as_str())
        .bind(i64::from(query.limit.min(MAX_RECORDINGS)))
        .bind(i64::from(query.offset))
        .fetch_all(&self.readers)
        .await?;
        Ok(RecordingPage {
            total: unsigned(&count, "total")?,
            recordings: rows.iter().map(from_row).collect::<Result<_, _>>()?,
        })
    }

    /// The recording with this id, whatever its state.
    pub async fn recording(&self, id: &RecordingId) -> Result<Option<Recording>, StoreError> {
        let row = sqlx::query(columns!("WHERE id = $1"))
            .bind(id.as_str())
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(from_row).transpose()
    }

    /// The newest recording of a broadcast, or what is kept to go back in it.
    pub async fn recording_of_stream(
        &self,
        stream_id: &str,
    ) -> Result<Option<Recording>, StoreError> {
        let row = sqlx::query(columns!(
            "WHERE stream_id = $1 AND state <> 'deleting' ORDER BY started_at DESC, id LIMIT 1"
        ))
        .bind(stream_id)
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(from_row).transpose()
    }

    /// What is being written, or was when the program ended; oldest first.
    pub async fn unfinished_recordings(&self) -> Result<Vec<Recording>, StoreError> {
        let rows = sqlx::query(columns!(
            "WHERE state IN ('ring', 'recording') ORDER BY started_at, id LIMIT 1000"
        ))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// Complete recordings that may be deleted because they are old or to make room; the oldest first.
    pub async fn expendable_recordings(&self) -> Result<Vec<Recording>, StoreError> {
        let rows = sqlx::query(columns!(
            "WHERE state = 'finished' AND is_kept = 0 ORDER BY started_at, id LIMIT 1000"
        ))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// Recordings that were deleted and are not forgotten yet; the one deleted first comes first.
    pub async fn deleted_recordings(&self) -> Result<Vec<Recording>, StoreError> {
        let rows = sqlx::query(columns!(
            "WHERE state = 'deleting' ORDER BY deleted_at, id LIMIT 1000"
        ))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// The size of everything that is kept, without what is being deleted.
    pub async fn recorded_bytes(&self) -> Result<u64, StoreError> {
        // A sum of BIGINT is a NUMERIC in PostgreSQL.
        let row = sqlx::query(
            "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM recordings WHERE state <> 'deleting'",
        )
        .fetch_one(&self.readers)
        .await?;
        unsigned(&row, "bytes")
    }

    /// Whether visitors can see any recording in the list.
    pub async fn has_public_recordings(&self) -> Result<bool, StoreError> {
        let row = sqlx::query(
            "SELECT id FROM recordings WHERE state = 'finished' AND visibility = 'public' LIMIT 1",
        )
        .fetch_optional(&self.readers)
        .await?;
        Ok(row.is_some())
    }
}
