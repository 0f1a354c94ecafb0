//! The entries of a playlist.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;

use super::name::HlsFile;

/// A fragment that can be fetched as soon as it is complete.
#[derive(Clone, Debug)]
pub struct PartialSegment {
    /// `moof` and `mdat`.
    pub bytes: Bytes,
    /// The listed duration.
    pub duration_us: i64,
    /// Whether it begins with a frame that needs no other.
    pub is_independent: bool,
}

/// An init segment; a new version has a new name.
#[derive(Debug)]
pub struct Init {
    /// Increases within a session.
    pub version: u32,
    /// `ftyp` and `moov`.
    pub bytes: Bytes,
}

/// The start of a segment, or of a rendition after a break.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentStart {
    pub(super) msn: u64,
    pub(super) at_us: i64,
    pub(super) date: Timestamp,
    pub(super) is_discontinuity: bool,
}

/// A run of parts. Its bytes are those of the parts; nothing is stored twice.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Part of the names of all its files and of its init segment, so that no name is ever used twice.
    pub token: u64,
    /// Media sequence number.
    pub msn: u64,
    /// Position on the session's time line.
    pub start_us: i64,
    /// Sum of the parts.
    pub duration_us: i64,
    /// Wall-clock time at its start.
    pub date: Timestamp,
    /// Whether `EXT-X-DISCONTINUITY` precedes it.
    pub is_discontinuity: bool,
    /// The init segment it needs.
    pub init: Arc<Init>,
    pub parts: Vec<PartialSegment>,
}

impl Segment {
    /// One without parts yet.
    pub(super) fn begun(start: SegmentStart, token: u64, init: Arc<Init>) -> Self {
        Self {
            token,
            msn: start.msn,
            start_us: start.at_us,
            duration_us: 0,
            date: start.date,
            is_discontinuity: start.is_discontinuity,
            init,
            parts: Vec::new(),
        }
    }

    /// The name of its init segment.
    pub(super) fn init_file(&self) -> HlsFile {
        HlsFile::Init {
            token: self.token,
            version: self.init.version,
        }
    }

    /// Its own name.
    pub(super) fn file(&self) -> HlsFile {
        HlsFile::Segment {
            token: self.token,
            msn: self.msn,
        }
    }

    /// The name of one of its parts.
    pub(super) fn part_file(&self, index: usize) -> HlsFile {
        HlsFile::Part {
            token: self.token,
            msn: self.msn,
            index,
        }
    }

    /// Bytes of all parts.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.bytes.len()).sum()
    }

    /// Whether it has no parts yet.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a player can begin here.
    pub fn is_independent(&self) -> bool {
        self.parts.first().is_some_and(|part| part.is_independent)
    }
}
