//! Loaded plugins, as dispatch sees them.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::engine::Registration;
use crate::manifest::ChatCommand;

/// The one event that can be filtered, and the name of a line of chat.
pub(super) const CHAT_MESSAGE: &str = "chat.message.received";

/// A loaded plugin and its registration. Cheap to clone.
#[derive(Clone, Debug)]
pub struct EventListener {
    pub slug: Arc<str>,
    /// Its registration from loading.
    pub registration: Arc<Registration>,
}

impl EventListener {
    /// Its display name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self.registration.name.as_str() {
            "" => &self.slug,
            name => name,
        }
    }

    /// Whether it subscribed to an event.
    #[must_use]
    pub fn wants(&self, event: &str) -> bool {
        let mut wanted = self.registration.subscriptions.notify.iter();
        wanted.any(|one| one.event == event)
    }

    /// Its priority if it filters chat: lower runs earlier.
    #[must_use]
    pub fn filter_priority(&self) -> Option<i64> {
        let filters = self.registration.subscriptions.filter.iter();
        let filters = filters.filter(|one| one.event == CHAT_MESSAGE);
        filters.map(|one| one.priority).min()
    }

    /// Its declared commands.
    #[must_use]
    pub fn commands(&self) -> &[ChatCommand] {
        &self.registration.commands
    }
}

/// An event to be put into one or more mailboxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDelivery {
    /// Its wire name.
    pub event: Arc<str>,
    /// The text passed to the instance: `{"eventType", "payload"}`.
    pub envelope: Arc<str>,
    /// How many emitted events in a row led to it; 0 for a built-in event.
    pub depth: u8,
}

impl EventDelivery {
    /// A built-in event; `None` if the payload is not JSON.
    #[must_use]
    pub fn new(event: &str, payload: &str) -> Option<Self> {
        Self::emitted(event, payload, 0)
    }

    /// An event at this emission depth; `None` if the payload is not JSON.
    #[must_use]
    pub fn emitted(event: &str, payload: &str, depth: u8) -> Option<Self> {
        Some(Self {
            event: event.into(),
            envelope: envelope(event, payload)?.into(),
            depth,
        })
    }
}

/// The text passed to an instance, with the payload verbatim.
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

/// Why a filter gave no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterError {
    /// It failed; the plugin's task counts the failure.
    Failed(String),
    /// Its plugin could not take another line: it has too much to do, or is just starting.
    Busy,
    /// It took the line and did not answer in time.
    Late,
    /// It is not loaded (any more), which is not its fault.
    Gone,
}

/// All loaded plugins, except those that crashed or were disabled for their failures; implemented by the runtime.
pub trait RunningPlugins: Debug + Send + Sync {
    /// The current listeners; called for every event, so it must be cheap.
    fn loaded(&self) -> Arc<[EventListener]>;

    /// Puts an event into a plugin's mailbox. Never waits: a full mailbox drops and counts.
    fn deliver(&self, slug: &str, delivery: EventDelivery);

    /// Asks one plugin's filter; the answer is JSON text. The future is dropped when the budget is spent.
    fn filter<'a>(
        &'a self,
        slug: &'a str,
        envelope: &'a str,
        budget: Duration,
    ) -> BoxFuture<'a, Result<String, FilterError>>;

    /// A line skipped this plugin's filter because it was busy or too slow.
    fn left_out(&self, slug: &str);
}

/// Delivers an event to every subscriber.
pub(super) fn broadcast(
    plugins: &dyn RunningPlugins,
    delivery: &EventDelivery,
    except: Option<&str>,
) {
    for listener in plugins.loaded().iter() {
        let is_meant = except != Some(&*listener.slug) && listener.wants(&delivery.event);
        if is_meant {
            plugins.deliver(&listener.slug, delivery.clone());
        }
    }
}
