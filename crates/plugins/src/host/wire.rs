//! The objects that plugins see, field by field.
//!
//! The field order is a contract: plugins return objects as they got them, and plugin tests compare texts.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use model::chat::ChatUser;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// Times have nine digits after the second, always.
const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(9));

/// The right of a moderator, as plugins know it.
pub const MODERATOR: &str = "MODERATOR";

/// A time in the format of the plugin API.
pub fn time(at: Timestamp) -> String {
    PRINTER.timestamp_to_string(&at)
}

/// A person or a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct User {
    pub id: String,
    pub display_name: String,
    pub display_color: i64,
    /// Former names, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub previous_names: Vec<String>,
    /// When first seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// When banned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<String>,
    /// Rights.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Not a person.
    #[serde(skip_serializing_if = "is_false")]
    pub is_bot: bool,
    /// Signed in.
    #[serde(skip_serializing_if = "is_false")]
    pub is_authenticated: bool,
}

impl From<&ChatUser> for User {
    fn from(user: &ChatUser) -> Self {
        Self {
            id: user.id.as_str().into(),
            display_name: user.display_name.clone(),
            display_color: user.display_color,
            previous_names: user.previous_names.clone(),
            created_at: Some(time(user.created_at)),
            disabled_at: None,
            scopes: match user.is_moderator {
                true => vec![MODERATOR.into()],
                false => vec![],
            },
            is_bot: user.is_bot,
            is_authenticated: user.is_authenticated,
        }
    }
}

/// A chat line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatMessage {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    #[serde(skip_serializing_if = "is_no_client")]
    pub client_id: Option<u64>,
    pub body: String,
    pub timestamp: String,
}

/// A chat connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatClient {
    pub id: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user_id: String,
    /// The user's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connected_at: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user_agent: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ip_address: String,
    /// The number of lines sent over it.
    pub message_count: u64,
}

/// The current stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamNow {
    /// Whether there is something to watch.
    pub online: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The server's summary.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The number of viewers.
    pub viewers: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// 0 (fastest) to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_level: Option<u8>,
}

/// What the publisher sends; all fields are absent while nobody publishes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Broadcaster {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remote_addr: String,
    /// Of video and audio.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub codecs: Vec<String>,
    /// `1920x1080`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resolution: String,
    /// Frames per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framerate: Option<f64>,
    /// In kbit/s, of video and audio.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bitrates: Vec<u32>,
}

/// About this server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Its summary.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The greeting for newcomers in the chat.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub welcome_message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// An account elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Social {
    pub platform: String,
    pub url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub icon: String,
}

/// A custom emoji.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Emote {
    pub name: String,
    /// The image's address on this server.
    pub url: String,
}

/// The server's federation settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FederationInfo {
    pub enabled: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub username: String,
    /// Followers need approval, and posts are for them only.
    #[serde(skip_serializing_if = "is_false")]
    pub is_private: bool,
}

/// The video settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VideoConfig {
    /// 0 (fastest) to 4.
    pub latency_level: u8,
    pub codec: String,
    /// `off`, `always` or `sound-only`.
    pub autoplay: String,
    pub variants: Vec<VideoVariant>,
}

/// One quality.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VideoVariant {
    /// In pixels; 0 follows the height.
    pub width: u32,
    /// In pixels; 0 follows the width.
    pub height: u32,
    /// Frames per second.
    pub framerate: u32,
    /// In kbit/s.
    pub video_bitrate: u32,
    /// 0 to 4.
    pub cpu_usage_level: u32,
    /// The video is passed through unchanged.
    pub is_passthrough: bool,
}

/// A plugin's changes to the video settings; nothing else changes.
#[derive(Clone, Debug, Default)]
pub struct VideoConfigChange {
    /// 0 (fastest) to 4.
    pub latency_level: Option<u8>,
    pub codec: Option<String>,
    /// `off`, `always` or `sound-only`.
    pub autoplay: Option<String>,
    /// The complete list of qualities.
    pub variants: Option<Vec<VideoVariant>>,
    /// Exactly as the plugin wrote it.
    pub given: Option<Box<RawValue>>,
}

/// An object of ours, or one that is passed on verbatim (plugin tests bring their own).
#[derive(Clone, Debug)]
pub enum MaybeRaw<T> {
    Typed(T),
    /// JSON text, verbatim.
    Raw(Box<RawValue>),
}

impl<T> From<T> for MaybeRaw<T> {
    fn from(value: T) -> Self {
        MaybeRaw::Typed(value)
    }
}

impl<T: Serialize> Serialize for MaybeRaw<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            MaybeRaw::Typed(value) => value.serialize(to),
            MaybeRaw::Raw(raw) => raw.serialize(to),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}

#[expect(clippy::ref_option, reason = "serde hands over a reference")]
fn is_no_client(client: &Option<u64>) -> bool {
    matches!(client, None | Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_the_promised_order_and_empty_ones_not_at_all() {
        let user = User {
            id: "u-7".into(),
            display_name: "mira".into(),
            display_color: 42,
            scopes: vec![MODERATOR.into()],
            is_authenticated: true,
            ..User::default()
        };
        let json = r#"{"id":"u-7","displayName":"mira","displayColor":42,"scopes":["MODERATOR"],"isAuthenticated":true}"#;
        assert_eq!(serde_json::to_string(&user).unwrap(), json);
        let message = ChatMessage {
            id: "m-91".into(),
            user: Some(user),
            client_id: Some(12),
            body: "good evening".into(),
            timestamp: time("2026-03-02T19:04:05.12Z".parse().unwrap()),
        };
        assert_eq!(
            serde_json::to_string(&message).unwrap(),
            format!(
                r#"{{"id":"m-91","user":{json},"clientId":12,"body":"good evening","timestamp":"2026-03-02T19:04:05.120000000Z"}}"#
            )
        );
    }

    #[test]
    fn a_line_of_nobody_has_neither_user_nor_connection() {
        let message = ChatMessage {
            client_id: Some(0),
            ..ChatMessage::default()
        };
        assert_eq!(
            serde_json::to_string(&message).unwrap(),
            r#"{"id":"","body":"","timestamp":""}"#
        );
    }

    #[test]
    fn what_plugins_tests_bring_is_passed_on_letter_by_letter() {
        let raw = RawValue::from_string(r#"{"b":1, "a":2}"#.into()).unwrap();
        let reading: MaybeRaw<StreamNow> = MaybeRaw::Raw(raw);
        assert_eq!(
            serde_json::to_string(&reading).unwrap(),
            r#"{"b":1, "a":2}"#
        );
    }
}
