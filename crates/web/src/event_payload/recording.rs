//! What bots and webhooks are told of recordings. Other servers like this one have no such events.

use model::Event;
use model::recording::Visibility;
use serde::Serialize;

/// What is known of a recording when something happens to it.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordingFacts<'a> {
    id: &'a str,
    title: &'a str,
    visibility: Visibility,
    /// Seconds; missing while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    /// Its page; missing while there is none, where visitors may not see it, and without a public address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// The kind of event and what is told; `None` if it is not about a recording.
pub(super) fn describe<'a>(
    event: &'a Event,
    server_url: &str,
) -> Option<(&'static str, RecordingFacts<'a>)> {
    let (kind, id, title, visibility, duration_ms) = match event {
        Event::RecordingStarted {
            id,
            title,
            visibility,
        } => ("RECORDING_STARTED", id, title, *visibility, None),
        Event::RecordingFinished {
            id,
            title,
            visibility,
            duration_ms,
        } => (
            "RECORDING_FINISHED",
            id,
            title,
            *visibility,
            Some(*duration_ms),
        ),
        Event::RecordingPublished {
            id,
            title,
            duration_ms,
        } => (
            "RECORDING_PUBLISHED",
            id,
            title,
            Visibility::Public,
            Some(*duration_ms),
        ),
        _ => return None,
    };
    let has_page =
        duration_ms.is_some() && visibility != Visibility::Private && !server_url.is_empty();
    let facts = RecordingFacts {
        id,
        title,
        visibility,
        duration: duration_ms.map(|ms| ms as f64 / 1000.0),
        url: has_page.then(|| format!("{server_url}/videos/{id}")),
    };
    Some((kind, facts))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn told(event: &Event, server_url: &str) -> Option<(&'static str, Value)> {
        let (kind, facts) = describe(event, server_url)?;
        Some((kind, serde_json::to_value(facts).unwrap()))
    }

    fn finished(visibility: Visibility) -> Event {
        Event::RecordingFinished {
            id: "00112233aabbccdd".into(),
            title: "Friday show".into(),
            visibility,
            duration_ms: 5_400_500,
        }
    }

    #[test]
    fn a_recording_is_told_of_with_its_page_where_visitors_have_one() {
        let own = "https://live.example";
        let started = Event::RecordingStarted {
            id: "00112233aabbccdd".into(),
            title: "Friday show".into(),
            visibility: Visibility::Public,
        };
        let facts =
            json!({"id": "00112233aabbccdd", "title": "Friday show", "visibility": "public"});
        assert_eq!(told(&started, own), Some(("RECORDING_STARTED", facts)));
        let published = Event::RecordingPublished {
            id: "00112233aabbccdd".into(),
            title: "Friday show".into(),
            duration_ms: 1000,
        };
        let (kind, facts) = told(&published, own).unwrap();
        assert_eq!(kind, "RECORDING_PUBLISHED");
        assert_eq!(facts["visibility"], "public");
        assert_eq!(facts["url"], "https://live.example/videos/00112233aabbccdd");
        let (kind, facts) = told(&finished(Visibility::Unlisted), own).unwrap();
        assert_eq!(
            (kind, &facts["duration"]),
            ("RECORDING_FINISHED", &json!(5400.5))
        );
        assert!(facts["url"].is_string());
        for (visibility, server_url) in [(Visibility::Private, own), (Visibility::Public, "")] {
            let (_, facts) = told(&finished(visibility), server_url).unwrap();
            assert_eq!(facts.get("url"), None, "{visibility:?}");
        }
        assert_eq!(told(&Event::ChatPinChanged, own), None);
    }
}
