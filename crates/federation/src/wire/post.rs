//! A remote post, and who was meant to read it.

use jiff::Timestamp;
use model::fediverse::{RemoteActor, RemoteAttachment, RemotePost, Visibility};
use serde_json::{Map, Value};

use super::person::page;
use super::read::{has_type, id_of, is_public, list_of, string_of, text_of, time_of};
use super::sanitise::{MAX_NAME_CHARS, html, plain, plain_text, web_url};

/// Attachments that are kept; the rest is left out.
pub const MAX_ATTACHMENTS: usize = 16;
/// Characters of a picture's description.
const MAX_ALT_CHARS: usize = 1500;
/// Characters of a language tag; a longer one is none.
const MAX_LANGUAGE_CHARS: usize = 35;

/// A post with nothing executable in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedNote {
    pub id: String,
    /// The address where people read it.
    pub url: String,
    /// Sanitised HTML.
    pub content: String,
    /// The same without markup.
    pub content_text: String,
    /// When it was written, by its author's clock.
    pub posted_at: Option<Timestamp>,
    /// The post it replies to.
    pub in_reply_to: Option<String>,
    pub attachments: Vec<RemoteAttachment>,
    pub language: Option<String>,
}

impl ParsedNote {
    /// Reads a Note; `None` if it has no id.
    pub fn read(note: &Map<String, Value>) -> Option<Self> {
        let id = note.get("id")?.as_str()?;
        let text = text_of(note, "content");
        let (value, language) = match &text {
            Some(text) => (text.value.as_str(), text.language.as_deref()),
            None => ("", None),
        };
        let content = html(value);
        let attachments = list_of(note.get("attachment")).iter();
        Some(Self {
            id: id.to_owned(),
            url: page(note).unwrap_or_else(|| id.to_owned()),
            content_text: plain_text(&content),
            content,
            posted_at: time_of(note.get("published")),
            in_reply_to: list_of(note.get("inReplyTo"))
                .first()
                .and_then(id_of)
                .map(str::to_owned),
            attachments: attachments
                .filter_map(attachment)
                .take(MAX_ATTACHMENTS)
                .collect(),
            language: language
                .map(|tag| plain(tag, MAX_LANGUAGE_CHARS + 1))
                .filter(|tag| !tag.is_empty() && tag.chars().count() <= MAX_LANGUAGE_CHARS),
        })
    }
}

impl ParsedNote {
    /// The form used in events.
    pub fn by(self, actor: RemoteActor, visibility: Visibility) -> RemotePost {
        RemotePost {
            actor,
            content: self.content,
            content_text: self.content_text,
            url: self.url,
            posted_at: self.posted_at,
            in_reply_to: self.in_reply_to,
            attachments: self.attachments,
            language: self.language,
            visibility,
        }
    }
}

fn attachment(value: &Value) -> Option<RemoteAttachment> {
    let object = value.as_object()?;
    if !has_type(object, "Image") && !has_type(object, "Document") {
        return None;
    }
    let alt =
        string_of(object.get("name")).map(|alt| plain(&plain_text(&html(alt)), MAX_ALT_CHARS));
    let media_type = string_of(object.get("mediaType")).map(|name| plain(name, MAX_NAME_CHARS));
    Some(RemoteAttachment {
        url: page(object).or_else(|| web_url(string_of(object.get("href"))?))?,
        media_type: media_type.filter(|name| !name.is_empty()),
        alt: alt.filter(|alt| !alt.is_empty()),
    })
}

/// Who was meant to read it, according to the addressing of the post and of the activity around it.
pub fn visibility(activity: &Map<String, Value>, note: &Map<String, Value>) -> Visibility {
    let addressed = |name: &str| {
        let both = [list_of(note.get(name)), list_of(activity.get(name))];
        both.into_iter().flatten().filter_map(id_of)
    };
    if addressed("to").any(is_public) {
        return Visibility::Public;
    }
    if addressed("cc").any(is_public) {
        return Visibility::Unlisted;
    }
    // Every server names that collection this way; a wrong guess makes a post more private than it was, never less.
    let is_followers = |iri: &str| iri.ends_with("/followers") || iri.ends_with("/follow");
    match addressed("to").chain(addressed("cc")).any(is_followers) {
        true => Visibility::Followers,
        false => Visibility::Direct,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(note: &Value) -> Option<ParsedNote> {
        ParsedNote::read(note.as_object().unwrap())
    }

    #[test]
    fn a_post_is_read_and_made_harmless() {
        let post = read(&json!({
            "id": "https://a.example/1", "url": ["https://a.example/@b/1"],
            "contentMap": {"en": "<p>Hi<script>x</script></p>"},
            "published": "2026-08-18T12:00:00Z", "inReplyTo": ["https://live.example/federation/x"],
            "attachment": [
                {"type": "Image", "url": "https://a.example/1.png", "mediaType": "image/png", "name": "a <b>cat</b>"},
                {"type": "Image", "url": "javascript:1"}, {"type": "Link", "href": "https://a.example"}, 7,
            ],
        }))
        .unwrap();
        assert_eq!(post.content, "<p>Hi</p>");
        assert_eq!(post.content_text, "Hi");
        assert_eq!(post.language.as_deref(), Some("en"));
        assert_eq!(post.url, "https://a.example/@b/1");
        assert_eq!(
            post.in_reply_to.as_deref(),
            Some("https://live.example/federation/x")
        );
        assert_eq!(post.attachments.len(), 1);
        assert_eq!(post.attachments[0].alt.as_deref(), Some("a cat"));
        assert!(post.posted_at.is_some());
        assert!(read(&json!({"content": "x"})).is_none());
    }

    #[test]
    fn who_was_meant_to_read_it_is_found_in_both_layers() {
        let of = |activity: Value, note: Value| {
            visibility(activity.as_object().unwrap(), note.as_object().unwrap())
        };
        assert_eq!(
            of(json!({"to": "as:Public"}), json!({})),
            Visibility::Public
        );
        assert_eq!(
            of(json!({}), json!({"cc": ["Public"]})),
            Visibility::Unlisted
        );
        let followers = json!({"to": ["https://a.example/users/b/followers"]});
        assert_eq!(of(followers, json!({})), Visibility::Followers);
        let direct = json!({"to": ["https://live.example/federation/user/live"]});
        assert_eq!(of(direct, json!({})), Visibility::Direct);
    }
}
