//! What a viewer is called between machines, so that one who is seen by two of them counts once.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Identifies a viewer towards the other machines of a cluster, which make the same mark of the same viewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewerMark {
    /// The same for all viewers with this address and user agent.
    pub client: u64,
    /// 0 for a client that has told no session.
    pub session: u32,
}

/// What marks are made with: without it nobody can tell whether a mark is that of an address.
pub(super) struct MarkKey(Vec<u8>);

impl fmt::Debug for MarkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MarkKey(…)")
    }
}

impl MarkKey {
    pub(super) fn new(key: &[u8]) -> Self {
        Self(key.to_vec())
    }

    pub(super) fn mark(&self, client: &impl Hash, session: Option<&str>) -> ViewerMark {
        // Half of the bits are enough among the sessions of one client.
        let short = |session: &str| (self.hash_one(&session) as u32).max(1);
        ViewerMark {
            client: self.hash_one(client),
            session: session.map_or(0, short),
        }
    }

    /// The same in every process of one program. Machines with different programs may make different marks, and count a
    /// viewer twice until both are of the same version.
    fn hash_one(&self, value: &impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.0);
        value.hash(&mut hasher);
        hasher.finish()
    }
}
