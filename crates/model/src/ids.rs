//! Identifiers as types, so that one cannot be passed for another.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Longest id we store or accept; ours are far shorter.
const MAX_ID_CHARS: usize = 64;

/// A string that cannot be an id.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("an id is 1 to {MAX_ID_CHARS} characters from A-Z a-z 0-9 _ -")]
pub struct InvalidId;

fn check(text: &str) -> Result<(), InvalidId> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.is_empty() || text.len() > MAX_ID_CHARS || !text.chars().all(allowed) {
        return Err(InvalidId);
    }
    Ok(())
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                Self::parse(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl $name {
            /// Checks length and alphabet.
            pub fn parse(text: impl Into<String>) -> Result<Self, InvalidId> {
                let text = text.into();
                check(&text)?;
                Ok(Self(text))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    UserId
}
id! {
    /// A line in the chat, or an event about it.
    MessageId
}
id! {
    /// An access token's row; not the secret itself.
    TokenId
}
id! {
    /// An announced stream, or a series of them.
    ScheduleId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_and_plain() {
        assert!(UserId::parse("x-_9Z").is_ok());
        for bad in ["", "a b", "ä", "../x", &"a".repeat(65)] {
            assert_eq!(UserId::parse(bad), Err(InvalidId), "{bad:?}");
        }
    }
}
