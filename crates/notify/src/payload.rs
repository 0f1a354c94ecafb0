//! The bodies of webhooks, which another crate builds.

use std::fmt::Debug;

use model::LoggedEvent;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookPayload {
    /// One of [`crate::EVENT_NAMES`].
    pub kind: &'static str,
    /// The whole JSON document, with `type` and `eventData`.
    pub body: String,
}

/// Builds the payload of each event. Every webhook waits for it, so it must be quick and do no IO.
pub trait PayloadBuilder: Debug + Send + Sync + 'static {
    /// The payload of an event; `None` for events no webhook can subscribe to.
    fn payload(&self, event: &LoggedEvent) -> Option<WebhookPayload>;

    /// A sample event of this kind, for testing a receiver.
    fn sample(&self, kind: &str) -> Option<WebhookPayload>;
}
