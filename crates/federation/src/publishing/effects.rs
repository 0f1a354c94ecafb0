//! What is published, in the form the store takes: documents to keep and documents to send, together. No IO.

use jiff::Timestamp;
use store::federation::{DeliveryAudience, DeliveryKind, Effects, NewObject, ObjectKind};

use super::plan::PingKind;
use crate::delivery::outgoing;
use crate::document::{Activity, OutgoingPost, activity};
use crate::profile::ActorProfile;

/// A post for followers, which others can fetch too while the server is not private.
pub(super) fn post(
    profile: &ActorProfile,
    post: &OutgoingPost,
    kind: DeliveryKind,
    at: Timestamp,
) -> Effects {
    let object = |activity: &Activity, object_kind, note: Option<&Activity>| NewObject {
        iri: activity.id.clone(),
        json: activity.json.to_string(),
        kind: object_kind,
        note: note.map(|note| note.id.clone()),
        is_public: !profile.is_private,
        is_live_notification: kind == DeliveryKind::GoLive,
        at,
    };
    Effects {
        objects: vec![
            object(&post.note, ObjectKind::Note, None),
            object(&post.create, ObjectKind::Create, Some(&post.note)),
        ],
        outgoing: vec![outgoing(
            &post.create,
            kind,
            DeliveryAudience::Followers,
            at,
        )],
        ..Effects::default()
    }
}

/// An Offer or a Leave for directories.
pub(super) fn status(profile: &ActorProfile, status: PingKind, at: Timestamp) -> Effects {
    let id = profile.names.new_object();
    let (said, object_kind, kind) = match status {
        PingKind::Offer => (
            activity::offer(profile, &id),
            ObjectKind::Offer,
            DeliveryKind::Offer,
        ),
        PingKind::Leave => (
            activity::leave(profile, &id),
            ObjectKind::Leave,
            DeliveryKind::Leave,
        ),
    };
    Effects {
        objects: vec![NewObject {
            iri: said.id.clone(),
            json: said.json.to_string(),
            kind: object_kind,
            note: None,
            is_public: !profile.is_private,
            is_live_notification: false,
            at,
        }],
        outgoing: vec![outgoing(&said, kind, DeliveryAudience::Directories, at)],
        ..Effects::default()
    }
}

/// The profile as it is now; directories show it too.
pub(crate) fn update(profile: &ActorProfile, at: Timestamp) -> Effects {
    let said = activity::update(profile, at);
    let to = |audience| outgoing(&said, DeliveryKind::Update, audience, at);
    Effects {
        outgoing: vec![
            to(DeliveryAudience::Followers),
            to(DeliveryAudience::Directories),
        ],
        ..Effects::default()
    }
}

/// The deletion of a post; `author` is the actor it belonged to.
pub(super) fn deletion(profile: &ActorProfile, note: &str, author: &str, at: Timestamp) -> Effects {
    let speaker = profile.speaking_as(author);
    let said = activity::delete_post(&speaker, note);
    let mut said = outgoing(&said, DeliveryKind::Delete, DeliveryAudience::Followers, at);
    said.signer = profile.signer_of(&speaker);
    Effects {
        outgoing: vec![said],
        ..Effects::default()
    }
}
