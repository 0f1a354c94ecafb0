//! Server information that bots read and change.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use jiff::Timestamp;
use model::StreamStatus;
use model::product;
use model::settings::Layers;
use model::settings::table::STREAM_TITLE;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::problem::{Problem, done};
use crate::public::{NO_CACHE, connected_since, disconnected_since};

/// The server's state, for bots and webhooks. Unlike the public one it always tells how many watch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FullStatus {
    /// `null` while nothing is on.
    #[schema(required = true)]
    last_connect_time: Option<String>,
    /// `null` while a stream is on.
    #[schema(required = true)]
    last_disconnect_time: Option<String>,
    version_number: &'static str,
    stream_title: String,
    viewer_count: u32,
    overall_max_viewer_count: u32,
    session_max_viewer_count: u32,
    online: bool,
}

impl FullStatus {
    pub(crate) fn of(settings: &Layers, stream: &StreamStatus) -> Self {
        Self {
            last_connect_time: connected_since(stream),
            last_disconnect_time: disconnected_since(stream),
            version_number: product::VERSION,
            stream_title: settings.get(&STREAM_TITLE).clone(),
            viewer_count: stream.viewers,
            overall_max_viewer_count: stream.overall_peak,
            session_max_viewer_count: stream.session_peak,
            online: stream.is_online,
        }
    }
}

/// The state with the time it was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TimedStatus {
    server_time: Timestamp,
    #[serde(flatten)]
    status: FullStatus,
}

/// `GET /api/integrations/status`
pub(crate) async fn status(State(app): State<App>) -> Response {
    let status = TimedStatus {
        server_time: app.clock.now(),
        status: FullStatus::of(&app.settings.now(), &app.stream.borrow()),
    };
    (NO_CACHE, Json(status)).into_response()
}

/// What the stream is to be called.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = StreamTitle)]
pub(crate) struct Title {
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$")]
    value: String,
}

/// `POST /api/integrations/streamtitle`
pub(crate) async fn set_title(
    State(app): State<App>,
    ApiJson(title): ApiJson<Title>,
) -> Result<Response, Problem> {
    let value = title.value.into();
    app.settings
        .set(&STREAM_TITLE, value, app.clock.now())
        .await?;
    Ok(done("changed"))
}
