//! Writes the log, and finds what is left of it after a crash.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use model::Clock;
use model::recording::RecordingId;
use store::Store;

use crate::description::ChunkDescription;
use crate::folder::Folder;

/// A part as viewers get it.
#[derive(Clone, Debug)]
pub struct NewPart {
    pub msn: u64,
    /// Its place in its segment.
    pub index: u32,
    /// `moof` and `mdat`.
    pub bytes: Bytes,
    pub duration_us: u32,
    /// On the time line of the media.
    pub start_us: i64,
    /// Wall-clock time of its first frame, as playlists tell it.
    pub date: Timestamp,
    pub is_independent: bool,
    pub starts_segment: bool,
    /// Whether it does not follow the part before.
    pub is_discontinuity: bool,
}

/// What is new of a rendition: parts with one token and one init segment.
#[derive(Clone, Debug)]
pub struct RenditionUpdate {
    /// Its folder: `0`, `audio`, `1`…
    pub rendition: String,
    pub token: u64,
    /// `ftyp` and `moov`.
    pub init: Bytes,
    pub described: ChunkDescription,
    pub parts: Vec<NewPart>,
}

/// What is new of all renditions.
#[derive(Clone, Debug)]
pub struct LogUpdate {
    pub renditions: Vec<RenditionUpdate>,
    pub is_ended: bool,
}

/// A recording that begins.
#[derive(Clone, Debug)]
pub struct NewRecording {
    pub id: RecordingId,
    /// The broadcast.
    pub stream_id: String,
    pub title: String,
    pub started_at: Timestamp,
    /// Whether it deletes itself from its beginning.
    pub is_ring: bool,
}

/// Writes one broadcast, on a thread of its own.
#[derive(Debug)]
pub struct Recorder {}

impl Recorder {
    /// Begins to write.
    pub fn begin(
        _folder: Folder,
        _store: Store,
        _clock: Arc<dyn Clock>,
        _recording: NewRecording,
    ) -> Self {
        Self {}
    }

    /// Takes what is new. Never waits: what the disk is too slow for is lost from the recording.
    pub fn offer(&self, _update: LogUpdate) {}

    /// Writes what was taken, and ends the recording.
    pub async fn finish(self) {}
}
