//! The actor: the stream, as other servers see it.

use serde_json::{Map, Value, json};

use super::text::{escaped, paragraph};
use super::{context, hashtag, instant, object};
use crate::names::Names;
use crate::profile::ActorProfile;

/// The document at the actor's address.
pub fn document(profile: &ActorProfile) -> Value {
    with_context(body(profile))
}

/// The document at the address of a former name: the old id, the same key, and where the account is now.
pub fn moved(profile: &ActorProfile, former: &str) -> Value {
    let names = profile.names.under(former);
    let mut document = common(profile, &names);
    document.insert("movedTo".into(), json!(profile.names.actor()));
    with_context(document)
}

fn with_context(mut document: Map<String, Value>) -> Value {
    document.insert("@context".into(), context::actor());
    Value::Object(document)
}

/// The actor without its context, for embedding in an activity that has one.
pub(super) fn body(profile: &ActorProfile) -> Map<String, Value> {
    let mut document = common(profile, &profile.names);
    if !profile.former_usernames.is_empty() {
        let former = profile.former_usernames.iter();
        let actors: Vec<String> = former
            .map(|username| profile.names.under(username).actor())
            .collect();
        document.insert("alsoKnownAs".into(), json!(actors));
    }
    document
}

fn common(profile: &ActorProfile, names: &Names) -> Map<String, Value> {
    let logo = names.logo(&profile.logo.version);
    let tags = profile.tags.iter();
    let tags: Vec<Value> = tags
        .map(|tag| hashtag::object(&profile.directory_url, tag))
        .collect();
    object([
        ("id", Some(json!(names.actor()))),
        ("type", Some(json!("Service"))),
        ("url", Some(json!(names.actor()))),
        ("preferredUsername", Some(json!(names.username()))),
        ("webfinger", Some(json!(names.account()))),
        ("name", Some(json!(profile.name))),
        // Some servers refuse an actor whose summary is present but empty.
        ("summary", paragraph(&profile.summary).map(Value::from)),
        ("published", Some(json!(instant(profile.published)))),
        ("manuallyApprovesFollowers", Some(json!(profile.is_private))),
        ("discoverable", Some(json!(true))),
        ("inbox", Some(json!(names.inbox()))),
        ("outbox", Some(json!(names.outbox()))),
        ("followers", Some(json!(names.followers()))),
        (
            "icon",
            Some(json!({ "type": "Image", "mediaType": profile.logo.media_type, "url": logo })),
        ),
        ("image", Some(json!({ "type": "Image", "url": logo }))),
        ("tag", Some(json!(tags))),
        ("attachment", Some(fields(profile))),
        (
            "publicKey",
            Some(json!({
                "id": names.key_id(),
                "owner": names.actor(),
                "publicKeyPem": profile.public_key_pem,
            })),
        ),
        ("generator", Some(generator())),
    ])
}

/// The table of links that other servers show: the stream first, then the operator's other links.
fn fields(profile: &ActorProfile) -> Value {
    let stream = [("Stream".to_owned(), profile.names.base().to_owned())];
    let links = stream.iter().chain(&profile.links);
    let fields = links.map(|(name, url)| {
        let url = escaped(url);
        json!({
            "type": "PropertyValue",
            "name": escaped(name),
            "value": format!(
                "<a href=\"{url}\" rel=\"me nofollow noopener noreferrer\" target=\"_blank\">{url}</a>"
            ),
        })
    });
    fields.collect()
}

