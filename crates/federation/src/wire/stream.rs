//! What another server says about its stream, under any namespace such servers use.

use serde_json::{Map, Value};

use super::read::string_of;
use super::sanitise::{plain, web_url};

/// Characters of a stream's title.
const MAX_TITLE_CHARS: usize = 300;
/// Characters of a description.
const MAX_DESCRIPTION_CHARS: usize = 2000;
/// Characters of a server's name.
const MAX_SERVER_NAME_CHARS: usize = 200;
/// Tags that are kept; the rest is left out.
const MAX_TAGS: usize = 20;
/// Characters of a tag.
const MAX_TAG_CHARS: usize = 100;

/// The metadata in an activity of a server like ours, cut to size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamMetadata {
    /// Whether it says the stream is live; `None` if it says neither.
    pub is_live: Option<bool>,
    pub title: Option<String>,
    /// The server's description of itself.
    pub description: Option<String>,
    /// The server's name.
    pub server_name: Option<String>,
    pub logo_url: Option<String>,
    /// A picture of the stream.
    pub thumbnail_url: Option<String>,
    pub tags: Vec<String>,
}

impl StreamMetadata {
    /// Reads the top-level properties whose names start with one of these namespaces and a `#`.
    pub fn read(activity: &Map<String, Value>, namespaces: &[&str]) -> Self {
        let get = |name: &str| property(activity, namespaces, name);
        let line = |name: &str, max: usize| {
            let text = string_of(get(name)).map(|text| plain(text, max));
            text.filter(|text| !text.is_empty())
        };
        let url = |name: &str| string_of(get(name)).and_then(web_url);
        // A single text is not a list, and no server like ours writes one.
        let tags = get("streamTags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_str);
        Self {
            is_live: match string_of(get("streamStatus")) {
                Some("live") => Some(true),
                Some("offline") => Some(false),
                _ => None,
            },
            title: line("streamTitle", MAX_TITLE_CHARS),
            description: line("streamDescription", MAX_DESCRIPTION_CHARS),
            server_name: line("serverName", MAX_SERVER_NAME_CHARS),
            logo_url: url("logoUrl"),
            thumbnail_url: url("thumbnailUrl"),
            tags: tags
                .map(|tag| plain(tag, MAX_TAG_CHARS))
                .filter(|tag| !tag.is_empty())
                .take(MAX_TAGS)
                .collect(),
        }
    }
}

/// Whether a Follow says it comes from a directory. No other property does.
pub fn is_directory(activity: &Map<String, Value>, namespaces: &[&str]) -> bool {
    let mut marks = namespaces
        .iter()
        .filter_map(|space| activity.get(&format!("{space}#directory")));
    marks.any(|mark| *mark == Value::Bool(true) || mark == "true")
}

fn property<'a>(
    activity: &'a Map<String, Value>,
    namespaces: &[&str],
    name: &str,
) -> Option<&'a Value> {
    namespaces
        .iter()
        .find_map(|space| activity.get(&format!("{space}#{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SPACES: [&str; 2] = ["https://rillcast.example/ns", "https://owncast.online/ns"];

    fn read(document: &Value) -> StreamMetadata {
        StreamMetadata::read(document.as_object().unwrap(), &SPACES)
    }

    // Case 51 of docs/federation-cases.md, as far as it is about what is kept.
    #[test]
    fn metadata_is_clamped_and_read_under_either_namespace() {
        let news = read(&json!({
            "https://owncast.online/ns#streamStatus": "live",
            "https://rillcast.example/ns#streamTitle": "x".repeat(5000),
            "https://owncast.online/ns#thumbnailUrl": "ftp://a.example/t.jpg",
            "https://owncast.online/ns#logoUrl": "https://a.example/logo.png",
            "https://owncast.online/ns#streamTags": vec!["t".repeat(200); 30],
        }));
        assert_eq!(news.is_live, Some(true));
        assert_eq!(news.title.unwrap().len(), 300);
        assert_eq!(news.thumbnail_url, None);
        assert_eq!(news.logo_url.as_deref(), Some("https://a.example/logo.png"));
        assert_eq!(news.tags, vec!["t".repeat(100); 20]);
        let tags = json!({"https://owncast.online/ns#streamTags": "music"});
        assert!(read(&tags).tags.is_empty());
        assert_eq!(
            read(&json!({"streamStatus": "live"})),
            StreamMetadata::default()
        );
    }

    #[test]
    fn only_the_mark_makes_a_directory() {
        let is = |value: Value| is_directory(value.as_object().unwrap(), &SPACES);
        assert!(is(json!({"https://owncast.online/ns#directory": true})));
        assert!(is(json!({"https://rillcast.example/ns#directory": "true"})));
        for mark in [
            json!(false),
            json!("yes"),
            json!(1),
            json!([true]),
            Value::Null,
        ] {
            assert!(!is(json!({"https://owncast.online/ns#directory": mark})));
        }
        assert!(!is(json!({"directory": true})));
        assert!(!is(
            json!({"https://owncast.online/ns#streamStatus": "live"})
        ));
    }
}
