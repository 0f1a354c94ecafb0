//! Places in a recording that have a name.

use jiff::Timestamp;
use model::recording::RecordingId;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::unreadable;
use crate::database::Store;
use crate::error::StoreError;
use crate::events;
use crate::writer::Tx;

/// How far the event log has been read for chapters.
pub const ARCHIVE_CURSOR: &str = "archive";

/// Limit (operators): chapters of one recording; further ones are left out.
pub const MAX_CHAPTERS: i64 = 1000;

/// Why a place has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChapterKind {
    /// The stream got another title.
    Title,
    /// The operator set a mark.
    Mark,
}

impl ChapterKind {
    /// The name in the database and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Mark => "mark",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        [Self::Title, Self::Mark]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A place in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    pub kind: ChapterKind,
    pub title: String,
    /// From the beginning of the recording, whatever is trimmed.
    pub at_us: i64,
}

impl Store {
    /// The chapters of a recording, in order.
    pub async fn chapters(&self, id: &RecordingId) -> Result<Vec<Chapter>, StoreError> {
        let rows = sqlx::query(
            "SELECT kind, title, at_us FROM chapters WHERE recording_id = $1 ORDER BY at_us, kind DESC",
        )
        .bind(id.as_str())
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(from_row).collect()
    }

    /// Adds a chapter, or gives the one of its kind at the same place another title. False if there are too many, or no
    /// such recording.
    pub async fn add_chapter(
        &self,
        id: &RecordingId,
        chapter: Chapter,
    ) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |tx| Box::pin(async move { insert(tx, &id, &chapter).await }))
            .await
    }

    /// Adds the chapter that the fact at `seq` of the event log makes, in the same transaction in which the log counts as
    /// read up to there: once, whatever happens in between. A title that the recording has there already makes none.
    pub async fn add_logged_chapter(
        &self,
        id: &RecordingId,
        chapter: Chapter,
        seq: i64,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                if !is_repeated(tx, &id, &chapter).await? {
                    insert(tx, &id, &chapter).await?;
                }
                events::advance(tx, ARCHIVE_CURSOR, seq, at).await
            })
        })
        .await
    }

    /// Removes a chapter; false if there is none.
    pub async fn remove_chapter(
        &self,
        id: &RecordingId,
        kind: ChapterKind,
        at_us: i64,
    ) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "DELETE FROM chapters WHERE recording_id = $1 AND kind = $2 AND at_us = $3",
                )
                .bind(id.as_str())
                .bind(kind.name())
                .bind(at_us)
                .execute(tx)
                .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }
}

/// False if there are too many, or no such recording.
async fn insert(tx: &mut Tx, id: &RecordingId, chapter: &Chapter) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "INSERT INTO chapters (recording_id, kind, title, at_us) SELECT $1, $2, $3, CAST($4 AS BIGINT) \
         WHERE EXISTS (SELECT 1 FROM recordings WHERE id = $1) \
         AND (SELECT COUNT(*) FROM chapters WHERE recording_id = $1) < $5 \
         ON CONFLICT (recording_id, kind, at_us) DO UPDATE SET title = excluded.title",
    )
    .bind(id.as_str())
    .bind(chapter.kind.name())
    .bind(chapter.title.as_str())
    .bind(chapter.at_us)
    .bind(MAX_CHAPTERS)
    .execute(tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Whether the chapter before has the same title.
async fn is_repeated(tx: &mut Tx, id: &RecordingId, chapter: &Chapter) -> Result<bool, StoreError> {
    let before = sqlx::query(
        "SELECT title FROM chapters WHERE recording_id = $1 AND kind = $2 AND at_us <= $3 \
         ORDER BY at_us DESC LIMIT 1",
    )
    .bind(id.as_str())
    .bind(chapter.kind.name())
    .bind(chapter.at_us)
    .fetch_optional(tx)
    .await?;
    let Some(before) = before else {
        return Ok(false);
    };
    let title: String = before.try_get("title")?;
    Ok(title == chapter.title)
}

fn from_row(row: &AnyRow) -> Result<Chapter, StoreError> {
    let kind: String = row.try_get("kind")?;
    Ok(Chapter {
        kind: ChapterKind::parse(&kind).ok_or_else(|| unreadable(kind))?,
        title: row.try_get("title")?,
        at_us: row.try_get("at_us")?,
    })
}