/// Announces that we verify the newer signatures too (FEP-844e), so that servers that know them may use them first.
fn generator() -> Value {
    json!({
        "type": "Application",
        "implements": [{
            "name": "RFC-9421: HTTP Message Signatures",
            "href": "https://datatracker.ietf.org/doc/html/rfc9421",
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::super::example::profile;
    use super::*;

    #[test]
    fn the_actor_says_what_others_insist_on() {
        let actor = document(&profile());
        let id = "https://live.example/federation/user/live";
        assert_eq!(actor["@context"][0], context::ACTIVITY_STREAMS);
        assert_eq!(actor["@context"][1], "https://w3id.org/security/v1");
        // A processor needs no third document and knows all of its terms.
        let remote = actor["@context"].as_array().unwrap().iter();
        assert_eq!(remote.filter(|entry| entry.is_string()).count(), 2);
        for word in ["webfinger", "implements"] {
            assert!(actor["@context"][2][word].is_string(), "{word}");
        }
        assert_eq!((&actor["id"], &actor["url"]), (&json!(id), &json!(id)));
        assert_eq!(actor["type"], "Service");
        assert_eq!(actor["preferredUsername"], "live");
        assert_eq!(actor["published"], "2026-01-05T10:00:00Z");
        assert_eq!(
            actor["summary"],
            "<p>All about &lt;music&gt;<br>&amp; more</p>"
        );
        assert_eq!(
            (&actor["discoverable"], &actor["manuallyApprovesFollowers"]),
            (&json!(true), &json!(false))
        );
        for collection in ["inbox", "outbox", "followers"] {
            assert_eq!(actor[collection], format!("{id}/{collection}"));
        }
        assert_eq!(actor["following"], Value::Null);
        assert_eq!(
            actor["icon"]["url"],
            "https://live.example/logo/external?uc=9f3a"
        );
        assert_eq!(actor["icon"]["mediaType"], "image/jpeg");
        assert_eq!(actor["publicKey"]["id"], format!("{id}#main-key"));
        assert_eq!(actor["publicKey"]["owner"], id);
        let pem = actor["publicKey"]["publicKeyPem"].as_str().unwrap();
        assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
    }

    #[test]
    fn an_empty_summary_is_left_out() {
        let silent = ActorProfile {
            summary: " ".into(),
            ..profile()
        };
        assert_eq!(document(&silent)["summary"], Value::Null);
    }

    // Case 13 of docs/federation-cases.md.
    #[test]
    fn one_link_and_one_tag_are_lists_and_what_was_typed_is_escaped() {
        let typed = ActorProfile {
            links: vec![("A & <B>".into(), "https://x.example/?a=\"1\"&b".into())],
            ..profile()
        };
        let actor = document(&typed);
        assert_eq!(actor["tag"].as_array().unwrap().len(), 1);
        assert_eq!(
            actor["tag"][0]["href"],
            "https://directory.example/tags/music"
        );
        let fields = actor["attachment"].as_array().unwrap();
        assert_eq!(fields.len(), 2);
        assert_eq!(
            (&fields[0]["name"], &fields[0]["type"]),
            (&json!("Stream"), &json!("PropertyValue"))
        );
        assert_eq!(fields[1]["name"], "A &amp; &lt;B&gt;");
        let value = fields[1]["value"].as_str().unwrap();
        assert!(
            value.contains("href=\"https://x.example/?a=&quot;1&quot;&amp;b\""),
            "{value}"
        );
        let bare = ActorProfile {
            tags: Vec::new(),
            ..profile()
        };
        assert_eq!(document(&bare)["tag"], json!([]));
    }

    // Case 19 of docs/federation-cases.md.
    #[test]
    fn a_former_name_keeps_its_id_and_key_and_points_to_the_new_one() {
        let mut profile = profile();
        profile.names = profile.names.under("stage");
        profile.former_usernames = vec!["live".into()];
        let old = moved(&profile, "live");
        let new = document(&profile);
        assert_eq!(old["id"], "https://live.example/federation/user/live");
        assert_eq!(old["movedTo"], new["id"]);
        assert_eq!(new["alsoKnownAs"], json!([old["id"]]));
        assert_eq!(new["movedTo"], Value::Null);
        assert_eq!(old["publicKey"]["owner"], old["id"]);
        assert_eq!(
            old["publicKey"]["publicKeyPem"],
            new["publicKey"]["publicKeyPem"]
        );
    }
}
