//! The slug: a plugin's identity in addresses, folders, stored values and event names.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Letters a slug may have: it is a folder's name and a part of addresses.
pub const MAX_SLUG_BYTES: usize = 64;

/// What a slug looks like, for messages.
pub(crate) const PATTERN: &str = "^[a-z][a-z0-9-]{0,63}$";

/// A well-formed slug.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(Arc<str>);

impl Slug {
    /// A text that is already a slug.
    pub fn parse(text: &str) -> Option<Self> {
        is_slug(text).then(|| Self(text.into()))
    }

    /// The slug for a display name: letters and digits stay, runs of anything else become one hyphen. `None` if nothing
    /// is left, the first character is a digit, or it is too long.
    pub fn derive(name: &str) -> Option<Self> {
        let mut slug = String::new();
        let mut gap = false;
        for letter in name.chars() {
            if letter.is_ascii_alphanumeric() {
                if gap && !slug.is_empty() {
                    slug.push('-');
                }
                gap = false;
                slug.push(letter.to_ascii_lowercase());
            } else {
                gap = true;
            }
        }
        Self::parse(&slug)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn to_arc(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

/// Tab slugs follow the same rule.
pub(crate) fn is_slug(text: &str) -> bool {
    text.len() <= MAX_SLUG_BYTES
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::borrow::Borrow<str> for Slug {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Serialize for Slug {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_derived_from_the_name() {
        let derived = |name: &str| Slug::derive(name).map(|slug| slug.as_str().to_owned());
        assert_eq!(
            derived("Awesome Echo Bot").as_deref(),
            Some("awesome-echo-bot")
        );
        assert_eq!(derived("Café Helper").as_deref(), Some("caf-helper"));
        assert_eq!(derived("  --A__b!! ").as_deref(), Some("a-b"));
        assert_eq!(derived("日本"), None);
        assert_eq!(derived("3 Wishes"), None);
        assert_eq!(derived(&"a".repeat(64)).map(|slug| slug.len()), Some(64));
        assert_eq!(derived(&"a".repeat(65)), None);
    }

    #[test]
    fn a_slug_begins_with_a_small_letter_and_has_no_others_but_digits_and_hyphens() {
        for good in ["a", "door-bell", "x2", "a-"] {
            assert!(Slug::parse(good).is_some(), "{good}");
        }
        for bad in ["", "A", "2x", "-a", "a_b", "a.b", "a/b", "ä"] {
            assert!(Slug::parse(bad).is_none(), "{bad}");
        }
    }
}
