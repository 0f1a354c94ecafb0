//! The documents that contain keys. No IO.
//!
//! An actor lists its keys in `publicKey` or, as Multikeys, in `assertionMethod`. A key may also have its own document
//! that names its owner; such a claim counts only if the owner's document lists the key in turn.

use serde_json::{Map, Value};

use crate::fetch::Document;
use crate::signature::KeyId;
use crate::wire;

/// A key found in a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// The document is the owner's own.
    Confirmed { owner: String, text: String },
    /// The document names an owner, who still has to confirm.
    Claimed { owner: String, text: String },
}

/// How an actor lists a key.
enum KeyListing<'a> {
    /// By id only.
    Named,
    /// With the key embedded.
    Embedded(&'a Map<String, Value>),
}

/// Finds the key `key_id` in the document that the id leads to.
pub(super) fn read(document: &Document, key_id: &KeyId) -> Result<Candidate, &'static str> {
    let object = &document.object;
    let (entry, is_listed) = match listing(object, key_id) {
        Some(KeyListing::Embedded(entry)) => (entry, true),
        _ if document.id == key_id.as_str() => (object, false),
        _ => return Err("the document does not have it"),
    };
    let text = material(entry).ok_or("the document names it without showing it")?;
    let owner = match owner(entry) {
        Some(owner) => owner,
        None if is_listed => &document.id,
        None => return Err("the document does not say whose it is"),
    };
    for iri in [owner, &document.id] {
        if wire::authority_of(iri).as_deref() != Some(key_id.host()) {
            return Err("its owner is on another host");
        }
    }
    let (owner, text) = (owner.to_owned(), text.to_owned());
    // A document without an inbox may be a stub shown to servers it does not know.
    let is_actor = is_listed && owner == document.id && object.contains_key("inbox");
    Ok(match is_actor {
        true => Candidate::Confirmed { owner, text },
        false => Candidate::Claimed { owner, text },
    })
}

/// The claimed key, if the document of the claimed owner lists it.
pub(super) fn confirm(
    actor: &Document,
    key_id: &KeyId,
    claimed: String,
) -> Result<String, &'static str> {
    let entry = match listing(&actor.object, key_id) {
        None => return Err("its owner does not list it"),
        Some(KeyListing::Named) => return Ok(claimed),
        Some(KeyListing::Embedded(entry)) => entry,
    };
    if owner(entry).is_some_and(|owner| owner != actor.id) {
        return Err("its owner lists it as somebody else's");
    }
    // The owner's copy takes precedence over the one found elsewhere.
    Ok(material(entry).map_or(claimed, str::to_owned))
}

fn listing<'a>(actor: &'a Map<String, Value>, key_id: &KeyId) -> Option<KeyListing<'a>> {
    let entries = ["publicKey", "assertionMethod"]
        .into_iter()
        .flat_map(|name| wire::list_of(actor.get(name)));
    let mut found = entries.filter(|entry| wire::id_of(entry) == Some(key_id.as_str()));
    found.next().map(|entry| match entry {
        Value::Object(entry) => KeyListing::Embedded(entry),
        _ => KeyListing::Named,
    })
}

fn material(entry: &Map<String, Value>) -> Option<&str> {
    let texts = ["publicKeyPem", "publicKeyMultibase"];
    texts
        .into_iter()
        .find_map(|name| wire::string_of(entry.get(name)))
}

