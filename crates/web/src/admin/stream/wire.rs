//! The documents about the stream.

use jiff::Timestamp;
use model::sentence::SentenceParams;
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::words;

/// The stream in the shape existing admin tools read.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdminStatus {
    /// `null` while nobody publishes.
    #[schema(required = true)]
    pub(super) broadcaster: Option<Broadcaster>,
    /// `null` while nothing is on.
    #[schema(required = true)]
    pub(super) current_broadcast: Option<CurrentBroadcast>,
    /// `null` while nobody publishes.
    #[schema(required = true)]
    pub(super) health: Option<Health>,
    pub(super) stream_title: String,
    pub(super) version_number: &'static str,
    pub(super) viewer_count: u32,
    /// Most viewers at once, ever.
    pub(super) overall_peak_viewer_count: u32,
    /// Most viewers at once in this broadcast.
    pub(super) session_peak_viewer_count: u32,
    pub(super) online: bool,
    #[schema(schema_with = words::stream_state)]
    pub(super) stream_state: &'static str,
}

/// Who publishes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Broadcaster {
    /// Since when.
    pub(super) time: Timestamp,
    pub(super) remote_addr: String,
    pub(super) stream_details: StreamDetails,
}

/// What comes in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamDetails {
    pub(super) video_codec: &'static str,
    pub(super) audio_codec: &'static str,
    pub(super) encoder: String,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Kilobits per second, sound included.
    pub(super) video_bitrate: u32,
    pub(super) audio_bitrate: u32,
    pub(super) framerate: f64,
}

/// What goes out.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CurrentBroadcast {
    pub(super) output_settings: Vec<OutputVariant>,
    pub(super) latency_level: Latency,
}

/// How close to live viewers are.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Latency {
    /// From 0, the closest, to 4.
    pub(super) level: u8,
}

/// A quality that viewers can choose.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OutputVariant {
    pub(super) name: String,
    pub(super) video_passthrough: bool,
    pub(super) audio_passthrough: bool,
    pub(super) video_bitrate: u32,
    pub(super) audio_bitrate: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) scaled_width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) scaled_height: Option<u32>,
    pub(super) framerate: u32,
    pub(super) cpu_usage_level: u32,
}

/// How well the stream comes in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    pub(super) healthy: bool,
    pub(super) health_percentage: usize,
    /// What could be better; empty when nothing could.
    pub(super) message: String,
    /// Of the finding that the message is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) code: Option<&'static str>,
    /// What stands in the gaps of its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    pub(super) params: Option<SentenceParams>,
    /// How many of a hundred viewers report.
    pub(super) representation: u32,
    /// How many players report.
    pub(super) players: usize,
    /// How many of them stalled or failed in the last two minutes.
    pub(super) troubled_players: usize,
    /// How many of these have a connection that is slower than the lowest quality.
    pub(super) slow_players: usize,
    /// What the lowest quality takes.
    #[schema(required = true)]
    pub(super) needed_kbps: Option<u32>,
}

/// How the broadcast comes in and goes out, for the admin page.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamReport {
    #[schema(schema_with = words::stream_state)]
    pub(super) state: &'static str,
    #[schema(required = true)]
    pub(super) session: Option<StreamSession>,
    #[schema(required = true)]
    pub(super) publisher: Option<Publisher>,
    /// When an encoder last tried a wrong stream key; absent if none has since the start of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) wrong_key_at: Option<Timestamp>,
    #[schema(required = true)]
    pub(super) video: Option<Video>,
    #[schema(required = true)]
    pub(super) audio: Option<Audio>,
    pub(super) inbound: Inbound,
    #[schema(required = true)]
    pub(super) output: Option<StreamOutput>,
    /// What could be better.
    pub(super) diagnosis: Vec<Finding>,
}

/// The broadcast.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamSession {
    pub(super) id: String,
    pub(super) started_at: Timestamp,
    pub(super) peak_viewers: u32,
    pub(super) title: String,
}

/// Who publishes, and how.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Publisher {
    pub(super) address: String,
    /// What it says it is.
    pub(super) encoder: String,
    /// The operator's name for the key it used.
    pub(super) key_name: String,
    #[schema(schema_with = words::publishing)]
    pub(super) protocol: &'static str,
    pub(super) connected_at: Timestamp,
}

/// The pictures.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Video {
    pub(super) codec: &'static str,
    /// As in RFC 6381.
    pub(super) codec_string: String,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) frame_rate: f64,
}

/// The sound.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Audio {
    pub(super) codec: &'static str,
    /// As in RFC 6381.
    pub(super) codec_string: String,
    pub(super) sample_rate: u32,
    pub(super) channels: u16,
}

/// What arrived lately.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Inbound {
    /// Second by second, newest last.
    pub(super) samples: Vec<InboundSample>,
    /// Distance between the last two key frames.
    #[schema(required = true)]
    pub(super) keyframe_seconds: Option<f64>,
}

/// One second of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InboundSample {
    pub(super) at: Timestamp,
    pub(super) kbps: u32,
    pub(super) fps: u32,
    /// How unevenly frames arrived.
    pub(super) jitter_ms: u32,
    /// Frames that are missing.
    pub(super) dropped: u32,
}

/// The promise made to players.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Output)]
pub(crate) struct StreamOutput {
    /// `null` when there is no low latency.
    #[schema(required = true)]
    pub(super) part_seconds: Option<f64>,
    pub(super) segment_seconds: f64,
}

/// Something that could be better.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Finding {
    #[schema(schema_with = words::finding_level)]
    pub(super) level: &'static str,
    /// Stable, for programs.
    pub(super) code: &'static str,
    /// For people.
    pub(super) message: String,
    /// What stands in the gaps of the message, by name, to say it in another language.
    #[schema(value_type = Object)]
    pub(super) params: SentenceParams,
}

/// A broadcast in the history.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PastStream {
    pub(super) id: String,
    pub(super) started_at: Timestamp,
    /// `null` while it is on.
    #[schema(required = true)]
    pub(super) ended_at: Option<Timestamp>,
    pub(super) peak_viewers: u32,
    pub(super) title: String,
}
