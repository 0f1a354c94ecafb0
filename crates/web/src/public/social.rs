//! `GET /api/socialplatforms`: the platforms the admin page offers by name.

use axum::Json;
use serde_json::{Map, Value, json};

/// Id and name; other platforms may be entered freely.
const PLATFORMS: &[(&str, &str)] = &[
    ("bandcamp", "Bandcamp"),
    ("bluesky", "Bluesky"),
    ("discord", "Discord"),
    ("donate", "Donate"),
    ("facebook", "Facebook"),
    ("fediverse", "Fediverse"),
    ("follow", "Follow"),
    ("github", "GitHub"),
    ("gitlab", "GitLab"),
    ("instagram", "Instagram"),
    ("keyoxide", "Keyoxide"),
    ("kofi", "Ko-fi"),
    ("lbry", "LBRY"),
    ("liberapay", "Liberapay"),
    ("linkedin", "LinkedIn"),
    ("mastodon", "Mastodon"),
    ("matrix", "Matrix"),
    ("odysee", "Odysee"),
    ("patreon", "Patreon"),
    ("paypal", "PayPal"),
    ("peertube", "PeerTube"),
    ("snapchat", "Snapchat"),
    ("soundcloud", "SoundCloud"),
    ("spotify", "Spotify"),
    ("steam", "Steam"),
    ("tiktok", "TikTok"),
    ("twitch", "Twitch"),
    ("twitter", "Twitter"),
    ("xmpp", "XMPP"),
    ("youtube", "YouTube"),
];

pub(crate) async fn get() -> Json<Map<String, Value>> {
    Json(
        PLATFORMS
            .iter()
            .map(|(id, name)| ((*id).to_owned(), json!({ "platform": name })))
            .collect(),
    )
}
