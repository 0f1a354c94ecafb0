//! The log of the broadcast that is on air.

use std::sync::Arc;

use model::recording::RecordingId;

use crate::timeline::Timeline;

/// What is kept of the broadcast on air, up to its newest complete segment.
#[derive(Clone, Debug)]
pub struct LiveLog {
    pub recording: RecordingId,
    /// As far back as can be rewound, at least; older segments are in the files only.
    pub timeline: Arc<Timeline>,
    /// Whether it deletes itself from its beginning, because nobody asked for a recording.
    pub is_ring: bool,
    /// Whether nothing is written now, because the disk is full.
    pub is_paused: bool,
    /// Parts that are missing, because the disk was too slow or full.
    pub lost: u64,
}
