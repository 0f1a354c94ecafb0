//! Recordings that the last process did not end.

use model::recording::RecordingState;
use store::Recording;

use crate::error::{ArchiveError, panicked};
use crate::handle::Archive;
use crate::log::position::end_of;
use crate::log::recover::recover_files;
use crate::log::{LogEnd, end_recording};

/// One whose files are whole again. It goes on if its broadcast does.
#[derive(Clone, Debug)]
pub struct UnfinishedRecording {
    pub recording: Recording,
    /// Where it ends on the time line of the media; `None` if nothing of it is left.
    pub media_end_us: Option<i64>,
}

impl Archive {
    /// Makes whole what the last process left on this disk. A server that is not alone leaves alone what is on others'.
    pub async fn recover(&self, is_alone: bool) -> Result<Vec<UnfinishedRecording>, ArchiveError> {
        let mut found = Vec::new();
        for recording in self.store.unfinished_recordings().await? {
            let path = self.folder.recording(&recording.id);
            if !is_alone && !tokio::fs::try_exists(path).await? {
                continue;
            }
            let rows = self.store.recording_chunks(&recording.id).await?;
            let (folder, id) = (self.folder.clone(), recording.id.clone());
            let files = tokio::task::spawn_blocking(move || recover_files(&folder, &id, &rows));
            let files = files.await.map_err(|_| panicked())??;
            for row in files.closed {
                tracing::info!(recording = %recording.id, rendition = row.rendition, number = row.number, bytes = row.bytes, "a file of a recording was made whole");
                self.store.close_chunk(row).await?;
            }
            for (rendition, number) in files.gone {
                let id = &recording.id;
                self.store.forget_chunk(id, &rendition, number).await?;
            }
            found.push(UnfinishedRecording {
                recording,
                media_end_us: files.media_end_us,
            });
        }
        Ok(found)
    }

    /// Ends one whose broadcast does not go on. What was kept only to go back in the stream goes.
    pub async fn end_unfinished(
        &self,
        unfinished: &UnfinishedRecording,
    ) -> Result<(), ArchiveError> {
        let (recording, now) = (&unfinished.recording, self.clock.now());
        if recording.state == RecordingState::Ring {
            self.store.delete_recording(&recording.id, now).await?;
            return Ok(());
        }
        let rows = self.store.recording_chunks(&recording.id).await?;
        let end = LogEnd {
            duration_us: end_of(&rows),
            bytes: rows.iter().map(|row| row.bytes).sum(),
        };
        end_recording(&self.store, &recording.id, now, end).await
    }
}
