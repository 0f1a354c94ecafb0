//! Where else people will be told that the stream is on. The server itself sends nothing for now; plugins with
//! `notifications.send` already post to the Discord channel.

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
            "A Discord channel, by its webhook: plugins that may send notices post to it, and the server itself sends nothing for now.",
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
