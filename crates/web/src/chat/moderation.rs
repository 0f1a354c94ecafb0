//! Actions of moderators and the operator.

use std::net::IpAddr;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use chat::{MAX_BAN, MAX_IDS, MAX_REASON_CHARS, MAX_TIMEOUT};
use http_server::json::ApiJson;
use model::{MessageId, UserId};
use serde::Deserialize;
use store::Actor;
use utoipa::ToSchema;

use super::caller::ChatCaller;
use crate::problem::{Problem, done};
use crate::sentences;
use crate::state::{App, BotState, ChatState, Shared};

fn user_id(text: Option<String>) -> Result<UserId, Problem> {
    let text = text.ok_or_else(|| Problem::BadRequest("the body has no \"userId\"".into()))?;
    UserId::parse(text).map_err(|error| Problem::BadRequest(format!("\"userId\": {error}")))
}

fn unknown_user() -> Problem {
    let problem = Problem::BadRequest("there is no such user".into());
    problem.worded(sentences::NO_SUCH_CHATTER.plain())
}

/// Moderators are the operator's choice: one of them cannot put away the others.
async fn spare_moderators(app: &App, id: Option<&str>) -> Result<(), Problem> {
    let Some(id) = id.and_then(|id| UserId::parse(id).ok()) else {
        return Ok(());
    };
    match app.store.user(&id).await? {
        Some(user) if user.is_moderator => {
            let text = "only the operator can do this to a moderator";
            let problem = Problem::BadRequest(text.into());
            Err(problem.worded(sentences::MODERATOR_PROTECTED.plain()))
        }
        _ => Ok(()),
    }
}

