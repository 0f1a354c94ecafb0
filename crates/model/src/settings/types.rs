//! Composite setting values.

mod action;
mod notice;
mod storage;
mod variant;

pub use action::ExternalAction;
pub use notice::{BrowserNotice, DiscordNotice};
pub use storage::S3;
pub use variant::VideoVariant;

pub(super) use action::checked as checked_actions;
pub(super) use notice::{checked_browser, checked_discord};
pub(super) use storage::checked as checked_s3;
pub(super) use variant::{checked as checked_variants, pass_through};

use std::fmt;

use serde::{Deserialize, Serialize};

/// A link to the operator elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocialHandle {
    /// A known platform id such as `github`, or any name.
    pub platform: String,
    pub url: String,
}

/// A key a broadcaster may publish with.
#[derive(Clone, Serialize, Deserialize)]
pub struct StreamKey {
    pub key: String,
    /// Whose it is; for the operator only.
    #[serde(default)]
    pub comment: String,
    /// A broadcaster with this key replaces one that is already on.
    #[serde(
        default,
        rename = "takeOver",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub take_over: bool,
    /// What is sent with this key is recorded, where that is a matter of the key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub record: bool,
}

impl fmt::Debug for StreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamKey")
            .field("comment", &self.comment)
            .finish_non_exhaustive()
    }
}
