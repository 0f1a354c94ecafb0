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
    (NO_CACHE, Json(past_lines(&app))).into_response()
}

/// The newest lines, oldest first.
pub(crate) fn past_lines(app: &App) -> Vec<Value> {
    app.chat.history().iter().map(wire::past).collect()
}
