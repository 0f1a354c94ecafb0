//! Payloads of webhooks.

use std::sync::Arc;

use jiff::Timestamp;
use model::chat::ChatUser;
use model::fediverse::RemoteActor;
use model::recording::Visibility;
use model::{Clock, Event, LoggedEvent, MessageId, StreamStatus, UserId};
use notify::{PayloadBuilder, WebhookPayload};
use store::settings::Settings;
use tokio::sync::watch;

use crate::event_payload::{EventAudience, EventPayloadBuilder};

/// The place in the log of things that never happened.
const NOWHERE: i64 = 0;
/// A recording that there is not.
const EXAMPLE_RECORDING: &str = "0000000000000000";

/// Builds webhook payloads: the events bots get, except for what bots said themselves.
#[derive(Debug)]
pub struct WebhookPayloads {
    payloads: EventPayloadBuilder,
    clock: Arc<dyn Clock>,
}

impl WebhookPayloads {
    /// For this server and this stream.
    pub fn new(
        settings: Settings,
        stream: watch::Receiver<StreamStatus>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            payloads: EventPayloadBuilder::new(settings, stream),
            clock,
        }
    }
}

impl PayloadBuilder for WebhookPayloads {
    fn payload(&self, event: &LoggedEvent) -> Option<WebhookPayload> {
        let payload = self.payloads.payload(event)?;
        if payload.audience != EventAudience::Everybody {
            return None;
        }
        let body = serde_json::to_string(&payload).ok()?;
        Some(WebhookPayload {
            kind: payload.kind,
            body,
        })
    }

    fn sample(&self, kind: &str) -> Option<WebhookPayload> {
        let now = self.clock.now();
        self.payload(&LoggedEvent {
            seq: NOWHERE,
            at: now,
            event: example(kind, now)?,
        })
    }
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
            reply: None,
        },
        "NAME_CHANGE" => Event::ChatUserRenamed {
            user,
            old_name: "Sample".into(),
            client_id,
        },
        "USER_JOINED" => Event::ChatUserJoined {
            user,
            client_id,
            is_live: true,
        },
        "USER_PARTED" => Event::ChatUserParted { user, client_id },
        "VISIBILITY-UPDATE" => Event::ChatVisibilityChanged {
            ids: vec![message],
            visible: false,
            moderator: None,
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
        "FEDIVERSE_ENGAGEMENT_FOLLOW" => Event::FediverseFollowed {
            actor: RemoteActor {
                iri: "https://social.example/users/follower".into(),
                name: "Example follower".into(),
                handle: "@follower@social.example".into(),
                url: None,
                image: Some("https://social.example/follower.png".into()),
            },
            is_pending: false,
        },
        "RECORDING_STARTED" => Event::RecordingStarted {
            id: EXAMPLE_RECORDING.into(),
            title: "This is a test".into(),
            visibility: Visibility::Unlisted,
        },
        "RECORDING_FINISHED" => Event::RecordingFinished {
            id: EXAMPLE_RECORDING.into(),
            title: "This is a test".into(),
            visibility: Visibility::Unlisted,
            duration_ms: 5_400_000,
        },
        "RECORDING_PUBLISHED" => Event::RecordingPublished {
            id: EXAMPLE_RECORDING.into(),
            title: "This is a test".into(),
            duration_ms: 5_400_000,
        },
        _ => return None,
    };
    Some(event)
}
