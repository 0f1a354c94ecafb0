//! How the server will appear in the Fediverse. The settings are kept for the day federation exists; until then every
//! federation address answers 405, whatever is set here.

use super::super::rules;
use super::super::setting::{Kind, Setting};
use super::{max_chars, meta, unseen};

/// Take part at all.
pub static ENABLED: Setting<bool> = Setting {
    meta: unseen(meta(
        "federation_enabled",
        "federation/enable",
        "/federation/enabled",
        Kind::Bool,
        "Take part in the Fediverse; it is kept, and there is no federation for now.",
    )),
    default: || false,
    rule: rules::any,
};

/// Followers are asked in one by one.
pub static PRIVATE: Setting<bool> = Setting {
    meta: unseen(meta(
        "federation_private",
        "federation/private",
        "/federation/isPrivate",
        Kind::Bool,
        "Approve every follower, and post to followers only.",
    )),
    default: || false,
    rule: rules::any,
};

/// Follows, likes and boosts in the chat.
pub static SHOW_ENGAGEMENT: Setting<bool> = Setting {
    meta: unseen(meta(
        "federation_show_engagement",
        "federation/showengagement",
        "/federation/showEngagement",
        Kind::Bool,
        "Show follows, likes and boosts in the chat.",
    )),
    default: || true,
    rule: rules::any,
};

/// Quotes of our posts.
pub static ENABLE_QUOTES: Setting<bool> = Setting {
    meta: unseen(meta(
        "federation_enable_quotes",
        "federation/enablequotes",
        "/federation/enableQuotes",
        Kind::Bool,
        "Let others quote your posts.",
    )),
    default: || true,
    rule: rules::any,
};

/// No list of followers on the page.
pub static HIDE_FOLLOWERS: Setting<bool> = Setting {
    meta: unseen(meta(
        "federation_hide_followers",
        "federation/hidefollowers",
        "/federation/hideFollowersTab",
        Kind::Bool,
        "Do not show your followers on the page.",
    )),
    default: || false,
    rule: rules::any,
};

/// The part before the host.
pub static USERNAME: Setting<String> = Setting {
    meta: unseen(max_chars(
        30,
        meta(
            "federation_username",
            "federation/username",
            "/federation/username",
            Kind::Text,
            "The name of your account in the Fediverse, in front of the host.",
        ),
    )),
    default: || "live".into(),
    rule: username,
};

/// What followers read when the stream begins.
pub static LIVE_MESSAGE: Setting<String> = Setting {
    meta: unseen(max_chars(
        500,
        meta(
            "federation_live_message",
            "federation/livemessage",
            "/federation/goLiveMessage",
            Kind::Markdown,
            "What your followers read when the stream begins; empty posts nothing.",
        ),
    )),
    default: || "I am live now.".into(),
    rule: rules::lines::<500>,
};

/// Servers we have nothing to do with.
pub static BLOCKED_DOMAINS: Setting<Vec<String>> = Setting {
    meta: unseen(meta(
        "federation_blocked_domains",
        "federation/blockdomains",
        "/federation/blockedDomains",
        Kind::Texts,
        "Servers whose activities are refused.",
    )),
    default: Vec::new,
    rule: |domains| {
        rules::words::<253>(domains.into_iter().map(|one| one.to_lowercase()).collect())
    },
};

/// What an account name may be on servers of every kind.
fn username(text: String) -> Result<String, String> {
    let name = rules::required_line::<30>(text)?;
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match is_plain {
        true => Ok(name),
        false => Err(format!(
            "is {name:?}, but may have letters, digits and _ only"
        )),
    }
}
