//! `GET /api/yp`: what stream directories may know.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use model::settings::table::{NAME, NSFW, SOCIAL_HANDLES, STREAM_TITLE, SUMMARY, TAGS, page};
use serde::Serialize;
use utoipa::ToSchema;

use super::{NO_CACHE, SocialLink};
use crate::full_status::connected_since;
use crate::plugins::is_listed;
use crate::state::App;

/// What a directory of streams may know.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DirectoryListing {
    name: String,
    description: String,
    logo: &'static str,
    tags: Vec<String>,
    social: Vec<SocialLink>,
    nsfw: bool,
    online: bool,
    viewer_count: u32,
    overall_max_viewer_count: u32,
    session_max_viewer_count: u32,
    #[schema(required = true)]
    last_connect_time: Option<String>,
    /// Absent when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    stream_title: String,
}

pub(crate) async fn get(State(app): State<App>) -> Response {
    let settings = app.settings.now();
    if !*settings.get(&page::DIRECTORY_ENABLED) || !is_listed(&app) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let stream = app.live.status.borrow().clone();
    let listing = DirectoryListing {
        name: settings.get(&NAME).clone(),
        description: settings.get(&SUMMARY).clone(),
        logo: "/logo",
        tags: settings.get(&TAGS).clone(),
        social: settings
            .get(&SOCIAL_HANDLES)
            .iter()
            .map(SocialLink::from)
            .collect(),
        nsfw: *settings.get(&NSFW),
        online: stream.is_online,
        viewer_count: stream.viewers,
        overall_max_viewer_count: stream.overall_peak,
        session_max_viewer_count: stream.session_peak,
        last_connect_time: connected_since(&stream),
        stream_title: settings.get(&STREAM_TITLE).clone(),
    };
    (NO_CACHE, Json(listing)).into_response()
}
