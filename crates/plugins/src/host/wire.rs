//! What plugins see, field by field.
//!
//! The order of the fields is a promise: plugins hand objects back as they got them, and tests of plugins compare texts.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use model::chat::ChatUser;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// Times have nine digits after the second, always.
const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(9));

/// The right of a moderator, as plugins know it.
pub const MODERATOR: &str = "MODERATOR";

/// A time as plugins see it.
pub fn time(at: Timestamp) -> String {
    PRINTER.timestamp_to_string(&at)
}

/// A person or a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct User {
    pub id: String,
    /// As shown.
    pub display_name: String,
    pub display_color: i64,
    /// Former names, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub previous_names: Vec<String>,
    /// First seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Banned since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<String>,
    /// Rights.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// No person.
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

/// A line in the chat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatMessage {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    /// The connection it came from.
    #[serde(skip_serializing_if = "is_no_client")]
    pub client_id: Option<u64>,
    /// As typed.
    pub body: String,
    pub timestamp: String,
}

/// A connection to the chat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatClient {
    pub id: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user_id: String,
    /// Their name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connected_at: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user_agent: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ip_address: String,
    /// Lines sent over it.
    pub message_count: u64,
}

/// What is on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamNow {
    /// Whether something can be watched.
    pub online: bool,
    /// What it is called.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What the server is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// How many watch.
    pub viewers: u32,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// 0 (fastest) to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_level: Option<u8>,
}

/// What the broadcaster sends; everything is missing while nobody does.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Broadcaster {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remote_addr: String,
    /// Of picture and sound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub codecs: Vec<String>,
    /// `1920x1080`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resolution: String,
    /// Pictures a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framerate: Option<f64>,
    /// In kbit/s, of picture and sound.
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
    /// What it is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What newcomers read in the chat.
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

/// A picture for the chat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Emote {
    pub name: String,
    /// The picture, on this server.
    pub url: String,
}

/// How this server takes part in the Fediverse.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FederationInfo {
    /// Whether at all.
    pub enabled: bool,
    /// Under which name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub username: String,
    /// Followers need consent, posts are for them only.
    #[serde(skip_serializing_if = "is_false")]
    pub is_private: bool,
}

/// How the video is made.
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
    /// Pictures a second.
    pub framerate: u32,
    /// In kbit/s.
    pub video_bitrate: u32,
    /// 0 to 4.
    pub cpu_usage_level: u32,
    /// The picture as the broadcaster sends it.
    pub is_passthrough: bool,
}

/// What a plugin wants changed about the video; nothing else changes.
#[derive(Clone, Debug, Default)]
pub struct VideoConfigChange {
    /// 0 (fastest) to 4.
    pub latency_level: Option<u8>,
    pub codec: Option<String>,
    /// `off`, `always` or `sound-only`.
    pub autoplay: Option<String>,
    /// The qualities, all of them.
    pub variants: Option<Vec<VideoVariant>>,
    /// As the plugin wrote it.
    pub given: Option<Box<RawValue>>,
}

/// An object of ours, or one that is passed on letter by letter (plugins' tests bring their own).
#[derive(Clone, Debug)]
pub enum MaybeRaw<T> {
    /// A value of this server.
    Typed(T),
    /// JSON text as it came.
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
