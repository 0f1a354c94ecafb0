//! What webhooks read about what happened.

use std::sync::Arc;

use jiff::Timestamp;
use model::chat::ChatUser;
use model::settings::table::SERVER_URL;
use model::{Clock, Event, LoggedEvent, MessageId, StreamStatus, UserId};
use notify::{Letter, Wording};
use serde::Serialize;
use store::settings::Settings;
use tokio::sync::watch;

use crate::letter::Writer;

/// The place in the log of things that never happened.
const NOWHERE: i64 = 0;
/// The one kind that is no fact of ours yet.
const FOLLOW: &str = "FEDIVERSE_ENGAGEMENT_FOLLOW";

/// Letters to webhooks: the facts bots hear of, but for what bots said themselves.
#[derive(Debug)]
pub struct Letters {
    writer: Writer,
    settings: Settings,
    clock: Arc<dyn Clock>,
}

impl Letters {
    /// About this server and this stream.
    pub fn new(
        settings: Settings,
        stream: watch::Receiver<StreamStatus>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            writer: Writer::new(settings.clone(), stream),
            settings,
            clock,
        }
    }

    fn follow_sample(&self) -> Option<Letter> {
        let kind = FOLLOW;
        let follow = Follow {
            kind,
            data: FollowData {
                id: format!("e{NOWHERE}"),
                timestamp: self.clock.now(),
                name: "Example follower",
                username: "follower@social.example",
                image: "https://social.example/follower.png",
                server_url: self.settings.now().get(&SERVER_URL).clone(),
            },
        };
        let body = serde_json::to_string(&follow).ok()?;
        Some(Letter { kind, body })
    }
}

impl Wording for Letters {
    fn letter(&self, event: &LoggedEvent) -> Option<Letter> {
        let letter = self.writer.letter(event)?;
        if !letter.is_for_webhooks {
            return None;
        }
        let body = serde_json::to_string(&letter).ok()?;
        Some(Letter {
            kind: letter.kind,
            body,
        })
    }

    fn sample(&self, kind: &str) -> Option<Letter> {
        let now = self.clock.now();
        if kind == FOLLOW {
            return self.follow_sample();
        }
        self.letter(&LoggedEvent {
            seq: NOWHERE,
            at: now,
            event: example(kind, now)?,
        })
    }
}

/// Somebody elsewhere began to follow this server.
#[derive(Debug, Serialize)]
struct Follow {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "eventData")]
    data: FollowData,
}

#[derive(Debug, Serialize)]
struct FollowData {
    id: String,
    timestamp: Timestamp,
    name: &'static str,
    username: &'static str,
    image: &'static str,
    #[serde(rename = "serverURL", skip_serializing_if = "String::is_empty")]
    server_url: String,
}

fn example(kind: &str, now: Timestamp) -> Option<Event> {
    let user = ChatUser {
        id: UserId::parse("example").ok()?,
        display_name: "Example".into(),
        display_color: 3,
        created_at: now,
        previous_names: vec!["Example".into()],
        name_changed_at: None,
        is_bot: false,
        is_authenticated: false,
        is_moderator: false,
    };
    let (message, client_id) = (MessageId::parse("example").ok()?, 1);
    let event = match kind {
        "CHAT" => Event::ChatMessagePosted {
            id: message,
            user,
            body: "<p>This is a test.</p>".into(),
            raw_body: "This is a test.".into(),
            client_id,
        },
        "NAME_CHANGE" => Event::ChatUserRenamed {
            user,
            old_name: "Sample".into(),
            client_id,
        },
        "USER_JOINED" => Event::ChatUserJoined { user, client_id },
        "USER_PARTED" => Event::ChatUserParted { user, client_id },
        "VISIBILITY-UPDATE" => Event::ChatVisibilityChanged {
            ids: vec![message],
            visible: false,
        },
        "STREAM_STARTED" => Event::StreamStarted {
            id: "example".into(),
            title: "This is a test".into(),
        },
        "STREAM_STOPPED" => Event::StreamStopped {
            id: "example".into(),
        },
        "STREAM_TITLE_UPDATED" => Event::StreamTitleChanged {
            title: "This is a test".into(),
        },
        _ => return None,
    };
    Some(event)
}
