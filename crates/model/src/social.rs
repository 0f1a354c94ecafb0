//! Places where people have accounts.

/// Id and name, as it is written there; other platforms may be entered freely.
pub const PLATFORMS: &[(&str, &str)] = &[
    ("bandcamp", "Bandcamp"),
    ("bluesky", "Bluesky"),
    ("codeberg", "Codeberg"),
    ("discord", "Discord"),
    ("donate", "Donate"),
    ("email", "Email"),
    ("facebook", "Facebook"),
    ("fediverse", "Fediverse"),
    ("follow", "Follow"),
    ("funkwhale", "Funkwhale"),
    ("github", "GitHub"),
    ("gitlab", "GitLab"),
    ("instagram", "Instagram"),
    ("keyoxide", "Keyoxide"),
    ("kick", "Kick"),
    ("kofi", "Ko-fi"),
    ("lbry", "LBRY"),
    ("lemmy", "Lemmy"),
    ("liberapay", "Liberapay"),
    ("linkedin", "LinkedIn"),
    ("mastodon", "Mastodon"),
    ("matrix", "Matrix"),
    ("odysee", "Odysee"),
    ("opencollective", "Open Collective"),
    ("patreon", "Patreon"),
    ("paypal", "PayPal"),
    ("peertube", "PeerTube"),
    ("pixelfed", "Pixelfed"),
    ("reddit", "Reddit"),
    ("rss", "RSS"),
    ("signal", "Signal"),
    ("snapchat", "Snapchat"),
    ("soundcloud", "SoundCloud"),
    ("spotify", "Spotify"),
    ("steam", "Steam"),
    ("telegram", "Telegram"),
    ("threads", "Threads"),
    ("tiktok", "TikTok"),
    ("twitch", "Twitch"),
    ("twitter", "X (Twitter)"),
    ("vimeo", "Vimeo"),
    ("website", "Website"),
    ("whatsapp", "WhatsApp"),
    ("xmpp", "XMPP"),
    ("youtube", "YouTube"),
];

/// The platform's name; for an unknown one, what the operator typed.
pub fn platform_name(platform: &str) -> &str {
    let mut known = PLATFORMS.iter();
    let found = known.find(|(id, _)| id.eq_ignore_ascii_case(platform));
    found.map_or(platform, |(_, name)| name)
}
