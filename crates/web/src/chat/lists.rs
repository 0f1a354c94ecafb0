//! Lists for moderators and the operator.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use chat::{ConnectionInfo, Transport};
use http::StatusCode;
use jiff::Timestamp;
use model::{MessageId, UserId};
use serde::{Deserialize, Serialize};
use store::{LogEntry, MAX_PAGE, User, UserFilter};
use utoipa::{IntoParams, ToSchema};

use super::wire::{WireLine, WireUser};
use crate::openapi::words;
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Lines of one person that a moderator is shown.
const SHOWN_LINES: u32 = 200;
/// Entries of the log of actions that are shown.
const SHOWN_ACTIONS: u32 = 200;
/// Users on a page of the list, unless asked otherwise.
const USUAL_PAGE: u32 = 50;

pub(super) fn list<T: Serialize>(entries: impl Iterator<Item = T>) -> Response {
    let entries: Vec<T> = entries.collect();
    (NO_CACHE, Json(entries)).into_response()
}

/// `GET /api/admin/chat/held`
pub(crate) async fn held(State(app): State<App>) -> Result<Response, Problem> {
    let messages = app.store.held_messages().await?;
    Ok(list(messages.iter().map(WireLine::from)))
}

/// `GET /api/chat/held`
pub(crate) async fn held_for_moderator(state: State<App>) -> Result<Response, Problem> {
    held(state).await
}

/// `GET /api/admin/chat/messages`
pub(crate) async fn messages(State(app): State<App>) -> Result<Response, Problem> {
    let messages = app.store.all_messages().await?;
    let pinned = app.chat.room.pinned();
    let lines = messages.iter().map(|message| {
        let pin = pinned.as_ref().filter(|pin| pin.line.id == message.id);
        WireLine {
            pinned_at: pin.map(|pin| pin.pinned_at),
            ..WireLine::from(message)
        }
    });
    Ok(list(lines))
}

fn transport(connection: &ConnectionInfo) -> &'static str {
    match connection.transport {
        Transport::WebSocket => "websocket",
        Transport::Events => "sse",
    }
}

/// A connection to the chat.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatClient<'a> {
    /// Where messages to this one connection are sent.
    id: u64,
    connected_at: Timestamp,
    user: WireUser<'a>,
    /// Always `null`: the server has no database of places.
    #[schema(required = true, value_type = Option<Object>)]
    geo: Option<()>,
    user_agent: &'a str,
    /// Lines that came from it.
    message_count: u32,
}

/// A connection, with what is for the operator alone.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LocatedChatClient)]
pub(crate) struct LocatedClient<'a> {
    #[serde(flatten)]
    client: ChatClient<'a>,
    ip_address: String,
    #[schema(schema_with = words::transport)]
    transport: &'static str,
}

impl<'a> From<&'a ConnectionInfo> for ChatClient<'a> {
    fn from(connection: &'a ConnectionInfo) -> Self {
        Self {
            id: connection.client_id,
            connected_at: connection.since,
            user: WireUser::from(&*connection.user),
            geo: None,
            user_agent: &connection.user_agent,
            message_count: connection.lines,
        }
    }
}

/// Every connection at every machine, oldest first.
async fn all_connections(app: &App) -> Vec<ConnectionInfo> {
    let mut connections = app.chat.room.connections().await;
    if let Some(cluster) = &app.cluster {
        connections.extend(cluster.connections().await);
        connections.sort_by_key(|connection| (connection.since, connection.client_id));
    }
    connections
}

/// `GET /api/admin/chat/clients`
pub(crate) async fn clients(State(app): State<App>) -> Response {
    let connections = all_connections(&app).await;
    list(connections.iter().map(|connection| LocatedClient {
        client: ChatClient::from(connection),
        ip_address: connection.address.to_string(),
        transport: transport(connection),
    }))
}

/// Every connection, without addresses.
pub(crate) async fn clients_without_addresses(app: &App) -> Response {
    let connections = all_connections(app).await;
    list(connections.iter().map(ChatClient::from))
}

/// Everything about somebody that a moderator may know.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserDetails<'a> {
    user: WireUser<'a>,
    connected_clients: Vec<TheirClient<'a>>,
    /// Newest first, hidden ones too.
    messages: Vec<TheirLine<'a>>,
}

/// A connection of theirs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ClientOfUser)]
pub(crate) struct TheirClient<'a> {
    id: u64,
    connected_at: Timestamp,
    user_agent: &'a str,
    message_count: u32,
}

