//! `GET /api/socialplatforms`: the platforms the admin page offers by name.

use std::collections::BTreeMap;

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

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

/// The platforms by their ids.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SocialPlatforms(BTreeMap<&'static str, SocialPlatform>);

/// A platform.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SocialPlatform {
    /// Its name, as it is written there.
    platform: &'static str,
}

pub(crate) async fn get() -> Json<SocialPlatforms> {
    let platforms = PLATFORMS
        .iter()
        .map(|(id, name)| (*id, SocialPlatform { platform: name }));
    Json(SocialPlatforms(platforms.collect()))
}
