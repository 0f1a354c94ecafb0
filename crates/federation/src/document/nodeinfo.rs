//! NodeInfo: what kind of server this is, in two shapes (FEP-f1d5).

use model::product;
use serde_json::{Value, json};

use crate::names::Names;
use crate::profile::ActorProfile;

/// The media type of [`document`]; the profile is part of the protocol.
pub const MEDIA_TYPE: &str =
    "application/json; profile=\"http://nodeinfo.diaspora.software/ns/schema/2.0#\"";

/// `/.well-known/nodeinfo`: links to the document.
pub fn discovery(names: &Names) -> Value {
    json!({
        "links": [{
            "rel": "http://nodeinfo.diaspora.software/ns/schema/2.0",
            "href": format!("{}/nodeinfo/2.0", names.base()),
        }]
    })
}

/// `/nodeinfo/2.0`. The schema allows no extra properties outside `metadata`, and its `services` do not know this
/// protocol.
pub fn document(profile: &ActorProfile, posts: u64) -> Value {
    json!({
        "version": "2.0",
        "software": { "name": product::NAME, "version": product::VERSION },
        "protocols": ["activitypub"],
        "services": { "inbound": [], "outbound": [] },
        "usage": {
            "users": { "total": 1, "activeMonth": 1, "activeHalfyear": 1 },
            "localPosts": posts,
        },
        "openRegistrations": false,
        "metadata": {
            "chat_enabled": profile.has_chat,
            // What another server checks before it features this stream.
            "federation": { "username": profile.names.username(), "featured_streams": 1 },
        },
    })
}

/// `/.well-known/x-nodeinfo2`
pub fn alternate(profile: &ActorProfile, posts: u64) -> Value {
    let base = profile.names.base();
    json!({
        "version": "1.0",
        "server": {
            "baseUrl": base,
            "name": product::NAME,
            "software": product::NAME,
            "version": product::VERSION,
        },
        "organization": { "name": profile.name, "contact": base },
        "protocols": ["activitypub"],
        "services": { "inbound": ["activitypub"], "outbound": ["activitypub"] },
        "openRegistrations": false,
        "usage": {
            "users": { "total": 1, "activeHalfyear": 1, "activeMonth": 1, "activeWeek": 1 },
            "localPosts": posts,
            "localComments": 0,
        },
    })
}
