//! Facts of the server in the words plugins know.
//!
//! Names and the order of members are promises: plugins echo what they got.

use std::fmt::Debug;

use model::chat::ChatUser;
use model::{Event, LoggedEvent, MessageId};
use serde::Serialize;

use super::listener::CHAT_MESSAGE;
use super::social::{Actor, Post, Target};
use crate::host::wire::{ChatMessage, User, time};

/// What is on at the moment, for facts that do not carry it.
pub trait Scene: Debug + Send + Sync {
    /// The stream's title.
    fn title(&self) -> String;
    /// What the stream is about.
    fn summary(&self) -> String;
}

/// An event in the words of plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// Its name on the wire.
    pub event: &'static str,
    /// JSON text.
    pub payload: String,
}

/// Finds words for facts. It remembers what facts leave out.
#[derive(Debug)]
pub struct Words<'a> {
    scene: &'a dyn Scene,
    title: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stream<'a> {
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
struct Title<'a> {
    from: &'a str,
    to: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rename<'a> {
    user: User,
    previous_name: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Moderation<'a> {
    message_id: &'a str,
    visible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moderator: Option<&'a User>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Connection<'a> {
    channel: &'a str,
    connection_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a User>,
}

#[derive(Serialize)]
struct Engagement<'a> {
    actor: Actor<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target<'a>>,
}

#[derive(Serialize)]
struct Quote<'a> {
    actor: Actor<'a>,
    target: Target<'a>,
    url: &'a str,
}

impl<'a> Words<'a> {
    /// Words for facts from now on.
    #[must_use]
    pub fn new(scene: &'a dyn Scene) -> Self {
        let title = scene.title();
        Self { scene, title }
    }

    /// What plugins are told of a fact: nothing, one event or, for lines that were moderated together, several.
    pub fn tell(&mut self, logged: &LoggedEvent) -> Vec<Telling> {
        let at = || time(logged.at);
        match &logged.event {
            Event::StreamStarted { title, .. } => {
                title.clone_into(&mut self.title);
                self.stream("stream.started", Some(at()), None)
            }
            Event::StreamStopped { .. } => self.stream("stream.stopped", None, Some(at())),
            Event::StreamTitleChanged { title } => {
                let from = std::mem::replace(&mut self.title, title.clone());
                let to = title;
                one("stream.title.changed", &Title { from: &from, to })
            }
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
                    &Rename {
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
                let (actor, target) = (actor.into(), Target { url: target });
                one("fediverse.quote", &Quote { actor, target, url })
            }
            Event::FediverseReplied { post } => one("fediverse.reply", &Post::from(post)),
            Event::FediverseMentioned { post } => one("fediverse.mention", &Post::from(post)),
            Event::FediverseActivityReceived { json } => vec![Telling {
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
    ) -> Vec<Telling> {
        let summary = self.scene.summary();
        let told = Stream {
            started_at,
            stopped_at,
            title: &self.title,
            summary: &summary,
        };
        one(event, &told)
    }
}

/// A line a person wrote, as plugins see it. What bots say is told to nobody: bots would answer bots for ever.
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

/// A page began or ceased to listen to a plugin's channel.
#[must_use]
pub fn sse_connection(channel: &str, connection_id: &str, user: Option<&User>) -> String {
    let told = Connection {
        channel,
        connection_id,
        user,
    };
    serde_json::to_string(&told).unwrap_or_default()
}

fn person(event: &'static str, user: &ChatUser) -> Vec<Telling> {
    one(event, &User::from(user))
}

fn moderated(id: &MessageId, visible: bool, moderator: Option<&User>) -> Vec<Telling> {
    let message_id = id.as_str();
    one(
        "chat.message.moderated",
        &Moderation {
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
) -> Vec<Telling> {
    let target = target.map(|url| Target { url });
    let actor = actor.into();
    one(event, &Engagement { actor, target })
}

fn one<T: Serialize>(event: &'static str, payload: &T) -> Vec<Telling> {
    let written = serde_json::to_string(payload);
    written.map_or_else(|_| vec![], |payload| vec![Telling { event, payload }])
}

#[cfg(test)]
mod tests;
