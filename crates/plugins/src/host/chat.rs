//! The chat.

use serde::Deserialize;

use super::args;
use crate::host::plugin_host::Host;
use crate::host::rate_limit::ChatAudience;

/// Messages a plugin gets when it does not say how many.
const USUAL_HISTORY: u32 = 50;

/// Messages a plugin gets at most; asking for more gives these.
const MAX_HISTORY: u32 = 500;

/// Bytes of one text for the chat. A longer one is refused; the chat's own limit for people is far below.
const MAX_TEXT_BYTES: usize = 64 * 1024;

#[derive(Deserialize)]
struct TextArgs {
    #[serde(alias = "body", deserialize_with = "args::text")]
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WhisperArgs {
    #[serde(deserialize_with = "args::int")]
    client_id: i64,
    #[serde(alias = "body", deserialize_with = "args::text")]
    text: String,
}

#[derive(Deserialize)]
struct HistoryArgs {
    #[serde(default, deserialize_with = "args::int_or_zero")]
    limit: i64,
}

#[derive(Deserialize)]
struct MessageIdArgs {
    #[serde(alias = "messageId", deserialize_with = "args::text")]
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientIdArgs {
    #[serde(deserialize_with = "args::int")]
    client_id: i64,
}

pub(super) async fn send(host: &Host, args: &str) -> Result<String, String> {
    let text = saying(args)?;
    host.chat_rate_limit.take(host, ChatAudience::Everybody)?;
    host.parts.services.send_chat(&host.bot, &text).await?;
    Ok(args::nothing())
}

pub(super) async fn send_action(host: &Host, args: &str) -> Result<String, String> {
    let text = saying(args)?;
    host.chat_rate_limit.take(host, ChatAudience::Everybody)?;
    host.parts
        .services
        .send_chat_action(&host.bot, &text)
        .await?;
    Ok(args::nothing())
}

pub(super) async fn send_system(host: &Host, args: &str) -> Result<String, String> {
    let body = saying(args)?;
    host.chat_rate_limit.take(host, ChatAudience::Everybody)?;
    host.parts.services.send_chat_system(&body).await?;
    Ok(args::nothing())
}

pub(super) async fn send_to(host: &Host, args: &str) -> Result<String, String> {
    let WhisperArgs { client_id, text } = args::read(args)?;
    let text = bounded(text)?;
    // An impossible connection number is treated like a connection that is gone.
    if let Ok(client) = u64::try_from(client_id) {
        host.chat_rate_limit.take(host, ChatAudience::One)?;
        host.parts.services.send_chat_to(client, &text).await?;
    }
    Ok(args::nothing())
}

pub(super) async fn history(host: &Host, args: &str) -> Result<String, String> {
    let HistoryArgs { limit } = args::read(args)?;
    let limit = match limit {
        ..=0 => USUAL_HISTORY,
        wanted => u32::try_from(wanted)
            .unwrap_or(MAX_HISTORY)
            .min(MAX_HISTORY),
    };
    args::answer(&host.parts.services.chat_history(limit).await?)
}

pub(super) async fn clients(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.chat_clients().await?)
}

pub(super) async fn delete_message(host: &Host, args: &str) -> Result<String, String> {
    let MessageIdArgs { id } = args::read(args)?;
    host.parts.services.delete_message(host.slug(), &id).await?;
    Ok(args::nothing())
}

pub(super) async fn kick_client(host: &Host, args: &str) -> Result<String, String> {
    let ClientIdArgs { client_id } = args::read(args)?;
    let client =
        u64::try_from(client_id).map_err(|_| format!("there is no connection {client_id}"))?;
    host.parts.services.kick_client(host.slug(), client).await?;
    Ok(args::nothing())
}

fn saying(args: &str) -> Result<String, String> {
    let TextArgs { text } = args::read(args)?;
    bounded(text)
}

fn bounded(text: String) -> Result<String, String> {
    match text.len() {
        ..=MAX_TEXT_BYTES => Ok(text),
        bytes => Err(format!(
            "the text has {bytes} bytes, at most {MAX_TEXT_BYTES} are allowed"
        )),
    }
}
