//! Who talks in the chat.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::ids::UserId;

/// The colours a name can have: 0 to this.
pub const MAX_COLOR: i64 = 7;

/// A person or a bot as others see them.
///
/// The JSON form is part of stored events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatUser {
    /// Who.
    pub id: UserId,
    /// As shown.
    pub display_name: String,
    /// 0 to [`MAX_COLOR`].
    pub display_color: i64,
    /// First seen.
    pub created_at: Timestamp,
    /// Former names, oldest first, the present one last.
    pub previous_names: Vec<String>,
    /// Last rename.
    pub name_changed_at: Option<Timestamp>,
    /// The identity of an access token.
    pub is_bot: bool,
    /// Signed in with another identity.
    pub is_authenticated: bool,
    /// May moderate.
    pub is_moderator: bool,
}

/// A name without what only looks different: two names with the same key are one name to those who read them.
pub fn name_key(name: &str) -> String {
    let folded = name.nfkc().flat_map(char::to_lowercase);
    let visible = folded.filter(|sign| !sign.is_whitespace() && !sign.is_control());
    visible.filter(|sign| !is_selector(*sign)).nfkc().collect()
}

/// Chooses between forms of the sign before it, and shows nothing by itself.
fn is_selector(sign: char) -> bool {
    matches!(sign, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::name_key;

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
}
