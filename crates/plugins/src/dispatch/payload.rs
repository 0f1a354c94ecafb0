//! Server events translated to plugin events.
//!
//! Names and member order are a contract: plugins echo what they received.

use model::chat::ChatUser;
use model::recording::Visibility;
use model::{Event, LoggedEvent, MessageId};
use serde::Serialize;

use super::listener::CHAT_MESSAGE;
use super::social::{ActorPayload, PostPayload, TargetPayload};
use crate::host::wire::{ChatMessage, User, time};

/// An event in plugin terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginEvent {
    /// Its wire name.
    pub event: &'static str,
    /// JSON text.
    pub payload: String,
}

/// Translates log entries into plugin events. It remembers state that entries omit.
#[derive(Debug)]
pub struct EventTranslator {
    title: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StreamPayload<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_at: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    summary: &'a str,
}

#[derive(Serialize)]
struct TitlePayload<'a> {
    from: &'a str,
    to: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RenamePayload<'a> {
    user: User,
    previous_name: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ModerationPayload<'a> {
    message_id: &'a str,
    visible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moderator: Option<&'a User>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConnectionPayload<'a> {
    channel: &'a str,
    connection_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a User>,
}

#[derive(Serialize)]
struct RecordingPayload<'a> {
    id: &'a str,
    title: &'a str,
    visibility: Visibility,
    /// Seconds; missing while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
}

#[derive(Serialize)]
struct EngagementPayload<'a> {
    actor: ActorPayload<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<TargetPayload<'a>>,
}

#[derive(Serialize)]
struct QuotePayload<'a> {
    actor: ActorPayload<'a>,
    target: TargetPayload<'a>,
    url: &'a str,
}

impl EventTranslator {
    /// A translator for entries from now on; `title` is the stream's at this time.
    #[must_use]
    pub fn new(title: String) -> Self {
        Self { title }
    }

    /// The plugin events for a log entry: none, one or, for lines that were moderated together, several. `summary` is
    /// the stream's, which entries do not carry.
    pub fn translate(&mut self, logged: &LoggedEvent, summary: &str) -> Vec<PluginEvent> {
        let at = || time(logged.at);
        match &logged.event {
            Event::StreamStarted { title, .. } => {
                title.clone_into(&mut self.title);
                self.stream("stream.started", Some(at()), None, summary)
            }
            Event::StreamStopped { .. } => self.stream("stream.stopped", None, Some(at()), summary),
            Event::StreamTitleChanged { title } => {
                let from = std::mem::replace(&mut self.title, title.clone());
                let to = title;
                one("stream.title.changed", &TitlePayload { from: &from, to })
            }
            Event::RecordingStarted {
                id,
                title,
                visibility,
            } => recording("recording.started", id, title, *visibility, None),
            Event::RecordingFinished {
                id,
                title,
                visibility,
                duration_ms,
            } => recording(
                "recording.finished",
                id,
                title,
                *visibility,
                Some(*duration_ms),
            ),
            Event::RecordingPublished {
                id,
                title,
                duration_ms,
            } => recording(
                "recording.published",
                id,
                title,
                Visibility::Public,
                Some(*duration_ms),
            ),
            Event::ChatMessagePosted { .. } => line(logged)
                .map(|message| one(CHAT_MESSAGE, &message))
                .unwrap_or_default(),
            Event::ChatVisibilityChanged {
                ids,
                visible,
                moderator,
            } => {
                let moderator = moderator.as_deref().map(User::from);
                let told = ids.iter();
                told.flat_map(|id| moderated(id, *visible, moderator.as_ref()))
                    .collect()
            }
            Event::ChatUserJoined { user, .. } => person("chat.user.joined", user),
            Event::ChatUserParted { user, .. } => person("chat.user.parted", user),
            Event::ChatUserRenamed { user, old_name, .. } => {
                let user = user.into();
                let previous_name = old_name;
                one(
                    "chat.user.renamed",
                    &RenamePayload {
                        user,
                        previous_name,
                    },
                )
            }
            Event::FediverseFollowed { actor, .. } => engagement("fediverse.follow", actor, None),
            Event::FediverseLiked { actor, target, .. } => {
                engagement("fediverse.like", actor, Some(target))
            }
            Event::FediverseReposted { actor, target, .. } => {
                engagement("fediverse.repost", actor, Some(target))
            }
            Event::FediverseQuoted { actor, target, url } => {
                let (actor, target) = (actor.into(), TargetPayload { url: target });
                one("fediverse.quote", &QuotePayload { actor, target, url })
            }
            Event::FediverseReplied { post } => one("fediverse.reply", &PostPayload::from(post)),
            Event::FediverseMentioned { post } => {
                one("fediverse.mention", &PostPayload::from(post))
            }
            Event::FediverseActivityReceived { json } => vec![PluginEvent {
                event: "fediverse.activity",
                payload: json.clone(),
            }],
            _ => vec![],
        }
    }

    fn stream(
        &self,
        event: &'static str,
        started_at: Option<String>,
        stopped_at: Option<String>,
        summary: &str,
    ) -> Vec<PluginEvent> {
        let told = StreamPayload {
            started_at,
            stopped_at,
            title: &self.title,
            summary,
        };
        one(event, &told)
    }
}

/// A person's line as plugins see it. Bots' lines are not delivered: bots would answer bots forever.
pub(super) fn line(logged: &LoggedEvent) -> Option<ChatMessage> {
    let Event::ChatMessagePosted {
        id,
        user,
        raw_body,
        client_id,
        ..
    } = &logged.event
    else {
        return None;
    };
    (!user.is_bot).then(|| ChatMessage {
        id: id.as_str().into(),
        user: Some(user.into()),
        client_id: Some(*client_id),
        body: raw_body.clone(),
        timestamp: time(logged.at),
    })
}

/// The event that a page started or stopped listening to a plugin's channel.
#[must_use]
pub fn sse_connection(channel: &str, connection_id: &str, user: Option<&User>) -> String {
    let told = ConnectionPayload {
        channel,
        connection_id,
        user,
    };
    serde_json::to_string(&told).unwrap_or_default()
}

fn person(event: &'static str, user: &ChatUser) -> Vec<PluginEvent> {
    one(event, &User::from(user))
}

fn recording(
    event: &'static str,
    id: &str,
    title: &str,
    visibility: Visibility,
    duration_ms: Option<i64>,
) -> Vec<PluginEvent> {
    let payload = RecordingPayload {
        id,
        title,
        visibility,
        duration: duration_ms.map(|ms| ms as f64 / 1000.0),
    };
    one(event, &payload)
}

fn moderated(id: &MessageId, visible: bool, moderator: Option<&User>) -> Vec<PluginEvent> {
    let message_id = id.as_str();
    one(
        "chat.message.moderated",
        &ModerationPayload {
            message_id,
            visible,
            moderator,
        },
    )
}

fn engagement(
    event: &'static str,
    actor: &model::fediverse::RemoteActor,
    target: Option<&String>,
) -> Vec<PluginEvent> {
    let target = target.map(|url| TargetPayload { url });
    let actor = actor.into();
    one(event, &EngagementPayload { actor, target })
}

fn one<T: Serialize>(event: &'static str, payload: &T) -> Vec<PluginEvent> {
    let written = serde_json::to_string(payload);
    written.map_or_else(|_| vec![], |payload| vec![PluginEvent { event, payload }])
}

#[cfg(test)]
mod tests;
