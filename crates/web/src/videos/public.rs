//! What viewers read of recordings.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::{HeaderMap, header};
use http_server::client::ClientInfo;
use serde::Deserialize;
use store::RecordingQuery;
use utoipa::IntoParams;

use super::watched;
use super::wire::{Video, VideoDetail, VideoPage};
use crate::hls::PRIVATE;
use crate::plugins::is_gated;
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Recordings in one answer unless asked otherwise.
const USUAL_LIMIT: u32 = 24;
/// Limit (clients): recordings in one answer; a larger number counts as this.
const MAX_LIMIT: u32 = 100;
/// Limit (clients): characters that are searched for; the rest is ignored.
const MAX_SEARCH_CHARS: usize = 100;

/// Which recordings.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
pub(crate) struct VideosQuery {
    /// How many to leave out at the beginning.
    #[param(required = false, maximum = 2_147_483_647)]
    offset: u32,
    /// How many there should be, 24 unless asked otherwise.
    #[param(value_type = Option<u32>, maximum = 100)]
    limit: Option<u32>,
    /// Part of the title, the summary or a tag.
    #[param(required = false)]
    q: String,
    /// A whole tag.
    #[param(required = false)]
    tag: String,
}

impl VideosQuery {
    pub(super) fn read(
        query: Result<Query<Self>, QueryRejection>,
        only_public: bool,
    ) -> Result<RecordingQuery, Problem> {
        let Query(query) = query.map_err(|error| Problem::BadRequest(error.body_text()))?;
        let start = |text: &str| -> String { text.trim().chars().take(MAX_SEARCH_CHARS).collect() };
        Ok(RecordingQuery {
            text: start(&query.q),
            tag: start(&query.tag),
            only_public,
            offset: query.offset.min(i32::MAX.unsigned_abs()),
            limit: query.limit.unwrap_or(USUAL_LIMIT).min(MAX_LIMIT),
        })
    }
}

/// `GET /api/videos`
pub(crate) async fn list(
    State(app): State<App>,
    query: Result<Query<VideosQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let query = VideosQuery::read(query, true)?;
    let found = app.store.recordings(query).await?;
    let mut results = Vec::with_capacity(found.recordings.len());
    for recording in &found.recordings {
        results.push(Video::of(&app, recording).await);
    }
    let total = found.total;
    Ok(uncached(&app, Json(VideoPage { total, results })))
}

/// `GET /api/videos/{id}`
pub(crate) async fn item(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let recording = watched(&app, &id, &client, &headers).await?;
    let detail = VideoDetail::of(&app, &recording).await?;
    Ok(uncached(&app, Json(detail)))
}

/// Nobody keeps it, least of all behind a gate.
pub(super) fn uncached(app: &App, document: impl IntoResponse) -> Response {
    let mut response = (NO_CACHE, document).into_response();
    if is_gated(app) {
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, PRIVATE);
        headers.remove(header::EXPIRES);
    }
    response
}
