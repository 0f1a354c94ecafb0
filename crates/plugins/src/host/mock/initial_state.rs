//! The initial state of a plugin test.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::host::wire::{ChatClient, ChatMessage, User};

/// Answers of the mock server; omitted members are empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct InitialState {
    /// The start time; the current time if omitted.
    pub now: Option<Timestamp>,
    pub kv: BTreeMap<String, String>,
    /// The operator's settings for the plugin.
    pub config: BTreeMap<String, Value>,
    pub stream: Option<Box<RawValue>>,
    pub server: Option<Box<RawValue>>,
    pub federation: Option<Box<RawValue>>,
    pub broadcaster: Option<Box<RawValue>>,
    pub video_config: Option<Box<RawValue>>,
    pub socials: Vec<Box<RawValue>>,
    pub tags: Vec<String>,
    /// Lines of the chat, oldest first.
    pub chat_history: Vec<ChatMessage>,
    pub chat_clients: Vec<ChatClient>,
    pub users: Vec<User>,
    pub http_responses: Vec<HttpFixture>,
}

/// The answer of another server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpFixture {
    /// The address it applies to; `*` matches anything, `?` one character.
    pub url: String,
    /// The method it applies to; any if omitted.
    pub method: Option<String>,
    #[serde(default = "ok")]
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub body: String,
    /// How often it applies; always if omitted.
    pub times: Option<u32>,
}

fn ok() -> u16 {
    200
}
