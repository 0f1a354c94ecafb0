//! Why a manifest is rejected, and where in it.

use std::fmt;

use thiserror::Error;

/// Why a manifest is rejected.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{path}: {why}")]
pub struct ManifestError {
    /// The position in the document, as in `actions[1].url`.
    pub path: String,
    /// What is wrong there and what would be valid.
    pub why: String,
}

impl ManifestError {
    pub(super) fn at(path: &str, why: impl fmt::Display) -> Self {
        let path = if path.is_empty() {
            "plugin.manifest.json"
        } else {
            path
        };
        Self {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}
