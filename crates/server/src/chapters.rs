//! Makes chapters of a recording whenever the stream gets another title.

use std::sync::Arc;
use std::time::Duration;

use archive::Archive;
use jiff::Timestamp;
use model::recording::RecordingId;
use model::{Event, LoggedEvent};
use store::{ARCHIVE_CURSOR, Chapter, ChapterKind, StoreError};
use tokio_util::sync::CancellationToken;

use crate::wiring::Components;

/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// The log is looked at this often even if nobody says that it has grown.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// After so many facts of which none makes a chapter it is stored how far the log was read, for the next start.
const STORE_AFTER: i64 = 1000;

/// Runs until `stop`.
pub(crate) async fn write(components: Arc<Components>, archive: Archive, stop: CancellationToken) {
    let mut wakeups = components.store.event_wakeups();
    let mut writer = ChapterWriter {
        components,
        archive,
        place: None,
        stored: 0,
    };
    while !stop.is_cancelled() {
        wakeups.mark_unchanged();
        let pause = match writer.read_on().await {
            Ok(()) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "cannot write the chapters of recordings, trying again");
                DATABASE_PAUSE
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            changed = wakeups.changed(), if pause == LOOK_EVERY => {
                if changed.is_err() {
                    return;
                }
            }
            () = tokio::time::sleep(pause) => {}
        }
    }
}

struct ChapterWriter {
    components: Arc<Components>,
    archive: Archive,
    /// How far the log was read; `None` before the first look.
    place: Option<i64>,
    /// What of it the database knows.
    stored: i64,
}

impl ChapterWriter {
    async fn read_on(&mut self) -> Result<(), StoreError> {
        let mut seq = match self.place {
            Some(seq) => seq,
            None => self.stored_place().await?,
        };
        loop {
            self.place = Some(seq);
            let facts = self.components.store.events_after(seq).await?;
            let Some(last) = facts.last().map(|fact| fact.seq) else {
                return Ok(());
            };
            for fact in &facts {
                let Some((id, chapter)) = self.chapter_of(fact).await? else {
                    continue;
                };
                let (store, now) = (&self.components.store, self.components.clock.now());
                store
                    .add_logged_chapter(&id, chapter, fact.seq, now)
                    .await?;
                self.place = Some(fact.seq);
                self.stored = fact.seq;
            }
            if last - self.stored >= STORE_AFTER {
                self.store_place(last).await?;
            }
            seq = last;
        }
    }

    /// On the first run nothing that happened before makes a chapter.
    async fn stored_place(&mut self) -> Result<i64, StoreError> {
        let store = &self.components.store;
        if let Some(seq) = store.cursor(ARCHIVE_CURSOR).await? {
            self.stored = seq;
            return Ok(seq);
        }
        let newest = store.event_bounds().await?.1;
        self.store_place(newest).await?;
        Ok(newest)
    }

    async fn store_place(&mut self, seq: i64) -> Result<(), StoreError> {
        let (store, now) = (&self.components.store, self.components.clock.now());
        store.advance_cursor(ARCHIVE_CURSOR, seq, now).await?;
        self.stored = seq;
        Ok(())
    }

    async fn chapter_of(
        &self,
        fact: &LoggedEvent,
    ) -> Result<Option<(RecordingId, Chapter)>, StoreError> {
        let (id, title, at_us) = match &fact.event {
            Event::RecordingStarted { id, title, .. } => (RecordingId::parse(id), title, Some(0)),
            Event::StreamTitleChanged { title } => {
                let Some(id) = self.components.store.recording_at(fact.at).await? else {
                    return Ok(None);
                };
                let at_us = self.position(&id, fact.at).await;
                (Some(id), title, at_us)
            }
            _ => return Ok(None),
        };
        let (Some(id), Some(at_us)) = (id, at_us) else {
            return Ok(None);
        };
        // Without a title the chapter before goes on.
        let chapter = (!title.is_empty()).then(|| Chapter {
            kind: ChapterKind::Title,
            title: title.clone(),
            at_us,
        });
        Ok(chapter.map(|chapter| (id, chapter)))
    }

    /// Where in a recording a time is; `None` if another server has it, which writes its chapters.
    async fn position(&self, id: &RecordingId, at: Timestamp) -> Option<i64> {
        match self.archive.position_at(id, at.as_millisecond()).await {
            Ok(Some(at_us)) => Some(at_us),
            // Nothing of it is written yet.
            Ok(None) => self.components.membership.is_none().then_some(0),
            Err(error) => {
                tracing::warn!(%error, recording = %id, "a chapter of a recording is lost");
                None
            }
        }
    }
}
