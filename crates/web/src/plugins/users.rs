//! The chat users created by a plugin.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use store::User;
use utoipa::ToSchema;

use super::found;
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Users of a plugin that are listed; of older ones only the number is told.
const MAX_LISTED_USERS: u32 = 200;

/// The chat users that a plugin made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PluginUsers {
    /// How many there are.
    total: i64,
    /// The newest 200, newest first.
    users: Vec<PluginUser>,
}

/// A chat user that a plugin made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PluginUser {
    id: String,
    display_name: String,
    created_at: Timestamp,
    is_moderator: bool,
}

/// `GET /api/admin/plugins/<slug>/users`
pub(crate) async fn users(
    State(app): State<App>,
    Path(slug): Path<String>,
) -> Result<Response, Problem> {
    let entry = found(&app, &slug)?;
    let made = app
        .store
        .vouched_users(entry.slug.as_str(), MAX_LISTED_USERS);
    let made = made.await?;
    let answer = PluginUsers {
        total: made.total,
        users: made.newest.into_iter().map(PluginUser::from).collect(),
    };
    Ok((NO_CACHE, Json(answer)).into_response())
}

impl From<User> for PluginUser {
    fn from(user: User) -> Self {
        Self {
            id: user.id.to_string(),
            display_name: user.display_name,
            created_at: user.created_at,
            is_moderator: user.is_moderator,
        }
    }
}
