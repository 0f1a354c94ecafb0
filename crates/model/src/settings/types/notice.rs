//! Other places where people are told that the stream is on.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::super::rules::{http_url, line, lines};
use super::super::setting::SettingError;

/// A message into a Discord channel.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DiscordNotice {
    pub enabled: bool,
    /// The channel's address, which is a secret: anybody who knows it can post there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub webhook: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub go_live_message: String,
}

impl fmt::Debug for DiscordNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscordNotice")
            .field("enabled", &self.enabled)
            .finish_non_exhaustive()
    }
}

/// A notification of the browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BrowserNotice {
    pub enabled: bool,
    pub go_live_message: String,
}

pub(in super::super) fn checked_discord(
    notice: DiscordNotice,
) -> Result<DiscordNotice, SettingError> {
    let webhook = line::<2000>(notice.webhook).map_err(|why| why.of("webhook"))?;
    // The address is a secret, so the error does not repeat it.
    let is_secure = http_url(&webhook).is_ok_and(|url| url.scheme() == "https");
    if !is_secure && (notice.enabled || !webhook.is_empty()) {
        return Err("webhook is not a full URL that starts with https://".into());
    }
    Ok(DiscordNotice {
        enabled: notice.enabled,
        webhook,
        go_live_message: lines::<1000>(notice.go_live_message)
            .map_err(|why| why.of("goLiveMessage"))?,
    })
}

pub(in super::super) fn checked_browser(
    notice: BrowserNotice,
) -> Result<BrowserNotice, SettingError> {
    Ok(BrowserNotice {
        enabled: notice.enabled,
        go_live_message: lines::<500>(notice.go_live_message)
            .map_err(|why| why.of("goLiveMessage"))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_needs_an_address_over_https_and_its_refusal_does_not_repeat_it() {
        let notice = |webhook: &str| DiscordNotice {
            enabled: true,
            webhook: webhook.into(),
            go_live_message: String::new(),
        };
        assert!(checked_discord(notice("https://discord.example/api/webhooks/1/abc")).is_ok());
        assert!(checked_discord(DiscordNotice::default()).is_ok());
        for bad in ["", "http://discord.example/hush", "hush"] {
            let why = checked_discord(notice(bad)).unwrap_err().to_string();
            assert!(!why.contains("hush"), "{why}");
        }
        assert!(!format!("{:?}", notice("https://hush.example")).contains("hush"));
    }
}
