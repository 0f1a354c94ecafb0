//! The encoder's status, as shown to operators.

use std::sync::Arc;

use jiff::Timestamp;
use model::settings::VideoVariant;

use super::encoder::Encoder;
use super::plan::{OmittedQuality, Rung, SoundRung};
use super::supervisor::TranscoderReport;

/// One second of the encoder's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeedSample {
    /// When it was taken.
    pub at: Timestamp,
    /// Encoded time per hundred seconds; 100 keeps up. `None` while unknown.
    pub speed_percent: Option<u32>,
    /// How far the slowest output is behind its input.
    pub behind_ms: i64,
}

/// The status of an encoded quality.
#[derive(Clone, Debug, PartialEq)]
pub struct RungStatus {
    pub rung: Rung,
    /// Whether it is listed as a quality now.
    pub is_offered: bool,
}

/// The status of encoded sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundStatus {
    pub rung: SoundRung,
    /// Whether it is listed now.
    pub is_offered: bool,
    /// Whether it is given up for the rest of this broadcast, because it kept pictures from being encoded.
    pub is_given_up: bool,
}

/// The current state of the broadcast's encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscoderStatus {
    /// The operator's list when the publisher connected; rungs refer to positions in it.
    pub variants: Arc<[VideoVariant]>,
    pub encoder: Encoder,
    pub report: TranscoderReport,
    /// The qualities, in the operator's order.
    pub rungs: Vec<RungStatus>,
    /// The sound, if it is encoded.
    pub sound: Option<SoundStatus>,
    /// Qualities that the operator wants and this broadcast does not get.
    pub left_out: Vec<OmittedQuality>,
    /// The last five minutes, oldest first.
    pub samples: Vec<SpeedSample>,
}