/// What a moderator wrote about it, on one line.
fn reason(text: Option<String>) -> Result<Option<String>, Problem> {
    let text = text.unwrap_or_default().replace(char::is_control, " ");
    let text = text.trim();
    if text.chars().count() > MAX_REASON_CHARS {
        let text = format!("\"reason\" may have at most {MAX_REASON_CHARS} characters");
        let sentence = sentences::REASON_TOO_LONG.with([(MAX_REASON_CHARS as u64).into()]);
        return Err(Problem::BadRequest(text).worded(sentence));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// A whole number in any notation, if it is in the range.
fn whole_seconds(seconds: f64, least: u64, longest: u64) -> Option<u64> {
    let whole = seconds as u64;
    let is_whole = seconds >= 0.0 && seconds.fract() == 0.0;
    (is_whole && (least..=longest).contains(&whole)).then_some(whole)
}

fn answered(is_there: bool, message: &str) -> Result<Response, Problem> {
    if is_there {
        Ok(done(message))
    } else {
        Err(unknown_user())
    }
}

/// Lines to be hidden or shown.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VisibilityRequest {
    #[schema(value_type = Vec<String>)]
    id_array: Option<Vec<String>>,
    #[schema(value_type = bool)]
    visible: Option<bool>,
}

pub(crate) async fn change_visibility(
    app: &App,
    body: VisibilityRequest,
    actor: Actor,
) -> Result<Response, Problem> {
    let (Some(ids), Some(visible)) = (body.id_array, body.visible) else {
        let text = "the body needs \"idArray\" and \"visible\"";
        return Err(Problem::BadRequest(text.into()));
    };
    if ids.len() > MAX_IDS {
        let sentence = sentences::TOO_MANY_MESSAGES.with([(MAX_IDS as u64).into()]);
        return Err(Problem::BadRequest(sentence.english()).worded(sentence));
    }
    // Text that is not a valid id cannot be one of ours.
    let ids: Vec<MessageId> = ids
        .into_iter()
        .filter_map(|id| MessageId::parse(id).ok())
        .collect();
    if !ids.is_empty() && !app.chat.room.set_visibility(ids, visible, actor).await? {
        let text = "what its author has deleted cannot be shown again";
        let problem = Problem::BadRequest(text.into());
        return Err(problem.worded(sentences::AUTHOR_DELETED.plain()));
    }
    Ok(done("changed"))
}

/// `POST /api/admin/chat/messagevisibility`
pub(crate) async fn set_visibility(
    State(app): State<App>,
    ApiJson(body): ApiJson<VisibilityRequest>,
) -> Result<Response, Problem> {
    change_visibility(&app, body, Actor::operator()).await
}

/// `POST /api/chat/messagevisibility`
pub(crate) async fn set_visibility_by_moderator(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    ApiJson(body): ApiJson<VisibilityRequest>,
) -> Result<Response, Problem> {
    change_visibility(&app, body, caller.actor()).await
}

/// Somebody to be banned or readmitted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Enabling)]
pub(crate) struct SetEnabledRequest {
    #[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    user_id: Option<String>,
    #[schema(value_type = bool)]
    enabled: Option<bool>,
    /// For how many seconds somebody is banned; without it for ever.
    #[serde(default)]
    #[schema(value_type = u64, minimum = 1, maximum = 31_622_400, nullable = false)]
    duration: Option<f64>,
    /// Why, for a banned person and the log.
    #[serde(default)]
    #[schema(max_length = 200, nullable = false)]
    reason: Option<String>,
}

async fn change_enabled(
    app: &App,
    body: SetEnabledRequest,
    actor: Actor,
) -> Result<Response, Problem> {
    let id = user_id(body.user_id)?;
    let enabled = body
        .enabled
        .ok_or_else(|| Problem::BadRequest("the body has no \"enabled\"".into()))?;
    let reason = reason(body.reason)?;
    let longest = MAX_BAN.as_secs();
    let length = match body.duration {
        Some(seconds) => Some(whole_seconds(seconds, 1, longest).ok_or_else(|| {
            Problem::BadRequest(format!("\"duration\" must be a number from 1 to {longest}"))
        })?),
        None => None,
    };
    let is_there = if enabled {
        app.chat.room.unban(&id, actor).await?
    } else {
        let length = length.map(Duration::from_secs);
        app.chat.room.ban_for(&id, length, reason, actor).await?
    };
    app.bots.tokens.doubt();
    answered(is_there, if enabled { "readmitted" } else { "banned" })
}

/// `POST /api/admin/chat/users/setenabled`
pub(crate) async fn set_enabled(
    State(app): State<App>,
    ApiJson(body): ApiJson<SetEnabledRequest>,
) -> Result<Response, Problem> {
    change_enabled(&app, body, Actor::operator()).await
}

/// `POST /api/chat/users/setenabled`
pub(crate) async fn set_enabled_by_moderator(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    ApiJson(body): ApiJson<SetEnabledRequest>,
) -> Result<Response, Problem> {
    spare_moderators(&app, body.user_id.as_deref()).await?;
    change_enabled(&app, body, caller.actor()).await
}

/// Somebody to be silent for a while.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Timeout {
    #[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    user_id: Option<String>,
    #[schema(value_type = u64, maximum = 1_209_600)]
    seconds: Option<f64>,
    /// Why, for the person and the log.
    #[serde(default)]
    #[schema(max_length = 200, nullable = false)]
    reason: Option<String>,
}

async fn change_timeout(app: &App, body: Timeout, actor: Actor) -> Result<Response, Problem> {
    let id = user_id(body.user_id)?;
    let longest = MAX_TIMEOUT.as_secs();
    let seconds = body
        .seconds
        .and_then(|seconds| whole_seconds(seconds, 0, longest));
    let seconds = seconds.ok_or_else(|| {
        Problem::BadRequest(format!("\"seconds\" must be a number from 0 to {longest}"))
    })?;
    let (length, reason) = (Duration::from_secs(seconds), reason(body.reason)?);
    let is_there = app.chat.room.mute(&id, length, reason, actor).await?;
    answered(is_there, if seconds == 0 { "unmuted" } else { "muted" })
}

/// `POST /api/admin/chat/users/timeout`
pub(crate) async fn timeout(
    State(app): State<App>,
    ApiJson(body): ApiJson<Timeout>,
) -> Result<Response, Problem> {
    change_timeout(&app, body, Actor::operator()).await
}

/// `POST /api/chat/users/timeout`
pub(crate) async fn timeout_by_moderator(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    ApiJson(body): ApiJson<Timeout>,
) -> Result<Response, Problem> {
    spare_moderators(&app, body.user_id.as_deref()).await?;
    change_timeout(&app, body, caller.actor()).await
}

/// A line that waits, and what is to become of it.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Release {
    #[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    id: Option<String>,
    #[schema(value_type = bool)]
    approve: Option<bool>,
}

