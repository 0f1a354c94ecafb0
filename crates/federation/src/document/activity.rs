//! Every activity we send except posts, which are in [`super::note`].

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::metadata::{self, Presence};
use super::{PUBLIC, actor, context, object};
use crate::names::Names;
use crate::profile::ActorProfile;

/// A document with its id, ready to be sent or stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    pub id: String,
    pub json: Value,
}

impl Activity {
    pub(super) fn new(id: &str, document: Map<String, Value>) -> Self {
        Self {
            id: id.to_owned(),
            json: Value::Object(document),
        }
    }
}

/// Who an activity is addressed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Addressing {
    pub(super) to: Vec<String>,
    pub(super) cc: Vec<String>,
}

impl Addressing {
    /// Everybody, or only followers while the server is private.
    pub(super) fn by_mode(profile: &ActorProfile) -> Self {
        let followers = vec![profile.names.followers()];
        match profile.is_private {
            true => Self {
                to: followers,
                cc: Vec::new(),
            },
            false => Self {
                to: vec![PUBLIC.to_owned()],
                cc: followers,
            },
        }
    }

    /// One actor.
    pub(super) fn one(actor: &str) -> Self {
        Self {
            to: vec![actor.to_owned()],
            cc: Vec::new(),
        }
    }
}

/// Somebody's Follow, reduced to what an answer repeats of it, with values as received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowRef {
    /// Its id; a few senders omit it.
    pub id: Option<String>,
    pub actor: String,
    /// Who they follow: us, under one of our names.
    pub object: String,
}

/// Somebody's request to quote one of our posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteRef {
    pub id: String,
    pub actor: String,
    /// Our Note.
    pub object: String,
    /// Their post.
    pub instrument: String,
}

/// The profile changed. It carries the whole actor, so readers need not fetch it.
pub fn update(profile: &ActorProfile, at: Timestamp) -> Activity {
    let id = format!("{}#updates/{}", profile.names.actor(), at.as_millisecond());
    updated(profile, &id)
}

/// The account has a new key. Not the same activity as a profile change at the same moment.
pub fn new_key(profile: &ActorProfile, at: Timestamp) -> Activity {
    let id = format!("{}#keys/{}", profile.names.actor(), at.as_millisecond());
    updated(profile, &id)
}

fn updated(profile: &ActorProfile, id: &str) -> Activity {
    let addressing = Addressing::by_mode(profile);
    let mut document = begun(&profile.names, id, "Update", &addressing);
    document.insert("@context".into(), context::actor());
    document.insert("object".into(), Value::Object(actor::body(profile)));
    Activity::new(id, document)
}

/// Accepts a follow. Directories also get the stream's current status (`presence`); people get none.
pub fn accept_follow(
    profile: &ActorProfile,
    follow: &FollowRef,
    presence: Option<Presence>,
) -> Activity {
    answer_follow(profile, "Accept", follow, presence)
}

/// Rejects a follow, or ends one.
pub fn reject_follow(
    profile: &ActorProfile,
    follow: &FollowRef,
    presence: Option<Presence>,
) -> Activity {
    answer_follow(profile, "Reject", follow, presence)
}

fn answer_follow(
    profile: &ActorProfile,
    kind: &str,
    follow: &FollowRef,
    presence: Option<Presence>,
) -> Activity {
    let id = profile.names.new_object();
    // The account they asked answers, even if it has moved since.
    let named = profile.names.username_in(&follow.object);
    let names = match named.filter(|username| profile.answers_to(username)) {
        Some(username) => profile.names.under(username),
        None => profile.names.clone(),
    };
    let mut document = begun(&names, &id, kind, &Addressing::one(&follow.actor));
    let repeated = object([
        ("id", follow.id.as_ref().map(|id| json!(id))),
        ("type", Some(json!("Follow"))),
        ("actor", Some(json!(follow.actor))),
        ("object", Some(json!(follow.object))),
    ]);
    document.insert("object".into(), Value::Object(repeated));
    if let Some(presence) = presence {
        metadata::add(&mut document, profile, presence);
    }
    Activity::new(&id, document)
}

/// Follows another server to learn when it is live, so that the operator can feature it.
pub fn follow(profile: &ActorProfile, id: &str, peer: &str, presence: Presence) -> Activity {
    let mut document = begun(&profile.names, id, "Follow", &Addressing::one(peer));
    document.insert("object".into(), json!(peer));
    metadata::mark_directory(&mut document, profile);
    metadata::add(&mut document, profile, presence);
    Activity::new(id, document)
}

/// Ends that follow; `follow` is the id of the Follow that is undone.
pub fn undo_follow(
    profile: &ActorProfile,
    follow: &str,
    peer: &str,
    presence: Presence,
) -> Activity {
    let names = &profile.names;
    let id = names.new_undo();
    let mut document = begun(names, &id, "Undo", &Addressing::one(peer));
    document.insert(
        "object".into(),
        json!({ "id": follow, "type": "Follow", "actor": names.actor(), "object": peer }),
    );
    metadata::add(&mut document, profile, presence);
    Activity::new(&id, document)
}

