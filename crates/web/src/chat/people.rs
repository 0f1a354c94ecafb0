//! What chat users read.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::wire;
use crate::app::App;
use crate::public::NO_CACHE;

/// `GET /api/chat`: the newest lines, oldest first.
pub(crate) async fn history(State(app): State<App>) -> Response {
    let lines: Vec<Value> = app.chat.history().iter().map(wire::past).collect();
    (NO_CACHE, Json(lines)).into_response()
}
