//! The stream, for the operator.

mod wire;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use http::{HeaderMap, header};
use media::stream::BroadcastReport;
use model::product;
use model::settings::VideoVariant;
use model::settings::table::STREAM_TITLE;
use serde::Deserialize;
use utoipa::IntoParams;

pub(crate) use self::wire::{AdminStatus, OutputVariant, PastStream, StreamReport};
use self::wire::{
    Audio, Broadcaster, CurrentBroadcast, Finding, Health, Inbound, InboundSample, Latency,
    Publisher, StreamDetails, StreamOutput, StreamSession, Video,
};
use crate::guard::may_be_led;
use crate::problem::{Problem, done};
use crate::sentences;
use crate::state::{App, LiveState, PlayerHealth, Shared};

/// Broadcasts in the history that are shown unless asked otherwise.
const SHOWN_STREAMS: u32 = 50;
/// Limit (clients): past broadcasts in one answer; a larger number counts as this.
const MAX_SHOWN_STREAMS: u32 = 10_000;

/// How much of the history.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct StreamsQuery {
    /// How many to list, 50 unless asked otherwise.
    #[serde(default = "usual_number")]
    #[param(required = false, maximum = 10_000)]
    limit: u32,
}

fn usual_number() -> u32 {
    SHOWN_STREAMS
}

/// `GET /api/admin/status`
pub(crate) async fn status(State(app): State<App>) -> Json<AdminStatus> {
    let stream = app.live.status.borrow().clone();
    let report = app.live.stream.report();
    Json(AdminStatus {
        broadcaster: broadcaster(&report),
        current_broadcast: current_broadcast(&app, &report),
        health: health(&app, &report),
        stream_title: app.settings.now().get(&STREAM_TITLE).clone(),
        version_number: product::VERSION,
        viewer_count: stream.viewers,
        overall_peak_viewer_count: stream.overall_peak,
        session_peak_viewer_count: stream.session_peak,
        online: stream.is_online,
        stream_state: stream.state.as_str(),
    })
}

fn broadcaster(report: &BroadcastReport) -> Option<Broadcaster> {
    let publisher = report.publisher.as_ref()?;
    let video = report.tracks.video.as_ref();
    let audio = report.tracks.audio.as_ref();
    let last = report.inbound.last().copied().unwrap_or_default();
    let stream_details = StreamDetails {
        video_codec: video.map_or("Unknown", |track| codec_name(track.config.name())),
        audio_codec: audio.map_or("No audio", |track| track.config.name()),
        encoder: publisher.encoder.clone(),
        width: video.map_or(0, |track| track.config.width()),
        height: video.map_or(0, |track| track.config.height()),
        video_bitrate: last.kbps.saturating_sub(last.sound_kbps),
        audio_bitrate: last.sound_kbps,
        framerate: video.map_or(0.0, |track| frame_rate(track.frame_us)),
    };
    Some(Broadcaster {
        time: publisher.since,
        remote_addr: publisher.peer.to_string(),
        stream_details,
    })
}