fn owner(entry: &Map<String, Value>) -> Option<&str> {
    let names = ["owner", "controller"];
    names
        .into_iter()
        .find_map(|name| wire::id_of(entry.get(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ALICE: &str = "https://remote.example/users/alice";
    const KEY: &str = "https://remote.example/users/alice#main-key";

    fn document(object: Value) -> Document {
        let Value::Object(object) = object else {
            panic!("no object")
        };
        let id = object["id"].as_str().unwrap().to_owned();
        Document { id, object }
    }

    fn found(key_id: &str, object: Value) -> Result<Candidate, &'static str> {
        read(&document(object), &KeyId::parse(key_id).unwrap())
    }

    fn confirmed(owner: &str, text: &str) -> Result<Candidate, &'static str> {
        Ok(Candidate::Confirmed {
            owner: owner.to_owned(),
            text: text.to_owned(),
        })
    }

    fn claimed(owner: &str, text: &str) -> Result<Candidate, &'static str> {
        Ok(Candidate::Claimed {
            owner: owner.to_owned(),
            text: text.to_owned(),
        })
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "it reads better where it is called"
    )]
    fn actor(public_key: Value) -> Value {
        json!({ "id": ALICE, "inbox": "https://remote.example/inbox", "publicKey": public_key })
    }

    // Case 32 of docs/federation-cases.md.
    #[test]
    fn a_key_is_found_in_an_actor_alone_or_among_others() {
        let key = json!({ "id": KEY, "owner": ALICE, "publicKeyPem": "pem" });
        let other = json!({ "id": format!("{KEY}-2"), "owner": ALICE, "publicKeyPem": "other" });
        for keys in [
            key.clone(),
            json!([key]),
            json!([other, key]),
            json!([key, other]),
        ] {
            assert_eq!(found(KEY, actor(keys)), confirmed(ALICE, "pem"));
        }
        let ownerless = json!({ "id": KEY, "publicKeyPem": "pem" });
        assert_eq!(found(KEY, actor(ownerless)), confirmed(ALICE, "pem"));
        assert!(found(KEY, actor(other)).is_err());
    }

    // Case 32 of docs/federation-cases.md.
    #[test]
    fn a_multikey_is_found_in_an_actor() {
        let key = json!({ "id": KEY, "type": "Multikey", "controller": ALICE, "publicKeyMultibase": "z6" });
        let actor = json!({ "id": ALICE, "inbox": "x", "publicKey": [], "assertionMethod": [key] });
        assert_eq!(found(KEY, actor), confirmed(ALICE, "z6"));
    }

    // Case 32 of docs/federation-cases.md: GoToSocial shows strangers a stub without an inbox.
    #[test]
    fn a_stub_or_a_bare_key_is_only_a_claim() {
        let id = "https://remote.example/users/alice/main-key";
        let key = json!({ "id": id, "owner": ALICE, "publicKeyPem": "pem" });
        let stub = json!({ "id": ALICE, "preferredUsername": "alice", "publicKey": key });
        assert_eq!(found(id, stub), claimed(ALICE, "pem"));
        assert_eq!(found(id, key), claimed(ALICE, "pem"));
        let multikey = json!({ "id": id, "controller": ALICE, "publicKeyMultibase": "z6" });
        assert_eq!(found(id, multikey), claimed(ALICE, "z6"));
        let elsewhere = json!({ "id": "https://remote.example/keys/1", "inbox": "x",
            "publicKey": { "id": KEY, "owner": ALICE, "publicKeyPem": "pem" } });
        assert_eq!(found(KEY, elsewhere), claimed(ALICE, "pem"));
    }

    // Case 34 of docs/federation-cases.md.
    #[test]
    fn a_key_and_its_owner_are_on_one_host() {
        let victim = "https://victim.example/users/bob";
        let key = |owner: &str| json!({ "id": KEY, "owner": owner, "publicKeyPem": "pem" });
        assert!(found(KEY, key(victim)).is_err());
        assert!(found(KEY, actor(key(victim))).is_err());
        assert!(found(KEY, actor(key("https://remote.example:8443/users/alice"))).is_err());
        assert!(found("https://evil.example/key", actor(key(ALICE))).is_err());
        let moved = json!({ "id": victim, "inbox": "x", "publicKey": key(victim) });
        assert!(found(KEY, moved).is_err());
        assert!(found(KEY, json!({ "id": KEY, "publicKeyPem": "pem" })).is_err());
        assert!(found(KEY, actor(json!({ "id": KEY, "owner": ALICE }))).is_err());
        assert!(found(KEY, actor(json!(KEY))).is_err());
    }

    // Case 34 of docs/federation-cases.md.
    #[test]
    fn a_claim_counts_only_when_the_owner_lists_the_key() {
        let confirm = |actor: Value| {
            let key_id = KeyId::parse(KEY).unwrap();
            confirm(&document(actor), &key_id, "claimed".to_owned())
        };
        let entry = json!({ "id": KEY, "owner": ALICE, "publicKeyPem": "shown" });
        assert_eq!(confirm(actor(entry)), Ok("shown".to_owned()));
        assert_eq!(confirm(actor(json!(KEY))), Ok("claimed".to_owned()));
        let by_method = json!({ "id": ALICE, "assertionMethod": [KEY] });
        assert_eq!(confirm(by_method), Ok("claimed".to_owned()));
        let other = json!({ "id": format!("{KEY}2"), "owner": ALICE, "publicKeyPem": "pem" });
        assert!(confirm(actor(other)).is_err());
        assert!(confirm(json!({ "id": ALICE })).is_err());
        let foreign = json!({ "id": KEY, "owner": "https://remote.example/users/bob" });
        assert!(confirm(actor(foreign)).is_err());
    }
}
