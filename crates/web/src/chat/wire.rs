//! The chat's JSON, in and out.

use bytes::Bytes;
use chat::{ChatEvent, ChatEventKind, ClientMessage, ListenerState, Notice, PastLine, PinnedLine};
use jiff::Timestamp;
use model::MessageId;
use model::chat::ChatUser;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Card, ChatMessage, Reply, User, UserKind};
use utoipa::ToSchema;

/// Bytes of a frame that are read at all; a longer one ends the connection.
pub(crate) const MAX_FRAME_BYTES: usize = 4096;
/// Limit (viewers): size of a WebSocket frame from a chat client; a larger one is refused, and one above
/// [`MAX_FRAME_BYTES`] closes the connection.
pub(crate) const MAX_PAYLOAD_BYTES: usize = 2048;

/// A person or bot as every client knows them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = User)]
pub(crate) struct WireUser<'a> {
    id: &'a str,
    display_name: &'a str,
    /// From 0 to 7; pages choose the colours.
    display_color: i64,
    created_at: Timestamp,
    /// Former names, oldest first, the present one last.
    #[schema(value_type = Vec<String>)]
    previous_names: &'a [String],
    is_bot: bool,
    /// Signed in with another identity.
    authenticated: bool,
    /// `MODERATOR`, for those who are.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<String>)]
    scopes: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name_changed_at: Option<Timestamp>,
    /// Banned since; moderators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    disabled_at: Option<Timestamp>,
    /// Has to be silent until then; moderators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    muted_until: Option<Timestamp>,
    /// Why they are banned, as a moderator wrote; moderators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    disabled_reason: Option<&'a str>,
    /// When the ban is over, if it has an end; moderators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    disabled_until: Option<Timestamp>,
    /// Why they have to be silent, as a moderator wrote; moderators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    muted_reason: Option<&'a str>,
    /// What they signed in with; the operator only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) auth_providers: Option<Vec<String>>,
}

impl WireUser<'_> {
    /// Whose former names end with the one before the present.
    pub(crate) fn before_rename(mut self) -> Self {
        if let [former @ .., last] = self.previous_names
            && last == self.display_name
        {
            self.previous_names = former;
        }
        self
    }
}

impl<'a> From<&'a ChatUser> for WireUser<'a> {
    fn from(user: &'a ChatUser) -> Self {
        Self {
            id: user.id.as_str(),
            display_name: &user.display_name,
            display_color: user.display_color,
            created_at: user.created_at,
            previous_names: &user.previous_names,
            is_bot: user.is_bot,
            authenticated: user.is_authenticated,
            scopes: scopes(user.is_moderator),
            name_changed_at: user.name_changed_at,
            disabled_at: None,
            muted_until: None,
            disabled_reason: None,
            disabled_until: None,
            muted_reason: None,
            auth_providers: None,
        }
    }
}

/// A stored user, with what only moderators see.
impl<'a> From<&'a User> for WireUser<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            id: user.id.as_str(),
            display_name: &user.display_name,
            display_color: user.display_color,
            created_at: user.created_at,
            previous_names: &user.previous_names,
            is_bot: user.kind == UserKind::Api,
            authenticated: user.authenticated_at.is_some(),
            scopes: scopes(user.is_moderator),
            name_changed_at: user.name_changed_at,
            disabled_at: user.disabled_at,
            muted_until: user.muted_until,
            disabled_reason: user.disabled_reason.as_deref(),
            disabled_until: user.disabled_until,
            muted_reason: user.muted_reason.as_deref(),
            auth_providers: None,
        }
    }
}

fn scopes(is_moderator: bool) -> &'static [&'static str] {
    if is_moderator { &["MODERATOR"] } else { &[] }
}

/// A line of the chat, as its history and its moderators know it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatLine)]
pub(crate) struct WireLine<'a> {
    #[schema(value_type = String)]
    pub(crate) id: &'a MessageId,
    pub(crate) timestamp: Timestamp,
    /// `CHAT`; moderators also see other kinds.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// Who wrote it; `null` for lines of the server itself.
    #[schema(required = true)]
    pub(crate) user: Option<WireUser<'a>>,
    /// Sanitised HTML.
    pub(crate) body: &'a str,
    /// Hidden since; moderators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) hidden_at: Option<Timestamp>,
    /// Deleted by its author since; moderators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) deleted_at: Option<Timestamp>,
    /// Above the chat since; moderators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) pinned_at: Option<Timestamp>,
    /// The line it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) in_reply_to: Option<WireReply<'a>>,
}

