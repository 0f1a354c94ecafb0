//! What is known of the live playlist.

use jiff::Timestamp;

/// A complete segment that is still in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveSegment {
    pub ordinal: u64,
    pub token: u64,
    pub msn: u64,
    pub init_version: u32,
    /// In the recording.
    pub start_us: i64,
    pub duration_us: i64,
    pub date: Timestamp,
    pub is_discontinuity: bool,
    pub is_independent: bool,
}

/// The live playlist of a rendition.
#[derive(Clone, Debug)]
pub struct LiveEdge {
    /// Everything in memory, oldest first.
    pub segments: Vec<LiveSegment>,
    /// Number of the first segment that is listed.
    pub first_listed: u64,
    /// How many discontinuities have left it.
    pub discontinuity_sequence: u64,
    /// The end of what is listed, in the recording.
    pub end_us: i64,
    /// Of the log, since when it writes this session.
    pub session: u32,
}

impl LiveEdge {
    pub(super) fn with_ordinal(&self, ordinal: u64) -> Option<&LiveSegment> {
        let at = self
            .segments
            .binary_search_by_key(&ordinal, |segment| segment.ordinal);
        self.segments.get(at.ok()?)
    }
}
