//! What webhooks read about what happened.

use model::LoggedEvent;
use notify::{Letter, Wording};
use serde::Serialize;

/// Says nothing about anything, and examples without content.
#[derive(Clone, Copy, Debug)]
pub struct NoWording;

/// The whole body.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    r#type: &'static str,
    event_data: Nothing,
}

#[derive(Debug, Serialize)]
struct Nothing {}

impl Wording for NoWording {
    fn letter(&self, _event: &LoggedEvent) -> Option<Letter> {
        None
    }

    fn sample(&self, kind: &str) -> Option<Letter> {
        let kind = notify::known_event(kind)?;
        let envelope = Envelope {
            r#type: kind,
            event_data: Nothing {},
        };
        let body = serde_json::to_string(&envelope).ok()?;
        Some(Letter { kind, body })
    }
}
