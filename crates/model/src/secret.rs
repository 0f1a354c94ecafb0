//! Text that must not be printed.

use std::fmt;

use serde::{Deserialize, Deserializer};

/// A password, key or token in clear text.
///
/// `Debug` is redacted and there is no `PartialEq`: `access` compares secrets, in constant time.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps clear text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The clear text; the name makes each use visible in review.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_does_not_show_the_secret() {
        assert!(!format!("{:?}", Secret::new("hunter2")).contains("hunter2"));
    }
}