/// The codec's name in the status document; HEVC is called H.265 there.
fn codec_name(name: &'static str) -> &'static str {
    match name {
        "HEVC" => "H.265",
        name => name,
    }
}

fn current_broadcast(app: &App, report: &BroadcastReport) -> Option<CurrentBroadcast> {
    let session = report.session.as_ref()?;
    let variants = app.variants(app.live.stream.transcoder_status().as_deref());
    Some(CurrentBroadcast {
        output_settings: variants.iter().map(output).collect(),
        latency_level: Latency {
            level: session.level.number(),
        },
    })
}

/// A quality of the configured list, under the name viewers see.
fn output(variant: &VideoVariant) -> OutputVariant {
    OutputVariant {
        name: variant.display_name(),
        video_passthrough: variant.video_passthrough,
        audio_passthrough: variant.audio_passthrough,
        video_bitrate: variant.video_bitrate,
        audio_bitrate: variant.audio_bitrate,
        scaled_width: Some(variant.scaled_width).filter(|width| *width > 0),
        scaled_height: Some(variant.scaled_height).filter(|height| *height > 0),
        framerate: variant.framerate,
        cpu_usage_level: variant.cpu_usage_level,
    }
}

/// The stream is healthy, as far as players report, if three quarters of them have no trouble; the rest depends on the
/// ingest.
fn health(app: &App, report: &BroadcastReport) -> Option<Health> {
    report.publisher.as_ref()?;
    let warning = report
        .advice
        .iter()
        .find(|advice| advice.level == media::stream::AdviceLevel::Warning);
    let needed_kbps = super::measures::bitrates(app, report).into_iter().min();
    let players = app.readings.health(needed_kbps, app.clock.uptime());
    let percent = match players.players {
        0 if warning.is_some() => 75,
        0 => 100,
        all => players.without_trouble * 100 / all,
    };
    let message = match warning {
        Some(advice) => advice.message.clone(),
        None => player_trouble(&players, needed_kbps),
    };
    Some(Health {
        healthy: percent > 75 && warning.is_none(),
        health_percentage: percent,
        message,
        code: warning.map(|advice| advice.code),
        params: warning.map(|advice| advice.params.clone()),
        representation: super::measures::representation(app),
        players: players.players,
        troubled_players: players.players - players.without_trouble,
        slow_players: players.slow,
        needed_kbps,
    })
}

/// A sentence about the players that report trouble; empty when there are none.
fn player_trouble(players: &PlayerHealth, needed_kbps: Option<u32>) -> String {
    let troubled = players.players - players.without_trouble;
    if troubled == 0 {
        return String::new();
    }
    let stall = if troubled == 1 { "stalls" } else { "stall" };
    let of = if players.players == 1 {
        "player"
    } else {
        "players"
    };
    let sentence = format!("{troubled} of {} {of} {stall}", players.players);
    let needed = needed_kbps.map_or(0.0, |kbps| f64::from(kbps) / 1000.0);
    match players.slow {
        0 => format!("{sentence}."),
        slow if slow == troubled && slow == 1 => {
            format!("{sentence}: its connection is below {needed:.1} Mb/s.")
        }
        slow if slow == troubled => {
            format!("{sentence}: their connections are below {needed:.1} Mb/s.")
        }
        slow => format!("{sentence}; the connections of {slow} are below {needed:.1} Mb/s."),
    }
}

fn frame_rate(frame_us: f64) -> f64 {
    (1e9 / frame_us.max(1.0)).round() / 1000.0
}

/// `GET /api/admin/stream`: the ingest, for the admin page.
pub(crate) async fn stream(State(app): State<App>) -> Json<StreamReport> {
    let report = app.live.stream.report();
    let title = app.settings.now().get(&STREAM_TITLE).clone();
    let seconds = |us: i64| us as f64 / 1e6;
    let inbound = inbound(&report);
    let diagnosis = report.advice.into_iter().map(|advice| Finding {
        level: advice.level.as_str(),
        code: advice.code,
        message: advice.message,
        params: advice.params,
    });
    Json(StreamReport {
        state: report.state.as_str(),
        session: report.session.map(|session| StreamSession {
            id: session.id,
            started_at: session.started_at,
            peak_viewers: session.peak_viewers,
            title,
        }),
        publisher: report.publisher.map(|publisher| Publisher {
            address: publisher.peer.ip().to_canonical().to_string(),
            encoder: publisher.encoder,
            key_name: publisher.key_name,
            protocol: if publisher.is_tls { "rtmps" } else { "rtmp" },
            connected_at: publisher.since,
        }),
        wrong_key_at: report.wrong_key_at,
        video: report.tracks.video.map(|track| Video {
            codec: track.config.name(),
            codec_string: track.config.codec_string(),
            width: track.config.width(),
            height: track.config.height(),
            frame_rate: frame_rate(track.frame_us),
        }),
        audio: report.tracks.audio.map(|track| Audio {
            codec: track.config.name(),
            codec_string: track.config.codec_string(),
            sample_rate: track.config.sample_rate(),
            channels: track.config.channels(),
        }),
        inbound,
        output: report.targets.map(|targets| StreamOutput {
            part_seconds: targets.part_us.map(seconds),
            segment_seconds: seconds(targets.segment_us),
        }),
        diagnosis: diagnosis.collect(),
    })
}

fn inbound(report: &BroadcastReport) -> Inbound {
    let samples = report.inbound.iter().map(|sample| InboundSample {
        at: sample.at,
        kbps: sample.kbps,
        fps: sample.frames,
        jitter_ms: sample.jitter_ms,
        dropped: sample.dropped,
    });
    Inbound {
        samples: samples.collect(),
        keyframe_seconds: report.key_interval_ms.map(|ms| f64::from(ms) / 1000.0),
    }
}

/// `GET /api/admin/streams`: past broadcasts, newest first.
pub(crate) async fn streams(
    State(app): State<App>,
    query: Result<Query<StreamsQuery>, QueryRejection>,
) -> Result<Json<Vec<PastStream>>, Problem> {
    let expected = "\"limit\" must be a number";
    let Query(query) = query.map_err(|_| Problem::BadRequest(expected.into()))?;
    let limit = query.limit.min(MAX_SHOWN_STREAMS);
    let records = app.store.recent_streams(limit).await?;
    let rows = records.into_iter().map(|record| PastStream {
        id: record.id,
        started_at: record.started_at,
        ended_at: record.ended_at,
        peak_viewers: record.peak_viewers,
        title: record.title,
    });
    Ok(Json(rows.collect()))
}

/// `POST /api/admin/disconnect`: ends the broadcast.
pub(crate) async fn disconnect(State(live): State<Shared<LiveState>>) -> Result<Response, Problem> {
    if !live.stream.disconnect().await {
        let problem = Problem::BadRequest("no stream is live".into());
        return Err(problem.worded(sentences::NOT_LIVE.plain()));
    }
    tracing::info!("broadcast ended by the operator");
    Ok(done("disconnected"))
}

/// `GET /api/admin/disconnect`: the same for existing scripts. A link from another site must not end a stream, so
/// neither a session cookie nor a password stored by a browser is enough here.
pub(crate) async fn disconnect_by_script(
    live: State<Shared<LiveState>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if !headers.contains_key(header::AUTHORIZATION) || may_be_led(&headers) {
        return Err(Problem::BadRequest(
            "use POST, or HTTP Basic authentication from a script; from a browser it needs the header X-Rillcast-CSRF: 1"
                .into(),
        ));
    }
    disconnect(live).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_of_players_is_told_in_a_sentence() {
        let told = |players, troubled, slow| {
            let health = PlayerHealth {
                players,
                without_trouble: players - troubled,
                slow,
                errors: 0,
            };
            player_trouble(&health, Some(2000))
        };
        assert_eq!(told(41, 0, 0), "");
        assert_eq!(told(41, 3, 0), "3 of 41 players stall.");
        assert_eq!(
            told(41, 3, 3),
            "3 of 41 players stall: their connections are below 2.0 Mb/s."
        );
        assert_eq!(
            told(41, 3, 2),
            "3 of 41 players stall; the connections of 2 are below 2.0 Mb/s."
        );
        assert_eq!(
            told(1, 1, 1),
            "1 of 1 player stalls: its connection is below 2.0 Mb/s."
        );
    }
}
