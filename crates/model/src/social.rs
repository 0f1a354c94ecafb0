//! Places where people have accounts.

/// Id and name, as it is written there; other platforms may be entered freely.
pub const PLATFORMS: &[(&str, &str)] = &[
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

/// The platform's name; for an unknown one, what the operator typed.
pub fn platform_name(platform: &str) -> &str {
    let mut known = PLATFORMS.iter();
    let found = known.find(|(id, _)| id.eq_ignore_ascii_case(platform));
    found.map_or(platform, |(_, name)| name)
}
