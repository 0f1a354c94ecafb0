//! What a replay needs of the files: its lists, its bytes, and the picture that stands for it.

use std::io;
use std::ops::Range;

use bytes::Bytes;
use futures_util::TryStreamExt;
use model::recording::RecordingId;
use store::{Recording, RecordingChunk};

use crate::error::ArchiveError;
use crate::handle::Archive;
use crate::reader::Blocks;
use crate::vod::{Cut, Replay};

/// Bytes of a key frame's segment that are read for a picture; one that is larger gives none. Segments of usual streams
/// have some megabytes.
const MAX_STILL_BYTES: u64 = 32 << 20;
/// Largest picture that stands for a recording.
const MAX_POSTER_BYTES: u64 = 4 << 20;

/// The files of a recording, as they lie in the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilesFound {
    /// As many there should be.
    pub all: usize,
    /// As many are not there, or are shorter than they should be.
    pub missing: usize,
}

impl Archive {
    /// What is shown of a recording; `None` if nothing is.
    pub async fn replay(&self, recording: &Recording) -> Result<Option<Replay>, ArchiveError> {
        let timeline = self.timeline(&recording.id).await?;
        let cut = Cut {
            start_us: recording.trim_start_us,
            end_us: recording.trim_end_us,
        };
        Ok(Replay::new(timeline, cut))
    }

    /// Bytes of a chunk. A file that is missing or shorter than its index says is told to the log, once.
    pub async fn read(
        &self,
        id: &RecordingId,
        rendition: &str,
        number: u32,
        range: Range<u64>,
    ) -> Result<Blocks, ArchiveError> {
        let missing = || ArchiveError::Missing(format!("chunk {number} of {rendition} in {id}"));
        let path = self.folder.chunk(id, rendition, number);
        let path = path.ok_or_else(missing)?;
        match self.reader.read(path.clone(), range).await {
            Err(ArchiveError::Io(error)) => {
                if self.complaints.is_new(&path) {
                    let file = path.display();
                    tracing::error!(%file, %error, "a file of a recording cannot be read");
                }
                Err(missing())
            }
            other => other,
        }
    }

    /// Looks whether all files of a complete recording are there.
    pub async fn look_at_files(&self, id: &RecordingId) -> Result<FilesFound, ArchiveError> {
        let rows = self.store.recording_chunks(id).await?;
        let folder = self.folder.clone();
        let look = move || {
            let is_missing = |row: &&RecordingChunk| {
                let path = folder.chunk(&row.recording, &row.rendition, row.number);
                let found = path.and_then(|path| std::fs::metadata(path).ok());
                found.is_none_or(|file| file.len() < row.bytes)
            };
            FilesFound {
                all: rows.len(),
                missing: rows.iter().filter(is_missing).count(),
            }
        };
        let looked = tokio::task::spawn_blocking(look).await;
        looked.map_err(|error| ArchiveError::Io(io::Error::other(error)))
    }

    /// The picture that stands for a recording; `None` if there is none.
    pub async fn poster(&self, id: &RecordingId) -> Result<Option<Bytes>, ArchiveError> {
        let path = self.folder.poster(id);
        let len = match tokio::fs::metadata(&path).await {
            Ok(found) => found.len().min(MAX_POSTER_BYTES),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let blocks = self.reader.read(path, 0..len).await?;
        Ok(Some(whole(blocks).await?))
    }

    /// Whether there is such a picture.
    pub async fn has_poster(&self, id: &RecordingId) -> bool {
        let found = tokio::fs::try_exists(self.folder.poster(id)).await;
        found.unwrap_or(false)
    }

    /// Puts the picture there, whole or not at all.
    pub async fn put_poster(&self, id: &RecordingId, jpeg: &[u8]) -> Result<(), ArchiveError> {
        let path = self.folder.poster(id);
        let unfinished = path.with_extension("jpg.new");
        tokio::fs::write(&unfinished, jpeg).await?;
        tokio::fs::rename(&unfinished, &path).await?;
        Ok(())
    }

    /// Removes the picture, which may show what is hidden from now on, and asks for another.
    pub async fn redraw_poster(&self, id: &RecordingId) -> Result<(), ArchiveError> {
        let removed = tokio::fs::remove_file(self.folder.poster(id)).await;
        self.poster_wanted.notify_one();
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Waits until somebody asks for another picture.
    pub async fn poster_wanted(&self) {
        self.poster_wanted.notified().await;
    }

    /// An init segment, and a segment that begins with a key frame, for a picture of the recording; `None` if nothing is
    /// to be seen in it.
    pub async fn still(&self, recording: &Recording) -> Result<Option<[Bytes; 2]>, ArchiveError> {
        let replay = self.replay(recording).await?;
        let Some(source) = replay.as_ref().and_then(Replay::still) else {
            return Ok(None);
        };
        if source.segment.end.saturating_sub(source.segment.start) > MAX_STILL_BYTES {
            return Ok(None);
        }
        let (id, rendition, number) = (&recording.id, &source.rendition, source.number);
        let init = self.read(id, rendition, number, source.init).await?;
        let segment = self.read(id, rendition, number, source.segment).await?;
        Ok(Some([whole(init).await?, whole(segment).await?]))
    }
}

async fn whole(blocks: Blocks) -> io::Result<Bytes> {
    let blocks: Vec<Bytes> = blocks.try_collect().await?;
    Ok(blocks.concat().into())
}
