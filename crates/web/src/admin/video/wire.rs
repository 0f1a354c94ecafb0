//! The documents about qualities and encoders.

use jiff::Timestamp;
use model::sentence::SentenceParams;
use model::settings::VideoVariant;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::openapi::words;

/// What may be asked about encoders.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct EncodersQuery {
    /// Try all of them again, also while a stream is on: something about the machine may have changed.
    #[serde(default)]
    #[param(required = false)]
    pub(super) again: bool,
}

/// What encodes on this machine.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EncoderList {
    pub(super) ffmpeg: Program,
    /// The one that is set; with a name nobody knows, the one that works everywhere.
    pub(super) chosen: &'static str,
    /// All there are, the one that works everywhere first.
    pub(super) encoders: Vec<EncoderState>,
}

/// The program that encodes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FfmpegProgram)]
pub(crate) struct Program {
    pub(super) found: bool,
    /// In its own words; empty where there is none.
    pub(super) version: String,
    /// What is wrong and how to mend it; empty where nothing is.
    pub(super) message: String,
    /// Of that sentence in `docs/sentences.json`; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) code: Option<&'static str>,
    /// What stands in its gaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    pub(super) params: Option<SentenceParams>,
}

/// An encoder, and whether it works here.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EncoderState {
    /// As in the setting `video_codec`.
    pub(super) name: &'static str,
    /// Whether it is known if it works; while a stream is on none is tried by itself.
    pub(super) tried: bool,
    pub(super) usable: bool,
    /// Why it cannot be used; empty where it can.
    pub(super) reason: String,
    /// Of that sentence in `docs/sentences.json`; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) code: Option<&'static str>,
    /// What stands in its gaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    pub(super) params: Option<SentenceParams>,
}

/// What is to be measured.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MeasureWish)]
pub(crate) struct MeasureRequest {
    /// The qualities, as in the setting `output_variants`; without them those that are set.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>)]
    pub(super) variants: Option<Vec<VideoVariant>>,
    /// The encoder, as in the setting `video_codec`; without it the one that is set.
    #[serde(default)]
    pub(super) encoder: Option<String>,
    /// What somebody will broadcast; without it 1920 × 1080 with 30 frames in a second.
    #[serde(default)]
    pub(super) source: Option<AssumedSource>,
    /// Measure although somebody broadcasts, which may stutter from it.
    #[serde(default)]
    pub(super) while_live: bool,
}

/// A broadcast that is assumed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssumedSource {
    #[schema(minimum = 16, maximum = 8192)]
    pub(super) width: u32,
    #[schema(minimum = 16, maximum = 8192)]
    pub(super) height: u32,
    #[schema(minimum = 1, maximum = 240)]
    pub(super) framerate: u32,
}

/// What qualities cost on this machine.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cost {
    pub(super) encoder: &'static str,
    pub(super) source: AssumedSource,
    #[schema(schema_with = words::verdict)]
    pub(super) verdict: &'static str,
    /// Seconds of the stream that are encoded in a hundred seconds; `null` when it could not be measured.
    #[schema(required = true)]
    pub(super) speed_percent: Option<u32>,
    /// For people.
    pub(super) message: String,
    /// Of that sentence in `docs/sentences.json`; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) code: Option<&'static str>,
    /// What stands in its gaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    pub(super) params: Option<SentenceParams>,
    /// What would be encoded.
    pub(super) rungs: Vec<PlannedRung>,
    /// What such a stream would not get.
    pub(super) left_out: Vec<LeftOutVariant>,
}

/// A quality that would be encoded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlannedRung {
    /// Place in the list of qualities.
    pub(super) variant: usize,
    pub(super) name: String,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Frames in a second.
    pub(super) framerate: f64,
    pub(super) kbps: u32,
}

/// A quality that is wanted and not encoded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LeftOutVariant {
    /// Place in the list of qualities.
    pub(super) variant: usize,
    pub(super) name: String,
    /// For people.
    pub(super) reason: String,
    /// Of that sentence in `docs/sentences.json`.
    pub(super) code: &'static str,
    /// What stands in its gaps.
    #[schema(value_type = Object)]
    pub(super) params: SentenceParams,
}

/// The encoder of the broadcast.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LadderReport {
    /// `null` while nothing is encoded.
    #[schema(required = true)]
    pub(super) ladder: Option<Ladder>,
}

/// How it goes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LadderState)]
pub(crate) struct Ladder {
    pub(super) encoder: &'static str,
    pub(super) running: bool,
    /// It is behind, and is given key frames only until it has caught up.
    pub(super) hurries: bool,
    /// How far the slowest quality is behind.
    pub(super) behind_ms: i64,
    /// Seconds of the stream that are encoded in a hundred seconds; `null` before it was measured.
    #[schema(required = true)]
    pub(super) speed_percent: Option<u32>,
    /// How often it was started again.
    pub(super) restarts: u64,
    /// Why it was the last time, for people.
    #[schema(required = true)]
    pub(super) last_failure: Option<String>,
    /// Of that sentence in `docs/sentences.json`; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) failure_code: Option<&'static str>,
    /// What stands in its gaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    pub(super) failure_params: Option<SentenceParams>,
    /// In the operator's order.
    pub(super) rungs: Vec<LadderRung>,
    /// `null` where the sound is passed through.
    #[schema(required = true)]
    pub(super) sound: Option<LadderSound>,
    pub(super) left_out: Vec<LeftOutVariant>,
    /// Second by second, newest last.
    pub(super) samples: Vec<LadderSample>,
}

/// A quality of the broadcast.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LadderRung {
    /// Place in the list of qualities.
    pub(super) variant: usize,
    pub(super) name: String,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) kbps: u32,
    /// Viewers can choose it right now.
    pub(super) offered: bool,
}

/// Sound that is encoded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LadderSound {
    pub(super) kbps: u32,
    pub(super) channels: u16,
    /// Players can choose it right now.
    pub(super) offered: bool,
    /// It will not be encoded for the rest of this broadcast: ffmpeg could not, and qualities go on without it.
    pub(super) given_up: bool,
}

/// One second of the encoder.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LadderSample {
    pub(super) at: Timestamp,
    #[schema(required = true)]
    pub(super) speed_percent: Option<u32>,
    pub(super) behind_ms: i64,
}
