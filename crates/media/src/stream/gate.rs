//! Who may publish; answered by whoever knows the keys.

use std::fmt;

use model::Secret;

/// A key that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishGrant {
    /// What the operator calls the key.
    pub name: String,
    /// A publisher with this key may replace another that is still sending.
    pub may_take_over: bool,
}

/// Knows the stream keys.
pub trait PublishGate: fmt::Debug + Send + Sync {
    /// The grant that belongs to a key; nothing for a wrong one. Takes the same time for every wrong key.
    fn admit(&self, key: &Secret) -> Option<PublishGrant>;
}
