//! Draws the pictures that stand for recordings, one after the other, in the background.

use std::sync::Arc;
use std::time::Duration;

use archive::{Archive, ArchiveError};
use model::Event;
use model::recording::{RecordingId, RecordingState};
use model::settings::table::video::FFMPEG_PATH;
use store::{Recording, RecordingQuery, StoreError};
use tokio_util::sync::CancellationToken;

use crate::wiring::Components;

/// Newest recordings that get a picture after a start, if they have none.
const MAX_LOOKED_AT: u32 = 100;
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);

/// Runs until the server stops.
pub(crate) async fn draw(components: Arc<Components>, archive: Archive, stop: CancellationToken) {
    let posters = Posters {
        components,
        archive,
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = posters.follow() => {}
    }
}

struct Posters {
    components: Arc<Components>,
    archive: Archive,
}

impl Posters {
    async fn follow(&self) {
        let mut wakeups = self.components.store.event_wakeups();
        let mut place = None;
        loop {
            wakeups.mark_unchanged();
            match self.read_on(&mut place).await {
                Ok(()) => tokio::select! {
                    changed = wakeups.changed() => if changed.is_err() {
                        return;
                    },
                    () = self.archive.poster_wanted() => place = None,
                },
                Err(error) => {
                    tracing::warn!(%error, "cannot look for recordings without a picture");
                    tokio::time::sleep(DATABASE_PAUSE).await;
                }
            }
        }
    }

    /// Draws for what was finished since `place` in the log; at first for everything that has no picture.
    async fn read_on(&self, place: &mut Option<i64>) -> Result<(), StoreError> {
        let store = &self.components.store;
        let mut seq = match *place {
            Some(seq) => seq,
            None => {
                let (_, newest) = store.event_bounds().await?;
                let query = RecordingQuery {
                    limit: MAX_LOOKED_AT,
                    ..RecordingQuery::default()
                };
                for recording in store.recordings(query).await?.recordings {
                    self.provide(&recording).await;
                }
                newest
            }
        };
        loop {
            *place = Some(seq);
            let facts = store.events_after(seq).await?;
            let Some(last) = facts.last().map(|fact| fact.seq) else {
                return Ok(());
            };
            for fact in &facts {
                if let Event::RecordingFinished { id, .. } = &fact.event
                    && let Some(id) = RecordingId::parse(id)
                    && let Some(recording) = store.recording(&id).await?
                {
                    self.provide(&recording).await;
                }
            }
            seq = last;
        }
    }

    /// Whether or not it works: a recording can do without.
    async fn provide(&self, recording: &Recording) {
        let id = &recording.id;
        if recording.state != RecordingState::Finished || self.archive.has_poster(id).await {
            return;
        }
        let input = match self.archive.still(recording).await {
            Ok(Some(input)) => input,
            // Sound alone, or files on another machine.
            Ok(None) | Err(ArchiveError::Missing(_)) => return,
            Err(error) => {
                tracing::warn!(%id, %error, "a recording gets no picture");
                return;
            }
        };
        let settings = self.components.settings.now();
        let drawn = media::thumbnails::draw_still(settings.text(&FFMPEG_PATH), &input).await;
        let picture = match drawn {
            Ok(picture) => picture,
            Err(why) => {
                tracing::warn!(%id, why, "a recording gets no picture: ffmpeg cannot be used");
                return;
            }
        };
        if let Err(error) = self.archive.put_poster(id, &picture).await {
            tracing::warn!(%id, %error, "the picture of a recording cannot be kept");
            return;
        }
        // It must not show what was hidden while it was drawn.
        let now = self.components.store.recording(id).await.ok().flatten();
        let marks = |recording: &Recording| (recording.trim_start_us, recording.trim_end_us);
        if now.is_none_or(|now| marks(&now) != marks(recording))
            && let Err(error) = self.archive.redraw_poster(id).await
        {
            tracing::warn!(%id, %error, "the picture of a recording cannot be removed");
        }
    }
}
