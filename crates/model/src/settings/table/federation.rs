//! How the server appears in the Fediverse.

use url::Host;

use super::super::setting::{Setting, SettingError, SettingFormat, SettingKind};
use super::super::{rules, sentences};
use super::meta::{max_chars, meta, of_form};
use crate::product;

/// Take part at all.
pub static ENABLED: Setting<bool> = Setting {
    meta: meta(
        "federation_enabled",
        "federation/enable",
        "/federation/enabled",
        SettingKind::Bool,
        "Take part in the Fediverse: people on Mastodon and similar servers can follow your stream. Needs a public address with https.",
    ),
    default: || false,
    rule: rules::any,
};

/// Followers are asked in one by one.
pub static PRIVATE: Setting<bool> = Setting {
    meta: meta(
        "federation_private",
        "federation/private",
        "/federation/isPrivate",
        SettingKind::Bool,
        "Approve every follower, and post to followers only.",
    ),
    default: || false,
    rule: rules::any,
};

/// Follows, likes and boosts in the chat.
pub static SHOW_ENGAGEMENT: Setting<bool> = Setting {
    meta: meta(
        "federation_show_engagement",
        "federation/showengagement",
        "/federation/showEngagement",
        SettingKind::Bool,
        "Show follows, likes and boosts in the chat.",
    ),
    default: || true,
    rule: rules::any,
};

/// Quotes of our posts.
pub static ENABLE_QUOTES: Setting<bool> = Setting {
    meta: meta(
        "federation_enable_quotes",
        "federation/enablequotes",
        "/federation/enableQuotes",
        SettingKind::Bool,
        "Let others quote your posts.",
    ),
    default: || true,
    rule: rules::any,
};

/// No list of followers on the page.
pub static HIDE_FOLLOWERS: Setting<bool> = Setting {
    meta: meta(
        "federation_hide_followers",
        "federation/hidefollowers",
        "/federation/hideFollowersTab",
        SettingKind::Bool,
        "Do not show your followers on the page.",
    ),
    default: || false,
    rule: rules::any,
};

/// Posts in the server's name by plugins that may post.
pub static PLUGIN_POSTS: Setting<bool> = Setting {
    meta: meta(
        "federation_plugin_posts",
        "federation/pluginposts",
        "/federation/pluginPosts",
        SettingKind::Bool,
        "Let plugins that have the permission post to your followers, five times an hour each.",
    ),
    default: || true,
    rule: rules::any,
};

/// The part before the host.
pub static USERNAME: Setting<String> = Setting {
    meta: of_form(
        SettingFormat::Like("^[A-Za-z0-9_]+$"),
        max_chars(
            30,
            meta(
                "federation_username",
                "federation/username",
                "/federation/username",
                SettingKind::Text,
                "The name of your account in the Fediverse, in front of the host. A new one tells your followers to move; the old one keeps answering.",
            ),
        ),
    ),
    default: || "live".into(),
    rule: username,
};

/// What followers read when the stream begins.
pub static LIVE_MESSAGE: Setting<String> = Setting {
    meta: max_chars(
        500,
        meta(
            "federation_live_message",
            "federation/livemessage",
            "/federation/goLiveMessage",
            SettingKind::Markdown,
            "The post to your followers when the stream begins; empty posts nothing.",
        ),
    ),
    default: || "I've gone live!".into(),
    rule: rules::lines::<500>,
};

/// Servers we have nothing to do with.
pub static BLOCKED_DOMAINS: Setting<Vec<String>> = Setting {
    meta: meta(
        "federation_blocked_domains",
        "federation/blockdomains",
        "/federation/blockedDomains",
        SettingKind::Texts,
        "Blocked servers, with all their subdomains.",
    ),
    default: Vec::new,
    rule: |domains| {
        let domains = domains.into_iter().map(|one| domain(&one));
        rules::words::<253>(domains.collect::<Result<_, _>>()?)
    },
};

/// How long a new stream waits before it is announced.
pub static LIVE_DELAY_SECONDS: Setting<u32> = Setting {
    meta: meta(
        "federation_live_delay",
        "federation/livedelay",
        "/federation/liveDelaySeconds",
        SettingKind::Number { min: 0, max: 600 },
        "How many seconds a stream must be on before your followers are told.",
    ),
    default: || 15,
    rule: rules::between::<0, 600>,
};

/// How long no second announcement is made.
pub static LIVE_COOLDOWN_MINUTES: Setting<u32> = Setting {
    meta: meta(
        "federation_live_cooldown",
        "federation/livecooldown",
        "/federation/liveCooldownMinutes",
        SettingKind::Number { min: 0, max: 1440 },
        "The least number of minutes between two go-live posts.",
    ),
    default: || 10,
    rule: rules::between::<0, 1440>,
};

