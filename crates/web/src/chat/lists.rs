//! What moderators and the operator see.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use chat::{Connection, Transport};
use http::StatusCode;
use model::UserId;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{MAX_PAGE, Message, User, UserFilter};

use super::wire::{WireUser, full_user};
use crate::app::App;
use crate::problem::Problem;
use crate::public::NO_CACHE;

/// Lines of one person that a moderator is shown.
const SHOWN_LINES: u32 = 200;
/// Entries of the log of actions that are shown.
const SHOWN_ACTIONS: u32 = 200;
/// Users on a page of the list, unless asked otherwise.
const USUAL_PAGE: u32 = 50;

fn stored(message: &Message) -> Value {
    let mut entry = json!({
        "id": message.id,
        "timestamp": message.at,
        "type": message.kind.as_str(),
        "user": message.user.as_ref().map(full_user),
        "body": message.body,
    });
    if let Some(at) = message.hidden_at {
        entry["hiddenAt"] = json!(at);
    }
    if let Some(reply) = &message.reply {
        entry["inReplyTo"] = json!(reply);
    }
    entry
}

fn list(entries: Vec<Value>) -> Response {
    (NO_CACHE, Json(entries)).into_response()
}

/// `GET /api/admin/chat/held`
pub(crate) async fn held(State(app): State<App>) -> Result<Response, Problem> {
    let messages = app.store.held_messages().await?;
    Ok(list(messages.iter().map(stored).collect()))
}

/// `GET /api/chat/held`
pub(crate) async fn held_for_moderator(state: State<App>) -> Result<Response, Problem> {
    held(state).await
}

/// `GET /api/admin/chat/messages`
pub(crate) async fn messages(State(app): State<App>) -> Result<Response, Problem> {
    let messages = app.store.all_messages().await?;
    Ok(list(messages.iter().map(stored).collect()))
}

fn transport(connection: &Connection) -> &'static str {
    match connection.transport {
        Transport::WebSocket => "websocket",
        Transport::Events => "sse",
    }
}

/// `GET /api/admin/chat/clients`
pub(crate) async fn clients(State(app): State<App>) -> Response {
    list(client_entries(&app, true).await)
}

/// Every connection. Addresses are for the operator alone.
pub(crate) async fn client_entries(app: &App, with_addresses: bool) -> Vec<Value> {
    let connections = app.chat.connections().await;
    let entries = connections.iter().map(|connection| {
        let mut entry = json!({
            "id": connection.client_id,
            "connectedAt": connection.since,
            "user": WireUser::from(&*connection.user),
            "geo": null,
            "userAgent": &*connection.user_agent,
            "messageCount": connection.lines,
        });
        if with_addresses {
            entry["ipAddress"] = json!(connection.address);
            entry["transport"] = json!(transport(connection));
        }
        entry
    });
    entries.collect()
}

/// `GET /api/moderation/chat/user/{userId}`
pub(crate) async fn user_details(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    user_details_of(&app, id).await
}

/// Somebody, where they are connected and what they wrote, also what is hidden.
pub(crate) async fn user_details_of(app: &App, id: String) -> Result<Response, Problem> {
    let user = match UserId::parse(id) {
        Ok(id) => app.store.user(&id).await?,
        Err(_) => None,
    };
    let Some(user) = user else {
        return Ok(StatusCode::NOT_FOUND.into_response());
    };
    let messages = app.store.messages_of(&user.id, SHOWN_LINES).await?;
    let messages: Vec<Value> = messages
        .iter()
        .map(|message| json!({ "timestamp": message.at, "id": message.id, "body": message.body }))
        .collect();
    let connections = app.chat.connections().await;
    let theirs = connections.iter().filter(|one| one.user.id == user.id);
    let theirs: Vec<Value> = theirs
        .map(|connection| {
            json!({
                "id": connection.client_id,
                "connectedAt": connection.since,
                "userAgent": &*connection.user_agent,
                "messageCount": connection.lines,
            })
        })
        .collect();
    let details =
        json!({ "user": full_user(&user), "connectedClients": theirs, "messages": messages });
    Ok((NO_CACHE, Json(details)).into_response())
}

fn users_list(users: &[User]) -> Response {
    list(users.iter().map(full_user).collect())
}

/// `GET /api/admin/chat/users/disabled`
pub(crate) async fn users_banned(State(app): State<App>) -> Result<Response, Problem> {
    Ok(users_list(&app.store.banned_users().await?))
}

/// `GET /api/admin/chat/users/moderators`
pub(crate) async fn moderators(State(app): State<App>) -> Result<Response, Problem> {
    Ok(users_list(&app.store.moderators().await?))
}

/// `GET /api/admin/chat/users/ipbans`
pub(crate) async fn address_bans(State(app): State<App>) -> Result<Response, Problem> {
    let bans = app.store.address_bans().await?;
    let entries = bans.iter().map(
        |ban| json!({ "ipAddress": ban.address, "notes": ban.note, "createdAt": ban.created_at }),
    );
    Ok(list(entries.collect()))
}

/// Which users to list.
#[derive(Debug, Deserialize)]
pub(crate) struct Listing {
    #[serde(default)]
    offset: u32,
    #[serde(default = "usual_page")]
    limit: u32,
    #[serde(default)]
    search: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    sort: String,
}

fn usual_page() -> u32 {
    USUAL_PAGE
}

/// `GET /api/admin/users`
pub(crate) async fn users(
    State(app): State<App>,
    listing: Result<Query<Listing>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problem> {
    let Query(listing) = listing.map_err(|error| Problem::BadRequest(error.body_text()))?;
    let filter = match listing.status.as_str() {
        "" | "all" => UserFilter::All,
        "active" => UserFilter::Active,
        "bots" => UserFilter::Bots,
        other => {
            let text = format!("\"status\" is {other:?}, but must be all, active or bots");
            return Err(Problem::BadRequest(text));
        }
    };
    let is_oldest_first = listing.sort == "asc";
    let limit = listing.limit.min(MAX_PAGE);
    let page = app
        .store
        .users_page(
            filter,
            &listing.search,
            is_oldest_first,
            listing.offset,
            limit,
        )
        .await?;
    let mut results = Vec::with_capacity(page.users.len());
    for user in &page.users {
        let mut entry = full_user(user);
        if user.authenticated_at.is_some() {
            entry["authProviders"] = json!(app.store.providers_of(&user.id).await?);
        }
        results.push(entry);
    }
    let answer = json!({ "total": page.total, "results": results });
    Ok((NO_CACHE, Json(answer)).into_response())
}

/// `GET /api/admin/chat/log`
pub(crate) async fn log(State(app): State<App>) -> Result<Response, Problem> {
    let entries = app.store.moderation_log(SHOWN_ACTIONS).await?;
    let entries = entries.iter().map(|entry| {
        json!({
            "at": entry.at,
            "actor": entry.actor.id,
            "actorName": entry.actor.name,
            "action": entry.action,
            "target": entry.target,
            "targetName": entry.target_name,
            "detail": entry.detail,
        })
    });
    Ok(list(entries.collect()))
}
