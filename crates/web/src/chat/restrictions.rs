//! Who may write, and how often: what moderators may change without the operator, above all during a raid.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http_server::json::ApiJson;
use model::settings::AnySetting;
use model::settings::table::chat::{
    ESTABLISHED_ONLY, HOLD_COPIED, KNOWN_ONLY, PAUSED, REQUIRE_AUTHENTICATION, SLOW_MODE_SECONDS,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Actor;
use utoipa::ToSchema;

use super::caller::ChatCaller;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::state::App;

/// Who may write now, and how often.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatRestrictions)]
pub(crate) struct Restrictions {
    /// Only moderators (`chat_paused`).
    paused: bool,
    /// Between two messages of one person (`chat_slow_mode_seconds`).
    slow_mode_seconds: u32,
    /// Only people who signed in (`chat_require_authentication`).
    signed_in_only: bool,
    /// Only people who were known before (`chat_known_people_only`).
    returning_only: bool,
    /// Only people who have been here for 15 minutes (`chat_established_only`).
    established_only: bool,
    /// The same text by several people waits for a moderator (`chat_hold_copied_messages`).
    hold_copied_messages: bool,
}

/// What is to be different; the rest stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatRestrictionsChange)]
pub(crate) struct RestrictionsChange {
    #[schema(nullable = false)]
    paused: Option<bool>,
    #[schema(maximum = 3600, nullable = false)]
    slow_mode_seconds: Option<u32>,
    #[schema(nullable = false)]
    signed_in_only: Option<bool>,
    #[schema(nullable = false)]
    returning_only: Option<bool>,
    #[schema(nullable = false)]
    established_only: Option<bool>,
    #[schema(nullable = false)]
    hold_copied_messages: Option<bool>,
}

impl RestrictionsChange {
    /// The settings behind it, with their new values.
    fn into_settings(self) -> impl Iterator<Item = (&'static dyn AnySetting, Value)> {
        let all: [(&'static dyn AnySetting, Option<Value>); 6] = [
            (&PAUSED, self.paused.map(|on| json!(on))),
            (
                &SLOW_MODE_SECONDS,
                self.slow_mode_seconds.map(|seconds| json!(seconds)),
            ),
            (
                &REQUIRE_AUTHENTICATION,
                self.signed_in_only.map(|on| json!(on)),
            ),
            (&KNOWN_ONLY, self.returning_only.map(|on| json!(on))),
            (&ESTABLISHED_ONLY, self.established_only.map(|on| json!(on))),
            (&HOLD_COPIED, self.hold_copied_messages.map(|on| json!(on))),
        ];
        all.into_iter()
            .filter_map(|(setting, value)| Some((setting, value?)))
    }
}

/// `GET /api/chat/restrictions` and `GET /api/admin/chat/restrictions`
pub(crate) async fn show(State(app): State<App>) -> Response {
    let settings = app.settings.now();
    let now = Restrictions {
        paused: *settings.get(&PAUSED),
        slow_mode_seconds: *settings.get(&SLOW_MODE_SECONDS),
        signed_in_only: *settings.get(&REQUIRE_AUTHENTICATION),
        returning_only: *settings.get(&KNOWN_ONLY),
        established_only: *settings.get(&ESTABLISHED_ONLY),
        hold_copied_messages: *settings.get(&HOLD_COPIED),
    };
    (NO_CACHE, Json(now)).into_response()
}

/// The same for moderators.
pub(crate) async fn show_to_moderator(state: State<App>) -> Response {
    show(state).await
}

async fn apply(app: &App, change: RestrictionsChange, actor: Actor) -> Result<Response, Problem> {
    let changes = change.into_settings().collect();
    let at = app.clock.now();
    app.settings.set_together(changes, actor, at).await?;
    Ok(done("changed"))
}

/// `POST /api/admin/chat/restrictions`
pub(crate) async fn change(
    State(app): State<App>,
    ApiJson(body): ApiJson<RestrictionsChange>,
) -> Result<Response, Problem> {
    apply(&app, body, Actor::operator()).await
}

/// `POST /api/chat/restrictions`: tighter than the operator has it, or back to that.
pub(crate) async fn change_by_moderator(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    ApiJson(body): ApiJson<RestrictionsChange>,
) -> Result<Response, Problem> {
    // Who chats as the operator has signed in as the operator before.
    let is_operator = app.store.operator_user().await?.as_ref() == Some(&caller.user.id);
    let actor = match is_operator {
        true => Actor::operator(),
        false => caller.actor(),
    };
    apply(&app, body, actor).await
}
