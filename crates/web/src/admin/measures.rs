//! What was measured over the last hours: the machine, and the players.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use media::hls::LatencyLevel;
use model::settings::table::LATENCY_LEVEL;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::public::NO_CACHE;
use crate::readings::{Hardware, Point, VideoSample};

/// A value at a time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MeasuredPoint)]
pub(crate) struct WirePoint {
    time: Timestamp,
    value: f64,
}

impl WirePoint {
    pub(super) fn new(time: Timestamp, value: f64) -> Self {
        Self { time, value }
    }
}

/// How busy the machine was, in percent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HardwareSeries {
    cpu: Vec<WirePoint>,
    memory: Vec<WirePoint>,
    disk: Vec<WirePoint>,
}

/// `GET /api/admin/hardwarestats`
pub(crate) async fn hardware(State(app): State<App>) -> Response {
    let samples = app.readings.hardware();
    let series = |value: fn(&Hardware) -> f64| {
        let points = samples.iter();
        points
            .map(|point| WirePoint::new(point.time, value(&point.value)))
            .collect()
    };
    let series = HardwareSeries {
        cpu: series(|sample| sample.cpu),
        memory: series(|sample| sample.memory),
        disk: series(|sample| sample.disk),
    };
    (NO_CACHE, Json(series)).into_response()
}

/// How it played.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VideoSeries {
    errors: Vec<WirePoint>,
    quality_variant_changes: Vec<WirePoint>,
    highest_latency: Vec<WirePoint>,
    median_latency: Vec<WirePoint>,
    lowest_latency: Vec<WirePoint>,
    median_segment_download_duration: Vec<WirePoint>,
    maximum_segment_download_duration: Vec<WirePoint>,
    minimum_segment_download_duration: Vec<WirePoint>,
    min_player_bitrate: Vec<WirePoint>,
    median_player_bitrate: Vec<WirePoint>,
    max_player_bitrate: Vec<WirePoint>,
    /// In kbit/s; the one quality there is, while somebody broadcasts.
    available_bitrates: Vec<u32>,
    /// In seconds.
    segment_length: i64,
    /// How many of a hundred viewers report.
    representation: u32,
}

/// `GET /api/admin/metrics/video`
pub(crate) async fn video_metrics(State(app): State<App>) -> Response {
    let samples = app.readings.video();
    let report = app.live.report();
    let level = LatencyLevel::new(*app.settings.now().get(&LATENCY_LEVEL));
    let series = VideoSeries {
        errors: series(&samples, |one| Some(f64::from(one.errors))),
        quality_variant_changes: series(&samples, |one| Some(f64::from(one.quality_changes))),
        highest_latency: series(&samples, |one| Some(one.latency?.highest)),
        median_latency: series(&samples, |one| Some(one.latency?.median)),
        lowest_latency: series(&samples, |one| Some(one.latency?.lowest)),
        median_segment_download_duration: series(&samples, |one| Some(one.download?.median)),
        maximum_segment_download_duration: series(&samples, |one| Some(one.download?.highest)),
        minimum_segment_download_duration: series(&samples, |one| Some(one.download?.lowest)),
        min_player_bitrate: series(&samples, |one| Some(one.bandwidth?.lowest)),
        median_player_bitrate: series(&samples, |one| Some(one.bandwidth?.median)),
        max_player_bitrate: series(&samples, |one| Some(one.bandwidth?.highest)),
        available_bitrates: report
            .inbound
            .last()
            .filter(|_| report.publisher.is_some())
            .map(|sample| sample.kbps)
            .into_iter()
            .collect(),
        segment_length: report.targets.map_or(level.segment_seconds(), |targets| {
            targets.segment_us / 1_000_000
        }),
        representation: representation(&app),
    };
    (NO_CACHE, Json(series)).into_response()
}

fn series(
    samples: &[Point<VideoSample>],
    value: fn(&VideoSample) -> Option<f64>,
) -> Vec<WirePoint> {
    let points = samples.iter();
    points
        .filter_map(|point| Some(WirePoint::new(point.time, value(&point.value)?)))
        .collect()
}

/// How many of a hundred viewers report.
pub(super) fn representation(app: &App) -> u32 {
    let players = app.readings.health(app.clock.uptime()).players;
    let viewers = app.stream.borrow().viewers.max(1) as usize;
    u32::try_from(players * 100 / viewers).map_or(100, |percent| percent.min(100))
}
