//! Where webhooks may go, and where else people will be told that the stream is on. The server itself sends nothing there
//! for now; plugins with `notifications.send` already post to the Discord channel.

use super::super::rules;
use super::super::setting::{Meta, Setting, SettingKind};
use super::super::types::{BrowserNotice, DiscordNotice, checked_browser, checked_discord};
use super::meta::{idle, meta};

/// What is said unless the operator has other words.
const GO_LIVE: &str = "I am live now.";

/// Webhooks to receivers on the operator's own machine and network.
pub static WEBHOOKS_ALLOW_INTERNAL: Setting<bool> = Setting {
    meta: meta(
        "webhooks_allow_internal",
        "webhooks/allowinternal",
        "/webhooksAllowInternal",
        SettingKind::Bool,
        "Let every webhook reach this machine and your own network (loopback and private addresses), as bots made for other servers expect; otherwise each says so by itself.",
    ),
    default: || false,
    rule: rules::any,
};

/// A Discord channel.
pub static DISCORD: Setting<DiscordNotice> = Setting {
    meta: Meta {
        is_secret: true,
        ..idle(meta(
            "notifications_discord",
            "notifications/discord",
            "/notifications/discord",
            SettingKind::Json,
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
    meta: idle(meta(
        "notifications_browser",
        "notifications/browser",
        "/notifications/browser",
        SettingKind::Json,
        "Notifications in the browsers of visitors who want them; it is kept, and nothing is sent for now.",
    )),
    default: || BrowserNotice {
        enabled: false,
        go_live_message: GO_LIVE.into(),
    },
    rule: checked_browser,
};
