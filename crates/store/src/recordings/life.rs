//! What becomes of a recording, from its beginning until its files are gone.

use jiff::Timestamp;
use model::Event;
use model::recording::{RecordingId, RecordingState, Visibility};

use super::{Recording, RecordingChange, columns, from_row, unreadable};
use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

impl Store {
    /// Records that a broadcast is recorded from now on, or kept only to go back in it. A repeated call changes nothing
    /// and logs nothing.
    pub async fn begin_recording(&self, recording: Recording) -> Result<(), StoreError> {
        self.write_with_events(recording.started_at, move |tx| {
            Box::pin(async move {
                let is_new = insert(tx, &recording).await?;
                let is_started = is_new && recording.state == RecordingState::Recording;
                let event = is_started.then(|| started(&recording));
                Ok(((), event.into_iter().collect()))
            })
        })
        .await
    }

    /// Makes a recording of what was kept only to go back in the stream; false if it is not that.
    pub async fn promote_ring(&self, id: &RecordingId, at: Timestamp) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let promoted = sqlx::query(
                    "UPDATE recordings SET state = 'recording' WHERE id = $1 AND state = 'ring'",
                )
                .bind(id.as_str())
                .execute(&mut *tx)
                .await?;
                if promoted.rows_affected() == 0 {
                    return Ok((false, vec![]));
                }
                let recording = by_id(tx, &id).await?;
                Ok((true, recording.iter().map(started).collect()))
            })
        })
        .await
    }

    /// Records how long a recording is by now, and how large.
    pub async fn note_recording(
        &self,
        id: &RecordingId,
        duration_us: i64,
        bytes: u64,
    ) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "UPDATE recordings SET duration_us = $2, bytes = $3 WHERE id = $1 AND state <> 'deleting'",
                )
                .bind(id.as_str())
                .bind(duration_us)
                .bind(bytes.cast_signed())
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
    }

    /// Records that a recording is complete; false if it is none that goes on. One whose visibility is public is
    /// published by that.
    pub async fn finish_recording(
        &self,
        id: &RecordingId,
        at: Timestamp,
        duration_us: i64,
        bytes: u64,
    ) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let finished = sqlx::query(
                    "UPDATE recordings SET state = 'finished', ended_at = $2, duration_us = $3, bytes = $4 \
                     WHERE id = $1 AND state = 'recording'",
                )
                .bind(id.as_str())
                .bind(at.as_millisecond())
                .bind(duration_us)
                .bind(bytes.cast_signed())
                .execute(&mut *tx)
                .await?;
                if finished.rows_affected() == 0 {
                    return Ok((false, vec![]));
                }
                let Some(recording) = by_id(tx, &id).await? else {
                    return Ok((false, vec![]));
                };
                let mut events = vec![Event::RecordingFinished {
                    id: recording.id.to_string(),
                    title: recording.title.clone(),
                    visibility: recording.visibility,
                    duration_ms: duration_us / 1000,
                }];
                if recording.visibility == Visibility::Public {
                    events.push(published(&recording));
                }
                Ok((true, events))
            })
        })
        .await
    }

    /// Changes what the operator may change of a recording, and returns it; `None` if nobody sees one with this id.
    pub async fn change_recording(
        &self,
        id: &RecordingId,
        change: RecordingChange,
        at: Timestamp,
    ) -> Result<Option<Recording>, StoreError> {
        let id = id.clone();
        self.write_with_events(at, move |tx| {
            Box::pin(async move {
                let Some(before) = by_id(tx, &id).await? else {
                    return Ok((None, vec![]));
                };
                if matches!(
                    before.state,
                    RecordingState::Ring | RecordingState::Deleting
                ) {
                    return Ok((None, vec![]));
                }
                let mut recording = before.clone();
                change.apply(&mut recording);
                update(tx, &recording).await?;
                let is_published = recording.state == RecordingState::Finished
                    && recording.visibility == Visibility::Public
                    && before.visibility != Visibility::Public;
                let events = is_published.then(|| published(&recording));
                Ok((Some(recording), events.into_iter().collect()))
            })
        })
        .await
    }

    /// Takes a recording, or what is kept to go back in the stream, out of everybody's sight; its files are to go. False
    /// if it is gone already.
    pub async fn delete_recording(
        &self,
        id: &RecordingId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let done = sqlx::query(
                    "UPDATE recordings SET state = 'deleting', deleted_at = $2 WHERE id = $1 AND state <> 'deleting'",
                )
                .bind(id.as_str())
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }

    /// Forgets a deleted recording whose files are gone.
    pub async fn forget_recording(&self, id: &RecordingId) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(move |tx| {
            Box::pin(async move {
                for delete in [
                    "DELETE FROM recording_chunks WHERE recording_id = $1",
                    "DELETE FROM chapters WHERE recording_id = $1",
                    "DELETE FROM recordings WHERE id = $1",
                ] {
                    sqlx::query(delete)
                        .bind(id.as_str())
                        .execute(&mut *tx)
                        .await?;
                }
                Ok(())
            })
        })
        .await
    }
}

