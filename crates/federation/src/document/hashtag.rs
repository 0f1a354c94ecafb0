//! Hashtags: what may be one, how they are found in text, where they link.

use serde_json::{Value, json};
use unicode_normalization::char::is_combining_mark;

use super::text::escaped;

/// Hashtags in one document; more are left out. Servers show a handful and refuse hundreds.
const MAX_TAGS: usize = 50;
/// Characters in one; the rest is cut off.
const MAX_CHARS: usize = 100;

/// Whether `c` may be part of a hashtag: letters and digits of every script, with their marks, and `_`.
pub fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// A topic as a hashtag without its `#`; `None` if no character of it is allowed in one.
pub fn normalise(topic: &str) -> Option<String> {
    let kept: String = topic
        .chars()
        .filter(|c| is_part(*c))
        .take(MAX_CHARS)
        .collect();
    // A mark or an underscore alone is not a word.
    kept.chars().any(char::is_alphanumeric).then_some(kept)
}

/// Topics as hashtags: none empty, no duplicates that differ only in case, in the original order.
pub fn normalised<S: AsRef<str>>(topics: &[S]) -> Vec<String> {
    let tags = topics.iter().filter_map(|topic| normalise(topic.as_ref()));
    distinct(tags)
}

/// Each hashtag once, regardless of case, up to a limit.
pub fn distinct(tags: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        let folded = tag.to_lowercase();
        let is_known = kept.iter().any(|known| known.to_lowercase() == folded);
        if !is_known && kept.len() < MAX_TAGS {
            kept.push(tag);
        }
    }
    kept
}

/// The address a hashtag links to.
pub fn href(directory_url: &str, tag: &str) -> String {
    let mut path = String::with_capacity(tag.len());
    for byte in tag.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => path.push(char::from(byte)),
            other => path.push_str(&format!("%{other:02X}")),
        }
    }
    format!("{directory_url}/tags/{path}")
}

/// The hashtag as an HTML link; servers recognise it by its class or its `rel`.
pub fn anchor(directory_url: &str, tag: &str) -> String {
    format!(
        "<a class=\"mention hashtag\" rel=\"tag\" href=\"{}\">#{}</a>",
        escaped(&href(directory_url, tag)),
        escaped(tag)
    )
}

/// The hashtag as a member of `tag`.
pub fn object(directory_url: &str, tag: &str) -> Value {
    json!({ "type": "Hashtag", "name": format!("#{tag}"), "href": href(directory_url, tag) })
}

/// A piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Plain text.
    Text(&'a str),
    /// A hashtag, without its `#`.
    Tag(&'a str),
}

/// Splits text shown to people into hashtags and the rest. All pieces joined, with `#` before each tag, give the
/// original text.
///
/// A hashtag starts outside words and addresses, and has at least one letter: `#1` is a number, and the `#top` of
/// `page#top` is part of something else.
pub fn split(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut plain_from, mut at) = (0, 0);
    while let Some(found) = text[at..].find('#') {
        let hash = at + found;
        let rest = &text[hash + 1..];
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let tag = &rest[..length];
        let before = text[..hash].chars().next_back();
        let may_begin = before.is_none_or(|c| !is_part(c) && !matches!(c, '/' | '#' | '&' | '='));
        let is_word = tag.chars().any(char::is_alphabetic) && tag.chars().count() <= MAX_CHARS;
        at = hash + 1 + length;
        if may_begin && is_word {
            if plain_from < hash {
                pieces.push(Piece::Text(&text[plain_from..hash]));
            }
            pieces.push(Piece::Tag(tag));
            plain_from = at;
        }
    }
    if plain_from < text.len() {
        pieces.push(Piece::Text(&text[plain_from..]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case 13 of docs/federation-cases.md.
    #[test]
    fn topics_keep_their_script_and_lose_what_no_hashtag_can_have() {
        let topics = [
            "C++",
            "日本",
            "<b>",
            "",
            "live coding",
            "Music",
            "MUSIC",
            "__",
            "नमस्ते",
        ];
        assert_eq!(
            normalised(&topics),
            ["C", "日本", "b", "livecoding", "Music", "नमस्ते"]
        );
        assert_eq!(
            href("https://directory.example", "日本"),
            "https://directory.example/tags/%E6%97%A5%E6%9C%AC"
        );
    }

    #[test]
    fn hashtags_begin_where_a_word_may_begin() {
        use Piece::{Tag, Text};
        assert_eq!(
            split("#a and #ab, x#c #1 ##d #日本!"),
            [
                Tag("a"),
                Text(" and "),
                Tag("ab"),
                Text(", x#c #1 ##d "),
                Tag("日本"),
                Text("!"),
            ]
        );
        assert_eq!(
            split("https://a.example/#top"),
            [Text("https://a.example/#top")]
        );
        assert_eq!(split(""), []);
    }

    proptest::proptest! {
        #[test]
        fn no_letter_of_the_text_is_lost(text in "[#a-c1 &/日é_\u{301}\n<]{0,40}") {
            let again: String = split(&text)
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => (*text).to_owned(),
                    Piece::Tag(tag) => format!("#{tag}"),
                })
                .collect();
            proptest::prop_assert_eq!(again, text);
        }

        #[test]
        fn whatever_is_typed_a_hashtag_is_harmless_and_final(topic in "\\PC{0,150}") {
            if let Some(tag) = normalise(&topic) {
                proptest::prop_assert!(!tag.is_empty() && tag.chars().count() <= MAX_CHARS);
                proptest::prop_assert_eq!(escaped(&tag), tag.clone());
                proptest::prop_assert_eq!(normalise(&tag), Some(tag.clone()));
                proptest::prop_assert!(href("https://d.example", &tag).is_ascii());
            }
        }
    }
}