/// The line that a line answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatReply)]
pub(crate) struct WireReply<'a> {
    #[schema(value_type = String)]
    id: &'a MessageId,
    /// Who wrote it, as they were called then.
    display_name: &'a str,
    /// How it begins, without markup.
    excerpt: &'a str,
}

impl<'a> From<&'a Reply> for WireReply<'a> {
    fn from(reply: &'a Reply) -> Self {
        Self {
            id: &reply.id,
            display_name: &reply.display_name,
            excerpt: &reply.excerpt,
        }
    }
}

/// A line of the history.
impl<'a> From<&'a PastLine> for WireLine<'a> {
    fn from(line: &'a PastLine) -> Self {
        Self {
            id: &line.id,
            timestamp: line.at,
            kind: "CHAT",
            user: Some(WireUser::from(&*line.user)),
            body: &line.body,
            hidden_at: None,
            deleted_at: None,
            pinned_at: None,
            in_reply_to: line.reply.as_ref().map(WireReply::from),
        }
    }
}

/// A line as moderators see it.
impl<'a> From<&'a ChatMessage> for WireLine<'a> {
    fn from(message: &'a ChatMessage) -> Self {
        Self {
            id: &message.id,
            timestamp: message.at,
            kind: message.kind.as_str(),
            user: message.user.as_ref().map(WireUser::from),
            body: &message.body,
            hidden_at: message.hidden_at,
            deleted_at: message.deleted_at,
            pinned_at: None,
            in_reply_to: message.reply.as_ref().map(WireReply::from),
        }
    }
}

/// The message that stands above the chat.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WirePin<'a> {
    message: WireLine<'a>,
    /// The name of who pinned it.
    pinned_by: &'a str,
    pinned_at: Timestamp,
}

impl<'a> From<&'a PinnedLine> for WirePin<'a> {
    fn from(pinned: &'a PinnedLine) -> Self {
        Self {
            message: WireLine::from(&pinned.line),
            pinned_by: &pinned.pinned_by,
            pinned_at: pinned.pinned_at,
        }
    }
}

/// An event as one JSON document.
pub fn encode(event: &ChatEvent) -> Bytes {
    let mut document = body(&event.kind);
    if let Some(fields) = document.as_object_mut() {
        fields.insert("id".into(), json!(event.id));
        fields.insert("timestamp".into(), json!(event.at));
    }
    Bytes::from(document.to_string())
}

fn body(kind: &ChatEventKind) -> Value {
    match kind {
        ChatEventKind::Identity(state) => identity(state),
        ChatEventKind::Joined(user) => json!({ "type": "USER_JOINED", "user": wire(user) }),
        ChatEventKind::Parted(user) => json!({ "type": "USER_PARTED", "user": wire(user) }),
        ChatEventKind::Renamed { user, old_name } => {
            json!({ "type": "NAME_CHANGE", "user": wire(user), "oldName": old_name })
        }
        ChatEventKind::Line { user, body, reply } => {
            let line = json!({ "type": "CHAT", "user": wire(user), "body": body, "visible": true });
            with_reply(line, reply.as_ref())
        }
        ChatEventKind::System { body, server_name } => {
            json!({ "type": "SYSTEM", "body": body, "user": { "displayName": server_name } })
        }
        ChatEventKind::Action {
            user,
            body,
            notice,
            sentence,
        } => {
            let mut action = action(body, notice.as_ref());
            if let Some(sentence) = sentence {
                action["code"] = json!(sentence.code());
                action["params"] = json!(sentence.params());
            }
            if let Some(user) = user {
                action["user"] = json!(wire(user));
            }
            action
        }
        ChatEventKind::Engagement {
            kind,
            body,
            card,
            server_name,
        } => {
            let Card { title, image, link } = card;
            let user = json!({ "displayName": server_name });
            json!({
                "type": kind.as_str(), "body": body, "title": title, "image": image, "link": link, "user": user,
            })
        }
        ChatEventKind::Pinned(pinned) => {
            json!({ "type": "PINNED_MESSAGE", "pinned": pinned.as_deref().map(WirePin::from) })
        }
        ChatEventKind::Visibility {
            ids,
            visible,
            by_author,
        } => {
            let mut update = json!({ "type": "VISIBILITY-UPDATE", "ids": ids, "visible": visible });
            if *by_author {
                update["deletedByAuthor"] = json!(true);
            }
            update
        }
        ChatEventKind::Banned { reason, until } => {
            let mut banned = json!({ "type": "ERROR_USER_DISABLED", "user": null });
            if let Some(reason) = reason {
                banned["reason"] = json!(reason);
            }
            if let Some(until) = until {
                banned["until"] = json!(until);
            }
            banned
        }
    }
}

