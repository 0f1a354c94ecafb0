//! What one machine tells the others of the stream it takes in.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;

use crate::hls::name::Rendition;
use crate::hls::playlist::RenditionReports;
use crate::hls::rendition_window::BitRate;
use crate::hls::targets::Targets;

/// One thing that is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    File(FileUpdate),
    /// Comes after the files it names.
    State(Box<StateUpdate>),
}

impl Update {
    /// Which holder of the stream tells it; later ones have higher numbers.
    pub fn epoch(&self) -> u64 {
        match self {
            Self::File(file) => file.epoch,
            Self::State(state) => state.epoch,
        }
    }
}

/// The bytes of a part or of an init segment. They may be told again, under the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUpdate {
    pub epoch: u64,
    /// Counts the files of its epoch.
    pub number: u64,
    pub bytes: Bytes,
}

/// Everything small, at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct StateUpdate {
    pub epoch: u64,
    /// Counts the states of its epoch, from 1.
    pub number: u64,
    /// `None` while nothing is broadcast.
    pub on_air: Option<OnAir>,
    /// `None` while nothing can be played.
    pub(super) lists: Option<ListsUpdate>,
}

/// The broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnAir {
    pub id: String,
    pub started_at: Timestamp,
    pub peak_viewers: u32,
    /// The latency level.
    pub level: u8,
    /// Whether the publisher is away and may come back.
    pub is_waiting: bool,
}

/// What all playlists are written from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListsUpdate {
    /// The token of the session.
    pub(super) token: u64,
    pub(super) is_ended: bool,
    pub(super) targets: Targets,
    /// The multivariant playlist.
    pub(super) master: String,
    /// Without a picture, the sound is also served under the picture's address.
    pub(super) is_sound_only: bool,
    /// The maximum number of rungs.
    pub(super) places: usize,
    pub(super) renditions: Vec<RenditionUpdate>,
}

/// A rendition's window, with numbers in place of the bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RenditionUpdate {
    pub(super) rendition: Rendition,
    pub(super) targets: Targets,
    pub(super) discontinuity_sequence: u64,
    pub(super) has_dependent_segment: bool,
    pub(super) rate: BitRate,
    /// What its playlist says about the others.
    pub(super) reports: Arc<RenditionReports>,
    pub(super) inits: Vec<InitUpdate>,
    /// How many of the finished segments, from the first, are no longer listed.
    pub(super) unlisted: usize,
    pub(super) finished: Vec<SegmentUpdate>,
    pub(super) open: SegmentUpdate,
}

impl RenditionUpdate {
    /// The numbers of all its files.
    pub(super) fn files(&self) -> impl Iterator<Item = u64> {
        let inits = self.inits.iter().map(|init| init.file);
        self.parts().chain(inits)
    }

    /// The numbers of all its parts.
    pub(super) fn parts(&self) -> impl Iterator<Item = u64> {
        let segments = self.finished.iter().chain([&self.open]);
        segments.flat_map(|segment| segment.parts.iter().map(|part| part.file))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InitUpdate {
    pub(super) version: u32,
    pub(super) file: u64,
}

/// A segment; it lasts as long as its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SegmentUpdate {
    pub(super) token: u64,
    pub(super) msn: u64,
    pub(super) start_us: i64,
    pub(super) date: Timestamp,
    pub(super) is_discontinuity: bool,
    /// Position of its init segment in the rendition's list.
    pub(super) init: usize,
    pub(super) parts: Vec<PartUpdate>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartUpdate {
    pub(super) file: u64,
    pub(super) duration_us: i64,
    pub(super) is_independent: bool,
}