async fn change_held(app: &App, body: Release, actor: Actor) -> Result<Response, Problem> {
    let (Some(id), Some(approve)) = (body.id, body.approve) else {
        let text = "the body needs \"id\" and \"approve\"";
        return Err(Problem::BadRequest(text.into()));
    };
    let id = MessageId::parse(id).map_err(|error| Problem::BadRequest(error.to_string()))?;
    if !app.chat.room.release(&id, approve, actor).await? {
        let text = "this message is no longer waiting";
        let problem = Problem::BadRequest(text.into());
        return Err(problem.worded(sentences::NOT_WAITING.plain()));
    }
    Ok(done(if approve { "approved" } else { "rejected" }))
}

/// `POST /api/admin/chat/held`
pub(crate) async fn release(
    State(app): State<App>,
    ApiJson(body): ApiJson<Release>,
) -> Result<Response, Problem> {
    change_held(&app, body, Actor::operator()).await
}

/// `POST /api/chat/held`
pub(crate) async fn release_by_moderator(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    ApiJson(body): ApiJson<Release>,
) -> Result<Response, Problem> {
    change_held(&app, body, caller.actor()).await
}

/// Somebody to become a moderator, or no longer to be one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Promotion {
    #[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    user_id: Option<String>,
    #[schema(value_type = bool)]
    is_moderator: Option<bool>,
}

/// `POST /api/admin/chat/users/setmoderator`
pub(crate) async fn set_moderator(
    State(chat): State<Shared<ChatState>>,
    ApiJson(body): ApiJson<Promotion>,
) -> Result<Response, Problem> {
    let id = user_id(body.user_id)?;
    let is_moderator = body
        .is_moderator
        .ok_or_else(|| Problem::BadRequest("the body has no \"isModerator\"".into()))?;
    let actor = Actor::operator();
    let is_there = chat.room.set_moderator(&id, is_moderator, actor).await?;
    answered(is_there, "changed")
}

/// An address to be kept out or let in.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Address {
    #[schema(value_type = String)]
    value: Option<String>,
    #[serde(default)]
    notes: String,
}

/// `POST /api/admin/chat/users/ipbans/create`
pub(crate) async fn ban_address(
    State(chat): State<Shared<ChatState>>,
    ApiJson(body): ApiJson<Address>,
) -> Result<Response, Problem> {
    let text = body.value.unwrap_or_default();
    let address: IpAddr = text.trim().parse().map_err(|_| {
        let sentence = sentences::NOT_AN_ADDRESS.with([text.trim().into()]);
        Problem::BadRequest(format!("{text:?} is not an IP address such as 203.0.113.7"))
            .worded(sentence)
    })?;
    let note = match body.notes.trim() {
        "" => "manually added".to_owned(),
        note => note.chars().take(200).collect(),
    };
    let actor = Actor::operator();
    if !chat.room.ban_address(address, note, actor).await? {
        let text = format!("{address} is already banned, or the list is full");
        let sentence = sentences::ADDRESS_BANNED.with([address.to_string().into()]);
        return Err(Problem::BadRequest(text).worded(sentence));
    }
    Ok(done("address banned"))
}

/// `POST /api/admin/chat/users/ipbans/remove`
pub(crate) async fn unban_address(
    State(chat): State<Shared<ChatState>>,
    ApiJson(body): ApiJson<Address>,
) -> Result<Response, Problem> {
    let address = body
        .value
        .ok_or_else(|| Problem::BadRequest("the body has no \"value\"".into()))?;
    let actor = Actor::operator();
    chat.room.unban_address(address.trim(), actor).await?;
    Ok(done("address unbanned"))
}

/// Somebody to be forgotten.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Forgetting)]
pub(crate) struct DeleteUserRequest {
    #[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    user_id: Option<String>,
}

/// `POST /api/admin/users/delete`
pub(crate) async fn delete_user(
    State(bots): State<Shared<BotState>>,
    State(chat): State<Shared<ChatState>>,
    ApiJson(body): ApiJson<DeleteUserRequest>,
) -> Result<Response, Problem> {
    let id = user_id(body.user_id)?;
    let is_there = chat.room.delete_user(&id, Actor::operator()).await?;
    bots.tokens.doubt();
    answered(is_there, "user deleted")
}
