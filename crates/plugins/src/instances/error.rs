//! Why a plugin gave no answer.

use crate::engine::CallError;

/// Why a plugin gave no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum AskError {
    /// It is not running: starting, restarting, crashed or gone.
    #[error("the plugin is not running")]
    NotRunning,
    /// Its mailbox is full.
    #[error("the plugin is too busy")]
    Busy,
    /// The answer did not come in time.
    #[error("the plugin did not answer in time")]
    Late,
    /// Its filter's answer is not a verdict.
    #[error("the filter's answer cannot be read: {0}")]
    Unreadable(String),
    #[error(transparent)]
    Failed(#[from] CallError),
}
