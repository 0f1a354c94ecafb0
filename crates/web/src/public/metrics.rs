//! Playback reports from players.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, Uri, header};
use http_server::client::{ClientInfo, text, user_agent};
use http_server::json::{ApiJson, unread};
use media::stream::ViewerRequest;
use serde::Deserialize;
use url::form_urlencoded;
use utoipa::ToSchema;

use super::NO_CACHE;
use super::stream::player_session;
use crate::cmcd::{self, CmcdReport};
use crate::problem::Problem;
use crate::referrer::is_preview;
use crate::state::{App, PlayerReport};

/// Largest number of a report in the old form that is believed; larger ones count as this.
const MAX_NUMBER: f64 = 1e9;

/// The headers a report can be spread over.
const HEADERS: [&str; 4] = ["cmcd-request", "cmcd-object", "cmcd-status", "cmcd-session"];

/// A report in the old form; zero means that nothing was measured.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PlaybackReport {
    /// In kbit/s.
    bandwidth: f64,
    /// Seconds behind live.
    latency: f64,
    /// Seconds for a segment.
    download_duration: f64,
    /// Since the last report.
    errors: f64,
    /// Since the last report.
    quality_variant_changes: f64,
}

/// `POST /api/metrics/playback`
pub(crate) async fn playback(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
    headers: HeaderMap,
    ApiJson(report): ApiJson<PlaybackReport>,
) -> Response {
    let measured =
        |number: f64| (number.is_finite() && number > 0.0).then(|| number.min(MAX_NUMBER));
    let counted = |number: f64| measured(number).map_or(0, |number| number as u32);
    let update = PlayerReport {
        bandwidth_kbps: measured(report.bandwidth),
        latency_seconds: measured(report.latency),
        download_seconds: measured(report.download_duration),
        errors: counted(report.errors),
        quality_changes: counted(report.quality_variant_changes),
        ..PlayerReport::default()
    };
    note(&app, &client, &headers, &[(player_session(&uri), update)]);
    (NO_CACHE, StatusCode::OK).into_response()
}

/// `GET` and `POST /api/metrics/cmcd`
pub(crate) async fn cmcd(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let body = body.map_err(|rejection| unread(&rejection))?;
    let mut reports = in_body(&headers, &body)?;
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let query = pairs.filter(|(name, _)| name == "CMCD");
    reports.extend(query.take(1).filter_map(|(_, list)| cmcd::from_list(&list)));
    let lists: Vec<&str> = HEADERS.iter().map(|name| text(&headers, *name)).collect();
    reports.extend(cmcd::from_list(&lists.join(",")));
    if reports.is_empty() {
        return Err(Problem::BadRequest("there is no CMCD report here".into()));
    }
    let updates: Vec<_> = reports
        .into_iter()
        .map(|mut report| (report.session.take(), PlayerReport::from(report)))
        .collect();
    note(&app, &client, &headers, &updates);
    Ok((NO_CACHE, StatusCode::OK).into_response())
}

fn in_body(headers: &HeaderMap, body: &Bytes) -> Result<Vec<CmcdReport>, Problem> {
    if body.is_empty() {
        return Ok(Vec::new());
    }
    if text(headers, header::CONTENT_TYPE).starts_with("application/cmcd") {
        return Ok(cmcd::from_lines(&String::from_utf8_lossy(body)));
    }
    cmcd::from_json(body).map_err(|error| Problem::BadRequest(error.to_string()))
}

/// Whoever reports is watching; reports of those who are not counted as viewers are not kept. Each update comes with the
/// session of its player.
fn note(
    app: &App,
    client: &ClientInfo,
    headers: &HeaderMap,
    updates: &[(Option<String>, PlayerReport)],
) {
    if is_preview(headers) {
        return;
    }
    let (at, now) = (app.clock.now(), app.clock.uptime());
    for (session, update) in updates {
        let viewer = app.live.stream.note_viewer(&ViewerRequest {
            address: client.address,
            user_agent: user_agent(headers),
            session: session.as_deref(),
        });
        if let Some(viewer) = viewer {
            app.readings.note_player(viewer, update, at, now);
        }
    }
}
