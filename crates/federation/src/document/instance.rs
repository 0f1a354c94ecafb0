//! `/api/v1/instance`: the server described as microblog clients expect.

use model::product;
use serde_json::{Value, json};

use crate::profile::ActorProfile;

pub fn document(profile: &ActorProfile, posts: u64) -> Value {
    let names = &profile.names;
    json!({
        "uri": names.base(),
        "title": profile.name,
        "short_description": profile.summary,
        "description": profile.summary,
        "version": format!("{} v{}", product::TITLE, product::VERSION),
        "thumbnail": names.logo(""),
        "languages": [],
        "stats": { "user_count": 1, "status_count": posts, "domain_count": 0 },
        "registrations": false,
        "approval_required": false,
        "invites_enabled": false,
    })
}