fn started(recording: &Recording) -> Event {
    Event::RecordingStarted {
        id: recording.id.to_string(),
        title: recording.title.clone(),
        visibility: recording.visibility,
    }
}

fn published(recording: &Recording) -> Event {
    Event::RecordingPublished {
        id: recording.id.to_string(),
        title: recording.title.clone(),
        duration_ms: recording.duration_us / 1000,
    }
}

async fn by_id(tx: &mut Tx, id: &RecordingId) -> Result<Option<Recording>, StoreError> {
    let row = sqlx::query(columns!("WHERE id = $1"))
        .bind(id.as_str())
        .fetch_optional(tx)
        .await?;
    row.as_ref().map(from_row).transpose()
}

/// False if there is one with this id.
async fn insert(tx: &mut Tx, recording: &Recording) -> Result<bool, StoreError> {
    let inserted = sqlx::query(
        "INSERT INTO recordings (id, stream_id, state, title, summary, tags, visibility, search_text, search_tags, \
         is_kept, keeps_chat, started_at, ended_at, trim_start_us, trim_end_us, duration_us, bytes, deleted_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, NULL) \
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(recording.id.as_str())
    .bind(recording.stream_id.as_str())
    .bind(recording.state.name())
    .bind(recording.title.as_str())
    .bind(recording.summary.as_str())
    .bind(tags_to_json(recording)?)
    .bind(recording.visibility.name())
    .bind(search_text(recording))
    .bind(search_tags(recording))
    .bind(i64::from(recording.is_kept))
    .bind(i64::from(recording.keeps_chat))
    .bind(recording.started_at.as_millisecond())
    .bind(recording.ended_at.map(Timestamp::as_millisecond))
    .bind(recording.trim_start_us)
    .bind(recording.trim_end_us)
    .bind(recording.duration_us)
    .bind(recording.bytes.cast_signed())
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Writes what an operator may change.
async fn update(tx: &mut Tx, recording: &Recording) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE recordings SET title = $2, summary = $3, tags = $4, visibility = $5, search_text = $6, \
         search_tags = $7, is_kept = $8, trim_start_us = $9, trim_end_us = $10 WHERE id = $1",
    )
    .bind(recording.id.as_str())
    .bind(recording.title.as_str())
    .bind(recording.summary.as_str())
    .bind(tags_to_json(recording)?)
    .bind(recording.visibility.name())
    .bind(search_text(recording))
    .bind(search_tags(recording))
    .bind(i64::from(recording.is_kept))
    .bind(recording.trim_start_us)
    .bind(recording.trim_end_us)
    .execute(tx)
    .await?;
    Ok(())
}

fn tags_to_json(recording: &Recording) -> Result<String, StoreError> {
    serde_json::to_string(&recording.tags).map_err(unreadable)
}

/// In lower case here and not in SQL: SQLite knows that of ASCII only.
fn search_text(recording: &Recording) -> String {
    let tags = recording.tags.join("\n");
    format!("{}\n{}\n{tags}", recording.title, recording.summary).to_lowercase()
}

/// A line break at each end, so that one search finds a tag and never a part of another.
fn search_tags(recording: &Recording) -> String {
    format!("\n{}\n", recording.tags.join("\n")).to_lowercase()
}
