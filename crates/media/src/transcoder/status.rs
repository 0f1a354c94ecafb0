//! What operators are told about the encoder while it works.

use std::sync::Arc;

use jiff::Timestamp;
use model::settings::VideoVariant;

use super::encoder::Encoder;
use super::plan::{OmittedQuality, Rung, SoundRung};
use super::supervisor::TranscoderReport;

/// One second of the encoder's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeedSample {
    /// When it was looked at.
    pub at: Timestamp,
    /// Encoded time in a hundred seconds; 100 keeps up. Nothing while it is not known.
    pub speed_percent: Option<u32>,
    /// How far the slowest output is behind what was given.
    pub behind_ms: i64,
}

/// A quality that is encoded.
#[derive(Clone, Debug, PartialEq)]
pub struct RungStatus {
    /// As planned.
    pub rung: Rung,
    /// In the list of qualities right now.
    pub is_offered: bool,
}

/// Sound that is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundStatus {
    /// As planned.
    pub rung: SoundRung,
    /// In the list right now.
    pub is_offered: bool,
    /// It will not be for the rest of this broadcast, because it kept pictures from being encoded.
    pub is_given_up: bool,
}

/// The encoder of the broadcast, as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscoderStatus {
    /// The operator's list as it was when the publisher came; the places of rungs are places in it.
    pub variants: Arc<[VideoVariant]>,
    /// Who encodes the pictures.
    pub encoder: Encoder,
    /// How it goes.
    pub report: TranscoderReport,
    /// The qualities, in the operator's order.
    pub rungs: Vec<RungStatus>,
    /// The sound, where it is to be encoded.
    pub sound: Option<SoundStatus>,
    /// What the operator wanted and this broadcast does not get.
    pub left_out: Vec<OmittedQuality>,
    /// The last five minutes, oldest first.
    pub samples: Vec<SpeedSample>,
}
