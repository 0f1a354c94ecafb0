//! Read endpoints for chat users.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use super::wire::WireLine;
use crate::public::NO_CACHE;
use crate::state::App;

/// `GET /api/chat`: the newest lines, oldest first.
pub(crate) async fn history(State(app): State<App>) -> Response {
    past_lines(&app)
}

/// The newest lines, oldest first.
pub(crate) fn past_lines(app: &App) -> Response {
    let history = app.chat.room.history();
    let lines: Vec<WireLine<'_>> = history.iter().map(WireLine::from).collect();
    (NO_CACHE, Json(lines)).into_response()
}
