//! Who may publish; implemented by the owner of the stream keys.

use std::fmt;

use model::Secret;

/// The rights of an accepted key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishGrant {
    /// The operator's name for the key.
    pub name: String,
    /// Whether a publisher with this key may replace one that is still sending.
    pub may_take_over: bool,
    /// Whether what is sent with this key is to be recorded.
    pub is_recorded: bool,
}

/// Checks stream keys.
pub trait PublishGate: fmt::Debug + Send + Sync {
    /// The grant for a key; `None` for a wrong one. Takes the same time for every wrong key.
    fn admit(&self, key: &Secret) -> Option<PublishGrant>;
}
