//! Events as sent to bots, overlays and webhooks: `{"type": …, "eventData": {…}}`.

mod fediverse;
mod recording;

use std::borrow::Cow;

use jiff::Timestamp;
use model::chat::ChatUser;
use model::settings::Layers;
use model::settings::table::{NAME, SERVER_URL, SUMMARY};
use model::{Event, LoggedEvent, MessageId, StreamStatus};
use serde::Serialize;
use store::settings::Settings;
use tokio::sync::watch;

use crate::chat::WireUser;
use crate::full_status::FullStatus;

pub(crate) use fediverse::{SOCKET_KINDS, is_for_admins};

/// An event to be sent.
#[derive(Debug, Serialize)]
pub(crate) struct EventPayload<'a> {
    /// The kind of event, as existing bots call it.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    #[serde(rename = "eventData")]
    pub(crate) data: EventData<'a>,
    #[serde(skip)]
    pub(crate) audience: EventAudience,
}

/// Who receives an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventAudience {
    /// Webhooks and every listening bot.
    Everybody,
    /// Listening bots. Webhooks never get what came through the integrations API, or two bots could answer each other
    /// forever.
    Bots,
    /// Bots that may do everything.
    Admins,
}

/// The part common to all events.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventData<'a> {
    id: Cow<'a, str>,
    timestamp: Timestamp,
    /// Missing in events from elsewhere, which have nothing to do with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<FullStatus>,
    /// Omitted if the operator has not set it.
    #[serde(rename = "serverURL", skip_serializing_if = "String::is_empty")]
    server_url: String,
    #[serde(flatten)]
    detail: EventDetail<'a>,
}

/// The part specific to one kind of event.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum EventDetail<'a> {
    Line {
        user: WireUser<'a>,
        body: &'a str,
        raw_body: &'a str,
        #[serde(skip_serializing_if = "is_nobody")]
        client_id: u64,
        visible: bool,
    },
    Rename {
        user: WireUser<'a>,
        new_name: &'a str,
        old_name: &'a str,
        client_id: u64,
    },
    Presence {
        user: WireUser<'a>,
        client_id: u64,
    },
    Visibility {
        user: Option<WireUser<'a>>,
        /// Empty; older bots expect the field.
        body: &'static str,
        visible: bool,
        ids: &'a [MessageId],
        /// The name older bots use.
        #[serde(rename = "Visible")]
        old_visible: bool,
        #[serde(rename = "MessageIDs")]
        old_ids: &'a [MessageId],
    },
    Stream {
        name: String,
        summary: String,
        stream_title: String,
    },
    Recording {
        recording: recording::RecordingFacts<'a>,
    },
    Fediverse(fediverse::FediverseDetail<'a>),
}

fn is_nobody(client_id: &u64) -> bool {
    *client_id == 0
}

/// What is needed to build payloads; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct EventPayloadBuilder {
    settings: Settings,
    stream: watch::Receiver<StreamStatus>,
}

impl EventPayloadBuilder {
    pub(crate) fn new(settings: Settings, stream: watch::Receiver<StreamStatus>) -> Self {
        Self { settings, stream }
    }

    /// The payload of an event; `None` if it is not for others.
    pub(crate) fn payload<'a>(&self, fact: &'a LoggedEvent) -> Option<EventPayload<'a>> {
        let settings = self.settings.now();
        let (kind, detail, audience) = describe(&settings, &fact.event)?;
        let id = match &fact.event {
            Event::ChatMessagePosted { id, .. } => Cow::Borrowed(id.as_str()),
            _ => Cow::Owned(format!("e{}", fact.seq)),
        };
        let status = match detail {
            EventDetail::Fediverse(_) => None,
            _ => Some(FullStatus::of(&settings, &self.stream.borrow())),
        };
        Some(EventPayload {
            kind,
            data: EventData {
                id,
                timestamp: fact.at,
                status,
                server_url: settings.get(&SERVER_URL).clone(),
                detail,
            },
            audience,
        })
    }
}

fn describe<'a>(
    settings: &Layers,
    event: &'a Event,
) -> Option<(&'static str, EventDetail<'a>, EventAudience)> {
    if let Some((kind, detail, audience)) = fediverse::describe(event) {
        return Some((kind, EventDetail::Fediverse(detail), audience));
    }
    if let Some((kind, recording)) = recording::describe(event, settings.text(&SERVER_URL)) {
        let detail = EventDetail::Recording { recording };
        return Some((kind, detail, EventAudience::Everybody));
    }
    let audience = match event {
        Event::ChatMessagePosted { user, .. } if user.is_bot => EventAudience::Bots,
        _ => EventAudience::Everybody,
    };
    let (kind, detail) = match event {
        Event::ChatMessagePosted {
            user,
            body,
            raw_body,
            client_id,
            ..
        } => {
            let line = EventDetail::Line {
                user: user.into(),
                body,
                raw_body,
                client_id: *client_id,
                visible: true,
            };
            ("CHAT", line)
        }
        Event::ChatUserRenamed {
            user,
            old_name,
            client_id,
        } => {
            let rename = EventDetail::Rename {
                // Bots take the last of these as the old name.
                user: WireUser::from(user).before_rename(),
                new_name: &user.display_name,
                old_name,
                client_id: *client_id,
            };
            ("NAME_CHANGE", rename)
        }
        Event::ChatUserJoined {
            user,
            client_id,
            is_live: true,
        } => ("USER_JOINED", presence(user, *client_id)),
        Event::ChatUserParted { user, client_id } => ("USER_PARTED", presence(user, *client_id)),
        Event::ChatVisibilityChanged { ids, visible, .. } => {
            let visibility = EventDetail::Visibility {
                user: None,
                body: "",
                visible: *visible,
                ids,
                old_visible: *visible,
                old_ids: ids,
            };
            ("VISIBILITY-UPDATE", visibility)
        }
        Event::StreamStarted { title, .. } => ("STREAM_STARTED", stream(settings, title)),
        Event::StreamStopped { .. } => ("STREAM_STOPPED", stream(settings, title_of(settings))),
        Event::StreamTitleChanged { title } if !title.is_empty() => {
            ("STREAM_TITLE_UPDATED", stream(settings, title))
        }
        _ => return None,
    };
    Some((kind, detail, audience))
}

fn presence(user: &ChatUser, client_id: u64) -> EventDetail<'_> {
    EventDetail::Presence {
        user: user.into(),
        client_id,
    }
}

fn title_of(settings: &Layers) -> &str {
    settings.text(&model::settings::table::STREAM_TITLE)
}

fn stream<'a>(settings: &Layers, title: &str) -> EventDetail<'a> {
    EventDetail::Stream {
        name: settings.get(&NAME).clone(),
        summary: settings.get(&SUMMARY).clone(),
        stream_title: title.to_owned(),
    }
}
