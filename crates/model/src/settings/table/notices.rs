//! Where else people will be told that the stream is on. The settings are kept; nothing is sent for now.

use super::super::setting::{Kind, Meta, Setting};
use super::super::types::{BrowserNotice, DiscordNotice, checked_browser, checked_discord};
use super::{meta, unseen};

/// What is said unless the operator has other words.
const GO_LIVE: &str = "I am live now.";

/// A Discord channel.
pub static DISCORD: Setting<DiscordNotice> = Setting {
    meta: Meta {
        is_secret: true,
        ..unseen(meta(
            "notifications_discord",
            "notifications/discord",
            "/notifications/discord",
            Kind::Json,
            "A Discord channel to tell when the stream begins; it is kept, and nothing is sent for now.",
        ))
    },
    default: || DiscordNotice {
        go_live_message: GO_LIVE.into(),
        ..DiscordNotice::default()
    },
    rule: checked_discord,
};

/// The visitors' browsers.
pub static BROWSER: Setting<BrowserNotice> = Setting {
    meta: unseen(meta(
        "notifications_browser",
        "notifications/browser",
        "/notifications/browser",
        Kind::Json,
        "Notifications in the browsers of visitors who want them; it is kept, and nothing is sent for now.",
    )),
    default: || BrowserNotice {
        enabled: false,
        go_live_message: GO_LIVE.into(),
    },
    rule: checked_browser,
};
