//! Documents as other servers read them: pure functions of names and facts.
//!
//! Nothing here does IO or reads the clock. Lists are lists even with one member, times are whole seconds in UTC, and
//! everything an operator typed is escaped before it goes between tags.
//!
//! [`actor`] is who we are, [`collection`] what we have, [`note`] and [`activity`] what we send; the rest lets others
//! discover the account.

pub mod activity;
pub mod actor;
pub mod collection;
pub mod context;
pub mod hashtag;
pub mod host_meta;
pub mod instance;
pub mod markdown;
pub mod metadata;
pub mod nodeinfo;
pub mod note;
pub mod text;
pub mod webfinger;

use jiff::Timestamp;
use serde_json::{Map, Value};
use store::federation::StoredObject;

pub use activity::Activity;
pub use metadata::Presence;
pub use note::{Image, OutgoingPost, PostIds};

/// Everybody.
pub const PUBLIC: &str = "https://www.w3.org/ns/activitystreams#Public";

/// Formats a time for documents.
pub fn instant(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second())
        .unwrap_or(at)
        .to_string()
}

/// The actor of ours that a post or a quote authorization belongs to; empty if it does not say.
pub(crate) fn author_of(object: &StoredObject) -> String {
    let document: Value = serde_json::from_str(&object.json).unwrap_or_default();
    let author = document["attributedTo"].as_str();
    author.unwrap_or_default().to_owned()
}

/// Builds an object from its properties, leaving out those that are `None`.
pub(crate) fn object<const N: usize>(properties: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let present = properties.into_iter();
    present
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

#[cfg(test)]
pub(crate) mod example {
    //! A stream for the tests in this folder.

    use crate::names::Names;
    use crate::profile::{ActorProfile, Logo};

    pub(crate) fn profile() -> ActorProfile {
        ActorProfile {
            names: Names::new("https://live.example", "live").unwrap(),
            former_usernames: Vec::new(),
            name: "My Stream".into(),
            summary: "All about <music>\n& more".into(),
            stream_title: "Evening \"set\" <3".into(),
            raw_tags: vec!["music".into()],
            tags: vec!["music".into()],
            links: Vec::new(),
            is_sensitive: false,
            is_private: false,
            allows_quotes: true,
            live_message: "I've gone live!".into(),
            has_chat: true,
            directory_url: "https://directory.example".into(),
            namespace: "https://stream.example/ns".into(),
            logo: Logo {
                media_type: "image/jpeg".into(),
                version: "9f3a".into(),
            },
            published: "2026-01-05T10:00:00.987Z".parse().unwrap(),
            public_key_pem: "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n".into(),
        }
    }

    #[test]
    fn times_are_whole_seconds_in_utc() {
        let at = "2026-08-18T14:02:00.900+02:00".parse().unwrap();
        assert_eq!(super::instant(at), "2026-08-18T12:02:00Z");
    }
}
