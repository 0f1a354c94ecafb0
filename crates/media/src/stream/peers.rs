//! What a server hears of the others that share its database.

use std::fmt::Debug;

/// Whether other servers are there, as far as it is known beside the database.
pub trait IngestPeers: Debug + Send + Sync {
    /// Whether this holder of a lease used to be heard and is not heard any more. False where nothing is known.
    fn is_silent(&self, holder: &str) -> bool;
}

/// Nothing is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoPeers;

impl IngestPeers for NoPeers {
    fn is_silent(&self, _: &str) -> bool {
        false
    }
}
