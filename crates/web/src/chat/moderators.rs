//! What moderators see in the page: hidden lines, who is banned or timed out, and what was done.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use chat::HISTORY;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

use super::lists::{LoggedAction, UsersPage, list};
use super::wire::{WireLine, WireUser};
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Limit (viewers): entries that a moderator gets at once; more are cut off.
const MAX_ENTRIES: u32 = 50;

/// `GET /api/chat/hidden`: what is missing from the history.
pub(crate) async fn hidden(State(app): State<App>) -> Result<Response, Problem> {
    let history = app.chat.room.history();
    // Older ones would stand above a history that does not reach back to them.
    let since = match history.first() {
        Some(oldest) if history.len() >= HISTORY => oldest.at,
        _ => Timestamp::UNIX_EPOCH,
    };
    let messages = app.store.hidden_messages(since, HISTORY as u32).await?;
    Ok(list(messages.iter().map(WireLine::from)))
}

/// Which part of a list.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct PageQuery {
    /// How many to leave out.
    #[serde(default)]
    #[param(maximum = 2_147_483_647)]
    offset: u32,
    /// How many to list, 50 at most and unless asked otherwise.
    #[serde(default = "usual_page")]
    limit: u32,
}

fn usual_page() -> u32 {
    MAX_ENTRIES
}

/// `GET /api/chat/users/sanctioned`
pub(crate) async fn sanctioned(
    State(app): State<App>,
    query: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(query) = query.map_err(|error| Problem::BadRequest(error.body_text()))?;
    let (offset, limit) = (query.offset, query.limit.min(MAX_ENTRIES));
    let now = app.clock.now();
    let page = app.store.sanctioned_users(now, offset, limit).await?;
    let answer = UsersPage {
        total: page.total,
        results: page.users.iter().map(WireUser::from).collect(),
    };
    Ok((NO_CACHE, Json(answer)).into_response())
}

/// Which part of the log.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct LogQuery {
    /// Only entries before the one with this `seq`.
    before: Option<i64>,
    /// How many to list, 50 at most and unless asked otherwise.
    #[serde(default = "usual_page")]
    limit: u32,
}

/// `GET /api/chat/log`
pub(crate) async fn log(
    State(app): State<App>,
    query: Result<Query<LogQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(query) = query.map_err(|error| Problem::BadRequest(error.body_text()))?;
    let limit = query.limit.min(MAX_ENTRIES);
    let entries = app.store.moderators_log(query.before, limit).await?;
    Ok(list(entries.into_iter().map(LoggedAction::from)))
}
