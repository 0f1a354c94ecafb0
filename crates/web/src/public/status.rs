//! `GET /api/status`: polled by every client.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use jiff::Timestamp;
use model::product;
use model::settings::table::{HIDE_VIEWER_COUNT, STREAM_TITLE};
use serde::Serialize;
use utoipa::ToSchema;

use super::NO_CACHE;
use crate::full_status::{connected_since, disconnected_since};
use crate::hls::PRIVATE;
use crate::openapi::words;
use crate::plugins::is_media_guarded;
use crate::schedule::NextEvent;
use crate::state::App;

/// What is on now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Status)]
pub(crate) struct PublicStatus {
    server_time: Timestamp,
    /// When the broadcast began; `null` while nothing is on.
    #[schema(required = true)]
    last_connect_time: Option<String>,
    /// When the last one ended; `null` while something is on.
    #[schema(required = true)]
    last_disconnect_time: Option<String>,
    version_number: &'static str,
    stream_title: String,
    online: bool,
    #[schema(schema_with = words::stream_state)]
    stream_state: &'static str,
    /// Absent when the operator hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    viewer_count: Option<u32>,
    /// More people are in the chat than pages announce (`chat_join_messages_max_people`); absent while not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    chat_is_crowded: bool,
    /// Absent when nothing is announced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    scheduled_event: Option<NextEvent>,
}

pub(crate) async fn get(State(app): State<App>) -> Response {
    let mut response = (NO_CACHE, Json(status_document(&app))).into_response();
    if is_media_guarded(&app) {
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, PRIVATE);
    }
    response
}

pub(crate) fn status_document(app: &App) -> PublicStatus {
    let settings = app.settings.now();
    let stream = app.live.status.borrow();
    PublicStatus {
        server_time: app.clock.now(),
        last_connect_time: connected_since(&stream),
        last_disconnect_time: disconnected_since(&stream),
        version_number: product::VERSION,
        stream_title: settings.get(&STREAM_TITLE).clone(),
        online: stream.is_online,
        stream_state: stream.state.as_str(),
        viewer_count: (!settings.get(&HIDE_VIEWER_COUNT)).then_some(stream.viewers),
        chat_is_crowded: app.chat.room.is_crowded(),
        scheduled_event: NextEvent::of(app, &settings, stream.state),
    }
}
