//! Notifications to people who are not in the chat.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::args;
use crate::host::log::Level;
use crate::host::plugin_host::Host;
use crate::host::rate_limit::ChatAudience;
use crate::host::services::{Push, SocialNotice};

/// Limit (plugins): posts to the Fediverse within [`POST_WINDOW`]; further ones are refused. Followers of the server
/// would leave.
const MAX_POSTS: usize = 5;

/// The time in which [`MAX_POSTS`] are counted.
const POST_WINDOW: Duration = Duration::from_secs(60 * 60);

/// Bytes of one text. A longer one is refused.
const MAX_TEXT_BYTES: usize = 20_000;

/// What an author reads whose notes for browsers go nowhere.
const UNHEARD: &str =
    "notifications.browser_push reaches nobody: viewers cannot ask for browser notifications here";

/// Whether the plugin's log already says that its push notifications go nowhere. Once is enough: a plugin may send one
/// with every event.
#[derive(Debug, Default)]
pub(super) struct BrowserPushWarning(AtomicBool);

impl BrowserPushWarning {
    fn is_first(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}

/// When the plugin last posted.
#[derive(Debug, Default)]
pub(super) struct PostLimit {
    at: Mutex<VecDeque<Duration>>,
}

impl PostLimit {
    /// Counts one more post, unless there were too many.
    fn count(&self, now: Duration) -> Result<(), String> {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        while at.front().is_some_and(|then| *then + POST_WINDOW <= now) {
            at.pop_front();
        }
        if at.len() >= MAX_POSTS {
            return Err(format!(
                "a plugin may post {MAX_POSTS} times an hour, try again later"
            ));
        }
        at.push_back(now);
        Ok(())
    }
}

#[derive(Deserialize)]
struct NoticeTextArgs {
    #[serde(alias = "body", deserialize_with = "args::text")]
    text: String,
}

#[derive(Deserialize)]
struct PushArgs {
    #[serde(deserialize_with = "args::text")]
    title: String,
    #[serde(default, deserialize_with = "args::maybe_text")]
    body: Option<String>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    url: Option<String>,
}

#[derive(Deserialize)]
struct NoticeArgs {
    #[serde(rename = "type", deserialize_with = "args::text")]
    kind: String,
    #[serde(default, deserialize_with = "args::maybe_text")]
    body: Option<String>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    image: Option<String>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    link: Option<String>,
}

/// Plugins may pass an object or its JSON text; the text is under this key.
#[derive(Deserialize)]
struct WrappedNotice {
    #[serde(alias = "json", alias = "notice", alias = "notification")]
    payload: serde_json::Value,
}

#[derive(Serialize)]
struct PostResult {
    url: String,
}

pub(super) async fn discord(host: &Host, args: &str) -> Result<String, String> {
    let NoticeTextArgs { text } = args::read(args)?;
    bounded(&text)?;
    host.parts.services.notify_discord(&text).await?;
    Ok(args::nothing())
}

pub(super) async fn browser_push(host: &Host, args: &str) -> Result<String, String> {
    let push: PushArgs = plain_or_ready(args)?;
    let push = Push {
        title: push.title,
        body: push.body.unwrap_or_default(),
        url: push.url.unwrap_or_default(),
    };
    for text in [&push.title, &push.body, &push.url] {
        bounded(text)?;
    }
    let can_reach = host.parts.services.notify_browser_push(&push).await?;
    if !can_reach && host.push_warning.is_first() {
        host.write_log(Level::Warning, UNHEARD);
    }
    Ok(args::nothing())
}

pub(super) async fn fediverse(host: &Host, args: &str) -> Result<String, String> {
    let notice: NoticeArgs = plain_or_ready(args)?;
    let notice = SocialNotice {
        kind: notice.kind,
        body: notice.body.unwrap_or_default(),
        image: notice.image.unwrap_or_default(),
        link: notice.link.unwrap_or_default(),
    };
    for text in [&notice.kind, &notice.body, &notice.image, &notice.link] {
        bounded(text)?;
    }
    // It is a chat line like any other.
    host.chat_rate_limit.take(host, ChatAudience::Everybody)?;
    host.parts.services.notify_fediverse(&notice).await?;
    Ok(args::nothing())
}

pub(super) async fn fediverse_post(host: &Host, args: &str) -> Result<String, String> {
    let NoticeTextArgs { text } = args::read(args)?;
    if text.trim().is_empty() {
        return Err("text is empty: there is nothing to post".into());
    }
    bounded(&text)?;
    host.post_limit.count(host.parts.clock.uptime())?;
    let url = host
        .parts
        .services
        .fediverse_post(host.slug(), &text)
        .await?;
    args::answer(&PostResult { url })
}

fn plain_or_ready<T: serde::de::DeserializeOwned>(args: &str) -> Result<T, String> {
    match args::read::<WrappedNotice>(args) {
        Ok(WrappedNotice {
            payload: serde_json::Value::String(json),
        }) => args::read(&json),
        Ok(WrappedNotice { payload }) => {
            serde_json::from_value(payload).map_err(|error| format!("wrong arguments: {error}"))
        }
        Err(_) => args::read(args),
    }
}

fn bounded(text: &str) -> Result<(), String> {
    match text.len() {
        ..=MAX_TEXT_BYTES => Ok(()),
        bytes => Err(format!(
            "the text has {bytes} bytes, at most {MAX_TEXT_BYTES} are allowed"
        )),
    }
}