/// A line of theirs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LineOfUser)]
pub(crate) struct TheirLine<'a> {
    timestamp: Timestamp,
    #[schema(value_type = String)]
    id: &'a MessageId,
    /// Sanitised HTML.
    body: &'a str,
    /// Hidden since.
    #[serde(rename = "hiddenAt", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    hidden_at: Option<Timestamp>,
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
    let messages = messages.iter().map(|message| TheirLine {
        timestamp: message.at,
        id: &message.id,
        body: &message.body,
        hidden_at: message.hidden_at,
    });
    let connections = all_connections(app).await;
    let theirs = connections.iter().filter(|one| one.user.id == user.id);
    let theirs = theirs.map(|connection| TheirClient {
        id: connection.client_id,
        connected_at: connection.since,
        user_agent: &connection.user_agent,
        message_count: connection.lines,
    });
    let details = UserDetails {
        user: WireUser::from(&user),
        connected_clients: theirs.collect(),
        messages: messages.collect(),
    };
    Ok((NO_CACHE, Json(details)).into_response())
}

fn users_list(users: &[User]) -> Response {
    list(users.iter().map(WireUser::from))
}

/// `GET /api/admin/chat/users/disabled`
pub(crate) async fn users_banned(State(app): State<App>) -> Result<Response, Problem> {
    Ok(users_list(&app.store.banned_users().await?))
}

/// `GET /api/admin/chat/users/moderators`
pub(crate) async fn moderators(State(app): State<App>) -> Result<Response, Problem> {
    Ok(users_list(&app.store.moderators().await?))
}

/// An address that is kept out.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AddressBan)]
pub(crate) struct BannedAddress {
    ip_address: String,
    /// Why.
    notes: String,
    created_at: Timestamp,
}

/// `GET /api/admin/chat/users/ipbans`
pub(crate) async fn address_bans(State(app): State<App>) -> Result<Response, Problem> {
    let bans = app.store.address_bans().await?;
    Ok(list(bans.into_iter().map(|ban| BannedAddress {
        ip_address: ban.address,
        notes: ban.note,
        created_at: ban.created_at,
    })))
}

/// Which users to list.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct UsersQuery {
    /// How many to leave out.
    #[serde(default)]
    #[param(maximum = 2_147_483_647)]
    offset: u32,
    /// How many to list, 50 unless asked otherwise.
    #[serde(default = "usual_page")]
    limit: u32,
    /// A part of a name or an id.
    #[serde(default)]
    search: String,
    /// `all`, `active` or `bots`.
    #[serde(default)]
    #[param(pattern = "^(all|active|bots)?$")]
    status: String,
    /// `asc` for the oldest first.
    #[serde(default)]
    sort: String,
}

/// A page of the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UsersPage<'a> {
    /// How many there are in all.
    pub(super) total: i64,
    pub(super) results: Vec<WireUser<'a>>,
}

fn usual_page() -> u32 {
    USUAL_PAGE
}

/// `GET /api/admin/users`
pub(crate) async fn users(
    State(app): State<App>,
    query: Result<Query<UsersQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Problem> {
    let Query(query) = query.map_err(|error| Problem::BadRequest(error.body_text()))?;
    let filter = match query.status.as_str() {
        "" | "all" => UserFilter::All,
        "active" => UserFilter::Active,
        "bots" => UserFilter::Bots,
        other => {
            let text = format!("\"status\" is {other:?}, but must be all, active or bots");
            return Err(Problem::BadRequest(text));
        }
    };
    if i32::try_from(query.offset).is_err() {
        let text = format!("\"offset\" is more than {}", i32::MAX);
        return Err(Problem::BadRequest(text));
    }
    let is_oldest_first = query.sort == "asc";
    let limit = query.limit.min(MAX_PAGE);
    let page = app
        .store
        .users_page(filter, &query.search, is_oldest_first, query.offset, limit)
        .await?;
    let mut results = Vec::with_capacity(page.users.len());
    for user in &page.users {
        let mut entry = WireUser::from(user);
        if user.authenticated_at.is_some() {
            entry.auth_providers = Some(app.store.providers_of(&user.id).await?);
        }
        results.push(entry);
    }
    let answer = UsersPage {
        total: page.total,
        results,
    };
    Ok((NO_CACHE, Json(answer)).into_response())
}

/// Something that a moderator did.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ModerationEntry)]
pub(crate) struct LoggedAction {
    at: Timestamp,
    actor: String,
    actor_name: String,
    action: String,
    /// A user, a message or an address.
    target: String,
    /// The user's name then, if it is about one.
    target_name: String,
    detail: String,
    /// What the moderator wrote about it.
    reason: String,
    /// Its position: newer entries have higher ones.
    seq: i64,
}

impl From<LogEntry> for LoggedAction {
    fn from(entry: LogEntry) -> Self {
        Self {
            at: entry.at,
            actor: entry.actor.id,
            actor_name: entry.actor.name,
            action: entry.action,
            target: entry.target,
            target_name: entry.target_name,
            detail: entry.detail,
            reason: entry.reason,
            seq: entry.seq,
        }
    }
}

/// `GET /api/admin/chat/log`
pub(crate) async fn log(State(app): State<App>) -> Result<Response, Problem> {
    let entries = app.store.moderation_log(SHOWN_ACTIONS).await?;
    Ok(list(entries.into_iter().map(LoggedAction::from)))
}
