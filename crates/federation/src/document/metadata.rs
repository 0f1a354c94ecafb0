//! What is said about the stream to directories and to servers that feature it.
//!
//! Readers look the properties up by their full names and know no prefixes, so they are at the top level of an activity
//! as full addresses. They are written twice: in our namespace and in the one that existing directories read.

use serde_json::{Map, Value, json};

use crate::profile::ActorProfile;

/// The namespace existing directories and servers know, without its `#`.
pub const COMMON_NAMESPACE: &str = "https://owncast.online/ns";

/// Whether the stream is live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Live,
    Offline,
}

impl Presence {
    /// The value of `streamStatus`.
    pub fn as_str(self) -> &'static str {
        match self {
            Presence::Live => "live",
            Presence::Offline => "offline",
        }
    }
}

/// Adds what is known about the stream; `streamStatus` is always present.
pub fn add(activity: &mut Map<String, Value>, profile: &ActorProfile, presence: Presence) {
    let base = profile.names.base();
    let set = |text: &str| (!text.is_empty()).then(|| json!(text));
    let is_live = presence == Presence::Live;
    let facts = super::object([
        ("streamStatus", Some(json!(presence.as_str()))),
        ("serverName", Some(json!(profile.name))),
        ("streamDescription", Some(json!(profile.summary))),
        ("streamTitle", set(&profile.stream_title)),
        ("logoUrl", Some(json!(profile.names.logo("")))),
        (
            "thumbnailUrl",
            is_live.then(|| json!(format!("{base}/thumbnail.jpg"))),
        ),
        (
            "streamTags",
            (!profile.raw_tags.is_empty()).then(|| json!(profile.raw_tags)),
        ),
    ]);
    for (name, value) in facts {
        say(activity, profile, &name, &value);
    }
}

/// Marks the sender of a Follow as a directory, or as a server that features streams like one.
pub(super) fn mark_directory(activity: &mut Map<String, Value>, profile: &ActorProfile) {
    say(activity, profile, "directory", &json!(true));
}

fn say(activity: &mut Map<String, Value>, profile: &ActorProfile, name: &str, value: &Value) {
    for namespace in [profile.namespace.as_str(), COMMON_NAMESPACE] {
        activity.insert(format!("{namespace}#{name}"), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::profile;
    use super::*;

    #[test]
    fn everything_is_said_in_both_namespaces() {
        let mut activity = Map::new();
        add(&mut activity, &profile(), Presence::Live);
        for namespace in ["https://stream.example/ns", COMMON_NAMESPACE] {
            let said = |name: &str| activity.get(&format!("{namespace}#{name}")).cloned();
            assert_eq!(said("streamStatus"), Some(json!("live")));
            assert_eq!(said("serverName"), Some(json!("My Stream")));
            assert_eq!(said("streamTitle"), Some(json!("Evening \"set\" <3")));
            assert_eq!(said("streamTags"), Some(json!(["music"])));
            assert_eq!(
                said("thumbnailUrl"),
                Some(json!("https://live.example/thumbnail.jpg"))
            );
            assert_eq!(said("directory"), None);
        }
    }

    #[test]
    fn a_stream_that_is_off_has_no_picture_of_now_and_unset_things_are_left_out() {
        let mut activity = Map::new();
        let quiet = ActorProfile {
            stream_title: String::new(),
            raw_tags: Vec::new(),
            summary: String::new(),
            ..profile()
        };
        add(&mut activity, &quiet, Presence::Offline);
        let said = |name: &str| activity.get(&format!("{COMMON_NAMESPACE}#{name}"));
        assert_eq!(said("streamStatus"), Some(&json!("offline")));
        assert_eq!(said("streamDescription"), Some(&json!("")));
        for absent in ["thumbnailUrl", "streamTitle", "streamTags"] {
            assert_eq!(said(absent), None, "{absent}");
        }
    }
}
