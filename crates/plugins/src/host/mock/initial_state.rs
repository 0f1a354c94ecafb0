//! What a test of a plugin starts from.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::host::wire::{ChatClient, ChatMessage, User};

/// Answers of the server in memory; what is left out is empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct InitialState {
    /// When it begins; now when it is left out.
    pub now: Option<Timestamp>,
    /// Keys that are there.
    pub kv: BTreeMap<String, String>,
    /// What the operator set.
    pub config: BTreeMap<String, Value>,
    pub stream: Option<Box<RawValue>>,
    /// About the server.
    pub server: Option<Box<RawValue>>,
    /// How it takes part in the Fediverse.
    pub federation: Option<Box<RawValue>>,
    /// What the broadcaster sends.
    pub broadcaster: Option<Box<RawValue>>,
    /// How the video is made.
    pub video_config: Option<Box<RawValue>>,
    /// Accounts elsewhere.
    pub socials: Vec<Box<RawValue>>,
    /// Words about the stream.
    pub tags: Vec<String>,
    /// Lines of the chat, oldest first.
    pub chat_history: Vec<ChatMessage>,
    pub chat_clients: Vec<ChatClient>,
    pub users: Vec<User>,
    /// Answers of other servers.
    pub http_responses: Vec<HttpFixture>,
}

/// An answer of another server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpFixture {
    /// To which address; `*` stands for anything, `?` for one letter.
    pub url: String,
    /// To which method; any when it is left out.
    pub method: Option<String>,
    #[serde(default = "ok")]
    pub status: u16,
    /// Beside the body.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub body: String,
    /// How often; for ever when it is left out.
    pub times: Option<u32>,
}

fn ok() -> u16 {
    200
}
