//! Loaded plugins, as dispatch sees them.

use std::fmt::Debug;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::engine::Registration;
use crate::manifest::ChatCommand;

/// The one event that can be filtered, and the name of a line of chat.
pub(super) const CHAT_MESSAGE: &str = "chat.message.received";

/// A loaded plugin and what it asked for. Cheap to clone.
#[derive(Clone, Debug)]
pub struct EventListener {
    pub slug: Arc<str>,
    /// What it registered when it was loaded.
    pub registration: Arc<Registration>,
}

impl EventListener {
    /// As people know it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self.registration.name.as_str() {
            "" => &self.slug,
            name => name,
        }
    }

    /// Whether it is to be told of an event.
    #[must_use]
    pub fn wants(&self, event: &str) -> bool {
        let mut wanted = self.registration.subscriptions.notify.iter();
        wanted.any(|one| one.event == event)
    }

    /// Its place among the filters of chat, if it is one: lower is asked earlier.
    #[must_use]
    pub fn filter_priority(&self) -> Option<i64> {
        let filters = self.registration.subscriptions.filter.iter();
        let filters = filters.filter(|one| one.event == CHAT_MESSAGE);
        filters.map(|one| one.priority).min()
    }

    /// Commands it declared.
    #[must_use]
    pub fn commands(&self) -> &[ChatCommand] {
        &self.registration.commands
    }
}

/// An event on its way into one mailbox or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDelivery {
    /// Its name on the wire.
    pub event: Arc<str>,
    /// What the instance is handed: `{"eventType", "payload"}`.
    pub envelope: Arc<str>,
    /// How many emitted events in a row led to it; 0 for one of the server's own.
    pub depth: u8,
}

impl EventDelivery {
    /// An event of the server; `None` when the payload is no JSON.
    #[must_use]
    pub fn new(event: &str, payload: &str) -> Option<Self> {
        Self::emitted(event, payload, 0)
    }

    /// An event so many emitted ones led to; `None` when the payload is no JSON.
    #[must_use]
    pub fn emitted(event: &str, payload: &str, depth: u8) -> Option<Self> {
        Some(Self {
            event: event.into(),
            envelope: envelope(event, payload)?.into(),
            depth,
        })
    }
}

/// What an instance is handed, with the payload letter by letter.
pub(super) fn envelope(event: &str, payload: &str) -> Option<String> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Envelope<'a> {
        event_type: &'a str,
        payload: &'a RawValue,
    }
    let payload = serde_json::from_str(payload).ok()?;
    let event_type = event;
    serde_json::to_string(&Envelope {
        event_type,
        payload,
    })
    .ok()
}

/// All loaded plugins. Those that crashed or were disabled for their failures are none.
pub trait EventListeners: Debug + Send + Sync {
    /// Who is there now; taken for every event, so it must be cheap.
    fn loaded(&self) -> Arc<[EventListener]>;

    /// Puts an event into a plugin's mailbox. Never waits: a full mailbox drops and counts.
    fn deliver(&self, slug: &str, delivery: EventDelivery);
}

/// Hands an event to everybody who asked for it.
pub(super) fn broadcast(
    listeners: &dyn EventListeners,
    delivery: &EventDelivery,
    except: Option<&str>,
) {
    for listener in listeners.loaded().iter() {
        let is_meant = except != Some(&*listener.slug) && listener.wants(&delivery.event);
        if is_meant {
            listeners.deliver(&listener.slug, delivery.clone());
        }
    }
}