/// The stream is live: a heartbeat for directories.
pub fn offer(profile: &ActorProfile, id: &str) -> Activity {
    ping(profile, id, "Offer", Presence::Live)
}

/// The stream is over.
pub fn leave(profile: &ActorProfile, id: &str) -> Activity {
    ping(profile, id, "Leave", Presence::Offline)
}

fn ping(profile: &ActorProfile, id: &str, kind: &str, presence: Presence) -> Activity {
    let names = &profile.names;
    let mut document = begun(names, id, kind, &Addressing::by_mode(profile));
    document.insert("object".into(), json!(names.base()));
    metadata::add(&mut document, profile, presence);
    Activity::new(id, document)
}

/// Allows a quote; `authorization` is the address of the QuoteAuthorization.
pub fn accept_quote(profile: &ActorProfile, request: &QuoteRef, authorization: &str) -> Activity {
    let mut answer = answer_quote(profile, "Accept", request);
    answer.json["result"] = json!(authorization);
    answer
}

/// Refuses a quote.
pub fn reject_quote(profile: &ActorProfile, request: &QuoteRef) -> Activity {
    answer_quote(profile, "Reject", request)
}

fn answer_quote(profile: &ActorProfile, kind: &str, request: &QuoteRef) -> Activity {
    let id = profile.names.new_object();
    let addressing = Addressing::one(&request.actor);
    let mut document = begun(&profile.names, &id, kind, &addressing);
    document.insert("@context".into(), context::quote());
    document.insert(
        "object".into(),
        json!({
            "id": request.id,
            "type": "QuoteRequest",
            "actor": request.actor,
            "object": request.object,
            "instrument": request.instrument,
        }),
    );
    Activity::new(&id, document)
}

/// The proof that a post may quote one of ours, as third servers fetch it.
pub fn quote_authorization(
    profile: &ActorProfile,
    id: &str,
    quote_post: &str,
    quoted_post: &str,
) -> Activity {
    let document = object([
        ("@context", Some(context::quote())),
        ("id", Some(json!(id))),
        ("type", Some(json!("QuoteAuthorization"))),
        ("attributedTo", Some(json!(profile.names.actor()))),
        ("interactingObject", Some(json!(quote_post))),
        ("interactionTarget", Some(json!(quoted_post))),
    ]);
    Activity::new(id, document)
}

/// A quote is no longer allowed: tells the requester that the proof is gone.
pub fn delete_quote_authorization(
    profile: &ActorProfile,
    authorization: &str,
    requester: &str,
) -> Activity {
    let id = format!("{authorization}#delete");
    let addressing = Addressing::one(requester);
    let mut document = begun(&profile.names, &id, "Delete", &addressing);
    document.insert("object".into(), json!(authorization));
    Activity::new(&id, document)
}

/// A post was deleted.
pub fn delete_post(profile: &ActorProfile, note: &str) -> Activity {
    let id = format!("{note}#delete");
    let addressing = Addressing::by_mode(profile);
    let mut document = begun(&profile.names, &id, "Delete", &addressing);
    document.insert("object".into(), json!({ "id": note, "type": "Tombstone" }));
    Activity::new(&id, document)
}

/// The account has a new name; the old name says so and signs with its key id. Moves are numbered, so repeating one
/// yields the same activity.
pub fn move_account(old: &Names, new: &Names, number: u32) -> Activity {
    let id = format!("{}#moves/{number}", old.actor());
    let addressing = Addressing {
        to: vec![old.followers()],
        cc: Vec::new(),
    };
    let mut document = begun(old, &id, "Move", &addressing);
    document.insert("object".into(), json!(old.actor()));
    document.insert("target".into(), json!(new.actor()));
    Activity::new(&id, document)
}

/// What is served in place of a deleted object.
pub fn tombstone(id: &str, deleted: Timestamp) -> Value {
    json!({
        "@context": context::plain(),
        "id": id,
        "type": "Tombstone",
        "deleted": super::instant(deleted),
    })
}

/// The properties all activities start with.
fn begun(names: &Names, id: &str, kind: &str, addressing: &Addressing) -> Map<String, Value> {
    object([
        ("@context", Some(context::plain())),
        ("id", Some(json!(id))),
        ("type", Some(json!(kind))),
        ("actor", Some(json!(names.actor()))),
        ("to", Some(json!(addressing.to))),
        (
            "cc",
            (!addressing.cc.is_empty()).then(|| json!(addressing.cc)),
        ),
    ])
}

#[cfg(test)]
#[path = "activity_tests.rs"]
mod tests;