/// Where hashtags lead.
pub static DIRECTORY_URL: Setting<String> = Setting {
    meta: meta(
        "federation_directory_url",
        "federation/directoryurl",
        "/federation/directoryUrl",
        SettingKind::Url,
        "Where the hashtags of your posts lead, followed by /tags/ and the tag; empty leads to your own server.",
    ),
    default: String::new,
    rule: |text| Ok(rules::optional_url(text)?.trim_end_matches('/').to_owned()),
};

/// Whose words describe the stream to directories.
pub static NAMESPACE: Setting<String> = Setting {
    meta: meta(
        "federation_namespace",
        "federation/namespace",
        "/federation/namespace",
        SettingKind::Url,
        "The namespace of what is said about the stream to directories and other servers; empty is the project's own.",
    ),
    default: || product::NAMESPACE.into(),
    rule: namespace,
};

/// What one address may send.
pub static INBOX_PER_ADDRESS: Setting<u32> = Setting {
    meta: meta(
        "federation_inbox_per_address",
        "federation/inboxperaddress",
        "/federation/inboxPerAddress",
        SettingKind::Number {
            min: 10,
            max: 100_000,
        },
        "How many activities a minute are accepted from one address; further ones get 429.",
    ),
    default: || 300,
    rule: rules::between::<10, 100_000>,
};

/// What one server may send.
pub static INBOX_PER_HOST: Setting<u32> = Setting {
    meta: meta(
        "federation_inbox_per_host",
        "federation/inboxperhost",
        "/federation/inboxPerHost",
        SettingKind::Number {
            min: 10,
            max: 100_000,
        },
        "How many activities a minute are accepted from one server, counted by the keys it signs with; further ones get 429.",
    ),
    default: || 600,
    rule: rules::between::<10, 100_000>,
};

/// A host name as it is compared: lower case, punycode, without what people copy along with it.
fn domain(text: &str) -> Result<String, SettingError> {
    let text = text.trim();
    let bare = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
        .unwrap_or(text)
        .trim_start_matches("*.")
        .trim_matches(['/', '.']);
    if bare.is_empty() {
        return Ok(String::new());
    }
    match Host::parse(bare) {
        Ok(host) => Ok(host.to_string().trim_matches('.').to_owned()),
        Err(_) => Err(sentences::NO_HOST.with([text.into()]).into()),
    }
}

/// Without the `#` that is put between it and a word.
fn namespace(mut text: String) -> Result<String, SettingError> {
    text.truncate(
        text.trim_end_matches(|c: char| c == '#' || c.is_whitespace())
            .len(),
    );
    rules::optional_url(text)
}

/// Words that mean something else behind `/federation/user/`, or below a name there.
const RESERVED: [&str; 4] = ["inbox", "outbox", "followers", "following"];

/// What an account name may be on servers of every kind; they compare it without case, so there is one spelling.
fn username(text: String) -> Result<String, SettingError> {
    let name = rules::required_line::<30>(text)?.to_ascii_lowercase();
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    match is_plain {
        true if RESERVED.contains(&name.as_str()) => {
            Err(sentences::NAME_RESERVED.with([name.into()]).into())
        }
        true => Ok(name),
        false => Err(sentences::NAME_FORM.with([name.into()]).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_one_plain_spelling() {
        assert_eq!(username(" Stage_2 ".into()).as_deref(), Ok("stage_2"));
        for bad in [
            "",
            "a b",
            "日本",
            "a.b",
            "a-b",
            "inbox",
            "OUTBOX",
            "followers",
            "following",
        ] {
            assert!(username(bad.into()).is_err(), "{bad}");
        }
        assert!(username("x".repeat(31)).is_err());
    }

    #[test]
    fn a_blocked_domain_is_kept_as_hosts_are_compared() {
        let rule = BLOCKED_DOMAINS.rule;
        let kept = rule(vec![
            "Example.ORG".into(),
            "https://bücher.example/".into(),
            "*.example.org".into(),
            " ".into(),
        ]);
        assert_eq!(kept.unwrap(), ["example.org", "xn--bcher-kva.example"]);
        assert!(rule(vec!["not a host".into()]).is_err());
    }

    #[test]
    fn a_namespace_is_kept_without_its_hash() {
        assert_eq!(
            namespace("https://stream.example/ns#".into()).as_deref(),
            Ok("https://stream.example/ns")
        );
        assert!(namespace("ns".into()).is_err());
    }
}
