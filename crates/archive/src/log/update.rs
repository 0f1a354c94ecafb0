//! What a recording is made of.

use bytes::Bytes;
use jiff::Timestamp;
use model::recording::Visibility;

use crate::description::ChunkDescription;

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

impl LogUpdate {
    /// Of all its parts.
    pub(crate) fn bytes(&self) -> u64 {
        let parts = self.renditions.iter().flat_map(|one| &one.parts);
        parts.map(|part| part.bytes.len() as u64).sum()
    }

    pub(crate) fn parts(&self) -> u64 {
        let parts = self.renditions.iter().map(|one| one.parts.len() as u64);
        parts.sum()
    }
}

/// A recording that begins.
#[derive(Clone, Debug)]
pub struct NewRecording {
    /// The broadcast.
    pub stream_id: String,
    pub title: String,
    pub visibility: Visibility,
    /// Whether the chat's lines are kept as long as it.
    pub keeps_chat: bool,
    /// Whether it deletes itself from its beginning.
    pub is_ring: bool,
}
