//! The chat's JSON, in and out.

use bytes::Bytes;
use chat::{Heard, Notice, PastLine, Said, What};
use jiff::Timestamp;
use model::chat::ChatUser;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Card, Reply, User};

/// Bytes of a frame that are read at all; a longer one ends the connection.
pub(crate) const MAX_FRAME_BYTES: usize = 4096;
/// Bytes of a frame that is handled; a longer one is answered with a word about it.
pub(crate) const MAX_PAYLOAD_BYTES: usize = 2048;

/// A person or bot as every client knows them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireUser<'a> {
    id: &'a str,
    display_name: &'a str,
    display_color: i64,
    created_at: Timestamp,
    previous_names: &'a [String],
    is_bot: bool,
    authenticated: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    scopes: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    name_changed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    muted_until: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) auth_providers: Option<Vec<String>>,
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
            scopes: if user.is_moderator {
                &["MODERATOR"]
            } else {
                &[]
            },
            name_changed_at: user.name_changed_at,
            disabled_at: None,
            muted_until: None,
            auth_providers: None,
        }
    }
}

/// A stored user, with what only moderators see.
pub(crate) fn full_user(user: &User) -> Value {
    let public = user.public();
    json!(WireUser {
        disabled_at: user.disabled_at,
        muted_until: user.muted_until,
        ..WireUser::from(&public)
    })
}

/// What is heard, as one JSON document.
pub fn encode(heard: &Heard) -> Bytes {
    let mut document = body(&heard.what);
    if let Some(fields) = document.as_object_mut() {
        fields.insert("id".into(), json!(heard.id));
        fields.insert("timestamp".into(), json!(heard.at));
    }
    Bytes::from(document.to_string())
}

fn body(what: &What) -> Value {
    match what {
        What::Identity(user) => json!({ "type": "CONNECTED_USER_INFO", "user": wire(user) }),
        What::Joined(user) => json!({ "type": "USER_JOINED", "user": wire(user) }),
        What::Parted(user) => json!({ "type": "USER_PARTED", "user": wire(user) }),
        What::Renamed { user, old_name } => {
            json!({ "type": "NAME_CHANGE", "user": wire(user), "oldName": old_name })
        }
        What::Line { user, body, reply } => {
            let line = json!({ "type": "CHAT", "user": wire(user), "body": body, "visible": true });
            with_reply(line, reply.as_ref())
        }
        What::System { body, server_name } => {
            json!({ "type": "SYSTEM", "body": body, "user": { "displayName": server_name } })
        }
        What::Action { body, notice } => action(body, *notice),
        What::Engagement {
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
        What::Visibility { ids, visible } => {
            json!({ "type": "VISIBILITY-UPDATE", "ids": ids, "visible": visible })
        }
        What::Banned => json!({ "type": "ERROR_USER_DISABLED", "user": null }),
    }
}

fn wire(user: &ChatUser) -> WireUser<'_> {
    WireUser::from(user)
}

fn action(body: &str, notice: Option<Notice>) -> Value {
    let mut action = json!({ "type": "CHAT_ACTION", "body": body });
    let (name, seconds) = match notice {
        None => return action,
        Some(Notice::Flood) => ("flood", None),
        Some(Notice::Muted) => ("muted", None),
        Some(Notice::SlowMode(seconds)) => ("slow-mode", Some(seconds)),
        Some(Notice::Held) => ("held", None),
        Some(Notice::Refused) => ("refused", None),
        Some(Notice::Name) => ("name", None),
    };
    action["notice"] = json!(name);
    if let Some(seconds) = seconds {
        action["retryAfterSeconds"] = json!(seconds);
    }
    action
}

fn with_reply(mut line: Value, reply: Option<&Reply>) -> Value {
    if let Some(reply) = reply {
        line["inReplyTo"] = json!(reply);
    }
    line
}

/// A line of the history.
pub(crate) fn past(line: &PastLine) -> Value {
    let entry = json!({
        "id": line.id,
        "timestamp": line.at,
        "type": "CHAT",
        "user": wire(&line.user),
        "body": line.body,
    });
    with_reply(entry, line.reply.as_ref())
}

/// What clients send; anything else is nothing.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Sent {
    #[serde(rename = "CHAT", rename_all = "camelCase")]
    Chat {
        #[serde(default)]
        body: String,
        in_reply_to: Option<String>,
    },
    #[serde(rename = "NAME_CHANGE", rename_all = "camelCase")]
    NameChange { new_name: String },
    #[serde(rename = "COLOR_CHANGE", rename_all = "camelCase")]
    ColorChange { new_color: i64 },
}

/// What a frame says; it may hold several documents.
pub(crate) fn read(frame: &str) -> Vec<Said> {
    let documents = serde_json::Deserializer::from_str(frame).into_iter::<Value>();
    let said = documents.map(|document| match document.and_then(serde_json::from_value) {
        Ok(Sent::Chat { body, in_reply_to }) => Said::Line {
            body,
            reply_to: in_reply_to,
        },
        Ok(Sent::NameChange { new_name }) => Said::Rename(new_name),
        Ok(Sent::ColorChange { new_color }) => Said::Recolor(new_color),
        // Unknown kinds are ignored, but they count.
        Err(_) => Said::Nothing,
    });
    // The pace lets no second one through anyway.
    said.take(2).collect()
}

#[cfg(test)]
mod tests;
