//! The stream, for the operator.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, header};
use media::stream::Report;
use model::product;
use model::settings::table::STREAM_TITLE;
use serde_json::{Value, json};

use crate::app::App;
use crate::problem::{Problem, done};

/// Broadcasts in the history that are shown.
const SHOWN_STREAMS: u32 = 50;

/// `GET /api/admin/status`
pub(crate) async fn status(State(app): State<App>) -> Json<Value> {
    let stream = app.stream.borrow().clone();
    let report = app.live.report();
    Json(json!({
        "broadcaster": broadcaster(&report),
        "currentBroadcast": current_broadcast(&report),
        "health": health(&app, &report),
        "streamTitle": app.settings.now().get(&STREAM_TITLE),
        "versionNumber": product::VERSION,
        "viewerCount": stream.viewers,
        "overallPeakViewerCount": stream.overall_peak,
        "sessionPeakViewerCount": stream.session_peak,
        "online": stream.is_online,
        "streamState": stream.state.as_str(),
    }))
}

fn broadcaster(report: &Report) -> Option<Value> {
    let publisher = report.publisher.as_ref()?;
    let video = report.tracks.video.as_ref();
    let audio = report.tracks.audio.as_ref();
    Some(json!({
        "time": publisher.since,
        "remoteAddr": publisher.peer.to_string(),
        "streamDetails": {
            "videoCodec": video.map_or("Unknown", |track| track.config.name()),
            "audioCodec": audio.map_or("No audio", |track| track.config.name()),
            "encoder": publisher.encoder,
            "width": video.map_or(0, |track| track.config.width()),
            "height": video.map_or(0, |track| track.config.height()),
            "videoBitrate": report.inbound.last().map_or(0, |sample| sample.kbps),
            "audioBitrate": 0,
            "framerate": video.map_or(0.0, |track| frame_rate(track.frame_us)),
        },
    }))
}

fn current_broadcast(report: &Report) -> Option<Value> {
    let session = report.session.as_ref()?;
    Some(json!({
        "outputSettings": [pass_through()],
        "latencyLevel": { "level": session.level.number() },
    }))
}

/// The one quality there is: what the broadcaster sends.
pub(super) fn pass_through() -> Value {
    json!({
        "name": "Source", "videoPassthrough": true, "audioPassthrough": true,
        "videoBitrate": 0, "audioBitrate": 0, "framerate": 0, "cpuUsageLevel": 0,
    })
}

/// Three quarters of the players without trouble are a healthy stream, as far as players tell; the rest is how it
/// comes in.
fn health(app: &App, report: &Report) -> Option<Value> {
    report.publisher.as_ref()?;
    let warning = report
        .advice
        .iter()
        .find(|advice| advice.level == media::stream::Level::Warning);
    let players = app.readings.health(app.clock.uptime());
    let percent = match players.players {
        0 if warning.is_some() => 75,
        0 => 100,
        all => players.without_trouble * 100 / all,
    };
    let message = match warning {
        Some(advice) => advice.message.as_str(),
        None if percent <= 75 => "Some players report errors.",
        None => "",
    };
    Some(json!({
        "healthy": percent > 75 && warning.is_none(),
        "healthPercentage": percent,
        "message": message,
        "representation": super::measures::representation(app),
    }))
}

fn frame_rate(frame_us: f64) -> f64 {
    (1e9 / frame_us.max(1.0)).round() / 1000.0
}

/// `GET /api/admin/stream`: how the broadcast comes in, for the admin page.
pub(crate) async fn stream(State(app): State<App>) -> Json<Value> {
    let report = app.live.report();
    let title = app.settings.now().get(&STREAM_TITLE).clone();
    let seconds = |us: i64| us as f64 / 1e6;
    Json(json!({
        "state": report.state.as_str(),
        "session": report.session.map(|session| json!({
            "id": session.id,
            "startedAt": session.started_at,
            "peakViewers": session.peak_viewers,
            "title": title,
        })),
        "publisher": report.publisher.map(|publisher| json!({
            "address": publisher.peer.ip().to_canonical().to_string(),
            "encoder": publisher.encoder,
            "keyName": publisher.key_name,
            "protocol": if publisher.is_tls { "rtmps" } else { "rtmp" },
            "connectedAt": publisher.since,
        })),
        "video": report.tracks.video.map(|track| json!({
            "codec": track.config.name(),
            "codecString": track.config.codec_string(),
            "width": track.config.width(),
            "height": track.config.height(),
            "frameRate": frame_rate(track.frame_us),
        })),
        "audio": report.tracks.audio.map(|track| json!({
            "codec": track.config.name(),
            "codecString": track.config.codec_string(),
            "sampleRate": track.config.sample_rate(),
            "channels": track.config.channels(),
        })),
        "inbound": {
            "samples": report.inbound.iter().map(|sample| json!({
                "at": sample.at, "kbps": sample.kbps, "fps": sample.frames,
                "jitterMs": sample.jitter_ms, "dropped": sample.dropped,
            })).collect::<Vec<_>>(),
            "keyframeSeconds": report.key_interval_ms.map(|ms| f64::from(ms) / 1000.0),
        },
        "output": report.targets.map(|targets| json!({
            "partSeconds": targets.part_us.map(seconds),
            "segmentSeconds": seconds(targets.segment_us),
        })),
        "diagnosis": report.advice.iter().map(|advice| json!({
            "level": advice.level.as_str(), "code": advice.code, "message": advice.message,
        })).collect::<Vec<_>>(),
    }))
}

/// `GET /api/admin/streams`: past broadcasts, newest first.
pub(crate) async fn streams(State(app): State<App>) -> Result<Json<Value>, Problem> {
    let records = app.store.recent_streams(SHOWN_STREAMS).await?;
    let rows = records.into_iter().map(|record| {
        json!({
            "id": record.id,
            "startedAt": record.started_at,
            "endedAt": record.ended_at,
            "peakViewers": record.peak_viewers,
            "title": record.title,
        })
    });
    Ok(Json(rows.collect()))
}

/// `POST /api/admin/disconnect`: ends the broadcast.
pub(crate) async fn disconnect(State(app): State<App>) -> Result<Response, Problem> {
    if !app.live.disconnect().await {
        return Err(Problem::BadRequest("no stream is live".into()));
    }
    tracing::info!("broadcast ended by the operator");
    Ok(done("disconnected"))
}

/// `GET /api/admin/disconnect`: the same for existing scripts. A link somebody else made must not end a stream, so a
/// session cookie is not enough here.
pub(crate) async fn disconnect_by_script(
    app: State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if !headers.contains_key(header::AUTHORIZATION) {
        return Err(Problem::BadRequest(
            "use POST, or HTTP Basic authentication".into(),
        ));
    }
    disconnect(app).await
}
