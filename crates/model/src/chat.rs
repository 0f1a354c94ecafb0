//! People and bots in the chat.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;
use unicode_segmentation::UnicodeSegmentation;

use crate::ids::{MessageId, UserId};

/// The colours a name can have: 0 to this.
pub const MAX_COLOR: i64 = 7;

/// Limit (viewers): characters of a chat message; a longer one is refused. They are counted as people count them.
pub const MAX_LINE_CHARS: usize = 500;

/// Bytes of a line, which are no fewer than a person can send: what people see as one character can be put together from any
/// number of code points.
pub const MAX_LINE_BYTES: usize = 2048;

/// Whether a line has more than [`MAX_LINE_CHARS`] or [`MAX_LINE_BYTES`].
pub fn is_too_long(line: &str) -> bool {
    if line.len() > MAX_LINE_BYTES {
        return true;
    }
    // Two steps, because counting graphemes takes longer than counting code points.
    line.chars().count() > MAX_LINE_CHARS && line.graphemes(true).count() > MAX_LINE_CHARS
}

/// By this name readers know the server itself, so nobody gets it, or one that looks like it.
pub const SERVER_NAME: &str = "Server";

/// A person or a bot as others see them.
///
/// The JSON form is part of stored events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatUser {
    pub id: UserId,
    pub display_name: String,
    /// 0 to [`MAX_COLOR`].
    pub display_color: i64,
    /// When they were first seen.
    pub created_at: Timestamp,
    /// All names, oldest first, the present one last.
    pub previous_names: Vec<String>,
    /// When they last changed their name.
    pub name_changed_at: Option<Timestamp>,
    /// Whether they are an access token's identity.
    pub is_bot: bool,
    /// Whether they have signed in with another identity.
    pub is_authenticated: bool,
    /// Whether they may moderate.
    pub is_moderator: bool,
}

/// The line that a line replies to.
///
/// The JSON form is stored with the line, and part of stored events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    pub id: MessageId,
    /// The author's name at the time of the reply.
    pub display_name: String,
    /// The start of the line, without markup.
    pub excerpt: String,
}

/// A name without differences that cannot be seen: readers take two names with the same key for one.
pub fn name_key(name: &str) -> String {
    let folded = name.nfkc().flat_map(char::to_lowercase);
    let visible = folded.filter(|sign| !sign.is_whitespace() && !sign.is_control());
    visible.filter(|sign| !is_selector(*sign)).nfkc().collect()
}

/// Whether a reader may take one name for the other (UTS 39): letters of other alphabets, digits for letters,
/// capital I for small l.
pub fn looks_like(name: &str, other: &str) -> bool {
    let [one, two] = looks(name);
    let others = looks(other);
    !one.is_empty() && (others.contains(&one) || others.contains(&two))
}

/// How a name looks as written, and in lower case.
fn looks(name: &str) -> [String; 2] {
    let written: String = name.nfkc().filter(|sign| !sign.is_whitespace()).collect();
    [written, name_key(name)].map(|name| {
        let look = skeleton(&name).flat_map(char::to_lowercase);
        look.filter(|sign| !is_selector(*sign)).collect()
    })
}

/// A variation selector: chooses a form of the character before it, and is invisible itself.
fn is_selector(sign: char) -> bool {
    matches!(sign, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE_BYTES, is_too_long, looks_like, name_key};

    #[test]
    fn a_line_is_bounded_in_bytes_whatever_people_see_of_it() {
        let one = |bytes: usize| "\u{1100}".repeat(bytes / 3);
        assert!(is_too_long(&one(900_000)));
        assert!(!is_too_long(&one(MAX_LINE_BYTES)));
        assert!(!is_too_long(&"\u{1f600}".repeat(500)));
        assert!(is_too_long(&"a".repeat(501)));
    }

    #[test]
    fn names_that_look_alike_have_one_key() {
        for (one, other) in [
            ("Ada", "ada"),
            ("ada", "\u{ff41}da"),
            ("e\u{301}va", "\u{e9}va"),
            ("Ada  L", "ada l"),
            ("ada\u{fe0f}", "ada"),
            ("\u{fe0f}", ""),
            ("STRA\u{df}E", "stra\u{df}e"),
        ] {
            assert_eq!(name_key(one), name_key(other), "{one} {other}");
        }
        assert_ne!(name_key("ada"), name_key("adam"));
    }

    #[test]
    fn a_name_that_a_reader_takes_for_another_looks_like_it() {
        for other in [
            "moddy",
            "Moddy",
            "M\u{43e}ddy",
            "\u{ff2d}oddy",
            "m0ddy",
            " Mod dy",
            "\u{1d40c}oddy",
        ] {
            assert!(looks_like(other, "Moddy"), "{other}");
        }
        assert!(looks_like("A\u{49}ice", "Alice"), "a large I for a small l");
        assert!(looks_like("\u{405}erver", "Server"));
        for other in ["moddy2", "Modd", "", "\u{fe0f}", "Maddy"] {
            assert!(!looks_like(other, "Moddy"), "{other}");
        }
        assert!(!looks_like("", ""));
    }
}
