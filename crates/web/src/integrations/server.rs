//! Server information that bots read and change.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use jiff::Timestamp;
use model::settings::table::STREAM_TITLE;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::full_status::FullStatus;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::state::App;

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
        status: FullStatus::of(&app.settings.now(), &app.live.status.borrow()),
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
