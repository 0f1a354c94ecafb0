//! Current viewers, past viewer counts, and playback quality.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use media::stream::ViewerInfo;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::measures::WirePoint;
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::{App, Playback};

/// From when on.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Window {
    /// Unix seconds.
    #[param(minimum = 0, maximum = 253_402_207_200_i64)]
    window_start: i64,
}

/// `GET /api/admin/viewersOverTime`
pub(crate) async fn viewers_over_time(
    State(app): State<App>,
    window: Result<Query<Window>, QueryRejection>,
) -> Result<Response, Problem> {
    let expected = "\"windowStart\" must be a time in seconds since 1970";
    let Query(window) = window.map_err(|_| Problem::BadRequest(expected.into()))?;
    let start = Timestamp::from_second(window.window_start)
        .map_err(|_| Problem::BadRequest(expected.into()))?;
    let points = app.readings.viewers_since(start);
    let points: Vec<WirePoint> = points
        .iter()
        .map(|point| WirePoint::new(point.time, f64::from(point.value)))
        .collect();
    Ok((NO_CACHE, Json(points)).into_response())
}

/// Somebody who watches.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Viewer)]
pub(crate) struct WireViewer {
    first_seen: Timestamp,
    /// Where on earth; not known, there is no such database here.
    #[schema(required = true)]
    geo: Option<String>,
    user_agent: String,
    ip_address: String,
    #[serde(rename = "clientID")]
    client_id: String,
}

impl WireViewer {
    fn new(app: &App, viewer: &ViewerInfo) -> Self {
        let ago = app.clock.uptime().saturating_sub(viewer.since);
        Self {
            first_seen: app.clock.now() - ago,
            geo: None,
            user_agent: viewer.user_agent.clone(),
            ip_address: viewer.address.to_string(),
            client_id: viewer.client.to_string(),
        }
    }
}

/// `GET /api/admin/viewers`
pub(crate) async fn viewers(State(app): State<App>) -> Response {
    let viewers = app.live.stream.viewers();
    let viewers: Vec<WireViewer> = viewers
        .iter()
        .map(|viewer| WireViewer::new(&app, viewer))
        .collect();
    (NO_CACHE, Json(viewers)).into_response()
}

/// A viewer with what their player says.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WatchingViewer {
    #[serde(flatten)]
    viewer: WireViewer,
    #[serde(rename = "viewerID")]
    viewer_id: String,
    /// `null` when the player says nothing.
    #[schema(required = true)]
    playback: Option<WirePlayback>,
}

/// What a player says.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Playback)]
pub(crate) struct WirePlayback {
    source: &'static str,
    last_update: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    player_state: Option<&'static str>,
    #[schema(required = true)]
    bandwidth_kbps: Option<f64>,
    #[schema(required = true)]
    latency_seconds: Option<f64>,
    #[schema(required = true)]
    download_seconds: Option<f64>,
    /// What is played; players do not tell.
    #[schema(required = true)]
    bitrate_kbps: Option<f64>,
    error_count: u32,
    quality_variant_changes: u32,
}

impl From<Playback> for WirePlayback {
    fn from(playback: Playback) -> Self {
        Self {
            source: "client",
            last_update: playback.last_update,
            player_state: playback.state,
            bandwidth_kbps: playback.bandwidth_kbps,
            latency_seconds: playback.latency_seconds,
            download_seconds: playback.download_seconds,
            bitrate_kbps: None,
            error_count: playback.error_count,
            quality_variant_changes: playback.quality_changes,
        }
    }
}

/// `GET /api/admin/viewers/playback`
pub(crate) async fn viewers_with_playback(State(app): State<App>) -> Response {
    let now = app.clock.uptime();
    let viewers = app.live.stream.viewers();
    let viewers: Vec<WatchingViewer> = viewers
        .iter()
        .map(|viewer| WatchingViewer {
            viewer: WireViewer::new(&app, viewer),
            viewer_id: viewer.id.to_string(),
            playback: app.readings.playback(viewer.id, now).map(Into::into),
        })
        .collect();
    (NO_CACHE, Json(viewers)).into_response()
}
