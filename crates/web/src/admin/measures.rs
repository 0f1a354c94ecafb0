//! Measurements of the last hours: the machine and the players.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use media::hls::LatencyLevel;
use media::stream::BroadcastReport;
use media::transcoder::TranscoderStatus;
use model::settings::table::LATENCY_LEVEL;
use serde::Serialize;
use utoipa::ToSchema;

use crate::public::NO_CACHE;
use crate::state::{App, Hardware, Point, VideoSample};

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
    /// In kbit/s, while somebody broadcasts: the broadcaster's own quality, then those that are encoded and offered.
    available_bitrates: Vec<u32>,
    /// In seconds.
    segment_length: i64,
    /// How many of a hundred viewers report.
    representation: u32,
}

/// `GET /api/admin/metrics/video`
pub(crate) async fn video_metrics(State(app): State<App>) -> Response {
    let samples = app.readings.video();
    let report = app.live.stream.report();
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
        available_bitrates: bitrates(&app, &report),
        segment_length: report.targets.map_or(level.segment_seconds(), |targets| {
            targets.segment_us / 1_000_000
        }),
        representation: representation(&app),
    };
    (NO_CACHE, Json(series)).into_response()
}

/// What viewers can choose from, in kbit/s; nothing while nobody broadcasts.
pub(super) fn bitrates(app: &App, report: &BroadcastReport) -> Vec<u32> {
    let own = report.publisher.as_ref().and(report.inbound.last());
    let own = own.map(|sample| sample.kbps);
    available_bitrates(own, app.live.stream.transcoder_status().as_deref())
}

/// The broadcaster's own, if anybody broadcasts, and those that viewers can choose beside it.
fn available_bitrates(own: Option<u32>, ladder: Option<&TranscoderStatus>) -> Vec<u32> {
    let Some(own) = own else {
        return Vec::new();
    };
    let rungs = ladder.into_iter().flat_map(|ladder| &ladder.rungs);
    let offered = rungs.filter(|one| one.is_offered).map(|one| one.rung.kbps);
    std::iter::once(own).chain(offered).collect()
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
    let players = app.readings.health(None, app.clock.uptime()).players;
    // Of this machine's viewers: those of others report there.
    let viewers = app.live.stream.viewers_here().max(1) as usize;
    u32::try_from(players * 100 / viewers).map_or(100, |percent| percent.min(100))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use media::transcoder::{Encoder, Rung, RungStatus, TranscoderReport};

    use super::*;

    #[test]
    fn bitrates_are_the_own_one_and_those_that_are_offered() {
        let rung = |kbps, is_offered| RungStatus {
            rung: Rung {
                variant: 0,
                width: 640,
                height: 360,
                every: 1,
                kbps,
                effort: 2,
                has_encoded_sound: false,
            },
            is_offered,
        };
        let ladder = TranscoderStatus {
            variants: Arc::default(),
            encoder: Encoder::X264,
            report: TranscoderReport {
                is_running: true,
                hurries: false,
                behind_ms: 0,
                speed_percent: None,
                restarts: 0,
                last_failure: None,
            },
            rungs: vec![rung(2500, true), rung(1200, false), rung(700, true)],
            sound: None,
            left_out: Vec::new(),
            samples: Vec::new(),
        };
        assert_eq!(
            available_bitrates(Some(6000), Some(&ladder)),
            [6000, 2500, 700]
        );
        assert_eq!(available_bitrates(Some(6000), None), [6000]);
        assert!(available_bitrates(None, Some(&ladder)).is_empty());
    }
}
