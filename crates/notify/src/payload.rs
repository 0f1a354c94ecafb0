//! The bodies of webhooks, which another crate builds.

use std::fmt::Debug;

use model::LoggedEvent;

/// The body of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookPayload {
    /// One of [`crate::EVENT_NAMES`].
    pub kind: &'static str,
    /// The whole JSON document, with `type` and `eventData`.
    pub body: String,
}

/// Builds the payload of each fact. Called on the way to everybody, so it must be quick and do no IO.
pub trait PayloadBuilder: Debug + Send + Sync + 'static {
    /// The payload of a fact; `None` for facts nobody can ask for.
    fn payload(&self, event: &LoggedEvent) -> Option<WebhookPayload>;

    /// An example of this kind, to try a receiver with.
    fn sample(&self, kind: &str) -> Option<WebhookPayload>;
}
