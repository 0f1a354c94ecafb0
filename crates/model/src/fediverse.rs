//! People and posts of other servers, as events carry them.
//!
//! The creator of a value has sanitised and clamped every text and address in it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The longest received activity that is logged as it came; a longer one is handled, but not logged.
pub const MAX_LOGGED_ACTIVITY_BYTES: usize = 64 * 1024;

/// Somebody on another server.
///
/// The JSON form is part of stored events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteActor {
    /// The actor's id.
    pub iri: String,
    /// Display name; the user part of the handle if they have none.
    pub name: String,
    /// `@alice@remote.example`.
    pub handle: String,
    /// Their page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Their picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}

/// Who can read a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Visibility {
    /// Everybody, and it is shown in public lists.
    Public,
    /// Everybody who has its address.
    Unlisted,
    Followers,
    /// The people it names.
    Direct,
}

impl Visibility {
    /// As the JSON spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Visibility::Public => "public",
            Visibility::Unlisted => "unlisted",
            Visibility::Followers => "followers",
            Visibility::Direct => "direct",
        }
    }
}

/// A picture or a document at a post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteAttachment {
    pub url: String,
    /// What its server says it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Alternative text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
}

/// A post of somebody on another server.
///
/// The JSON form is part of stored events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemotePost {
    pub actor: RemoteActor,
    /// Sanitised HTML.
    pub content: String,
    /// The same without markup.
    pub content_text: String,
    /// Where people read it.
    pub url: String,
    /// When its server says it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posted_at: Option<Timestamp>,
    /// The post it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<String>,
    #[serde(default)]
    pub attachments: Vec<RemoteAttachment>,
    /// The language that its server declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Who can read it; it must not be shown to others.
    pub visibility: Visibility,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_is_spelled_as_plugins_and_bots_know_it() {
        let post = RemotePost {
            actor: RemoteActor {
                iri: "https://remote.example/users/alice".into(),
                name: "Alice".into(),
                handle: "@alice@remote.example".into(),
                url: Some("https://remote.example/@alice".into()),
                image: None,
            },
            content: "<p>hi</p>".into(),
            content_text: "hi".into(),
            url: "https://remote.example/@alice/1".into(),
            posted_at: Some(Timestamp::UNIX_EPOCH),
            in_reply_to: None,
            attachments: vec![RemoteAttachment {
                url: "https://remote.example/1.png".into(),
                media_type: Some("image/png".into()),
                alt: None,
            }],
            language: Some("en".into()),
            visibility: Visibility::Direct,
        };
        let json = serde_json::to_value(&post).unwrap();
        let expected = serde_json::json!({
            "actor": {
                "iri": "https://remote.example/users/alice", "name": "Alice", "handle": "@alice@remote.example",
                "url": "https://remote.example/@alice"
            },
            "content": "<p>hi</p>", "contentText": "hi", "url": "https://remote.example/@alice/1",
            "postedAt": "1970-01-01T00:00:00Z",
            "attachments": [{"url": "https://remote.example/1.png", "mediaType": "image/png"}],
            "language": "en", "visibility": "direct"
        });
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<RemotePost>(json).unwrap(), post);
    }

    #[test]
    fn who_can_read_a_post_is_spelled_one_way() {
        let all = [
            Visibility::Public,
            Visibility::Unlisted,
            Visibility::Followers,
            Visibility::Direct,
        ];
        for visibility in all {
            let json = serde_json::to_value(visibility).unwrap();
            assert_eq!(json, visibility.as_str());
        }
    }
}