fn wire(user: &ChatUser) -> WireUser<'_> {
    WireUser::from(user)
}

fn identity(state: &ListenerState) -> Value {
    let mut info = json!({ "type": "CONNECTED_USER_INFO", "user": wire(&state.user) });
    if let Some(seconds) = state.muted_seconds {
        info["mutedForSeconds"] = json!(seconds);
        if let Some(reason) = &state.muted_reason {
            info["mutedReason"] = json!(reason);
        }
    }
    if let Some(seconds) = state.slow_mode_seconds {
        info["slowModeForSeconds"] = json!(seconds);
    }
    if let Some(pinned) = &state.pinned {
        info["pinned"] = json!(WirePin::from(&**pinned));
    }
    info
}

fn action(body: &str, notice: Option<&Notice>) -> Value {
    let mut action = json!({ "type": "CHAT_ACTION", "body": body });
    let (name, seconds) = match notice {
        None => return action,
        Some(Notice::Flood) => ("flood", None),
        Some(Notice::Muted(seconds)) => ("muted", *seconds),
        Some(Notice::SlowMode(seconds)) => ("slow-mode", Some(*seconds)),
        Some(Notice::Held) => ("held", None),
        Some(Notice::Refused | Notice::BlockedWord(_)) => ("refused", None),
        Some(Notice::Name) => ("name", None),
    };
    action["notice"] = json!(name);
    if let Some(seconds) = seconds {
        action["retryAfterSeconds"] = json!(seconds);
    }
    if let Some(Notice::BlockedWord(word)) = notice {
        action["blockedWord"] = json!(word);
    }
    action
}

fn with_reply(mut line: Value, reply: Option<&Reply>) -> Value {
    if let Some(reply) = reply {
        line["inReplyTo"] = json!(reply);
    }
    line
}

/// What clients send; anything else is nothing.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "type")]
#[schema(as = Said)]
pub(crate) enum WireClientMessage {
    /// A line of the chat.
    #[serde(rename = "CHAT", rename_all = "camelCase")]
    Chat {
        /// Markdown.
        #[serde(default)]
        body: String,
        /// The id of the line it answers.
        in_reply_to: Option<String>,
    },
    /// Another name.
    #[serde(rename = "NAME_CHANGE", rename_all = "camelCase")]
    NameChange { new_name: String },
    /// Another colour, from 0 to 7.
    #[serde(rename = "COLOR_CHANGE", rename_all = "camelCase")]
    ColorChange { new_color: i64 },
}

/// What a frame says; it may hold several documents.
pub(crate) fn read(frame: &str) -> Vec<ClientMessage> {
    let documents = serde_json::Deserializer::from_str(frame).into_iter::<Value>();
    let said = documents.map(|document| match document.and_then(serde_json::from_value) {
        Ok(WireClientMessage::Chat { body, in_reply_to }) => ClientMessage::Line {
            body,
            reply_to: in_reply_to,
        },
        Ok(WireClientMessage::NameChange { new_name }) => ClientMessage::Rename(new_name),
        Ok(WireClientMessage::ColorChange { new_color }) => ClientMessage::Recolor(new_color),
        // Unknown kinds are ignored, but they count against the limit.
        Err(_) => ClientMessage::Nothing,
    });
    // The rate limit allows no second one anyway.
    said.take(2).collect()
}

#[cfg(test)]
mod tests;
