//! Forgetting what is old.

use std::time::Duration;

use jiff::Timestamp;

use super::Fediverse;
use crate::error::StoreError;

/// How long a handled activity is remembered; whoever repeats it later is stopped by its date.
pub const SEEN_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long a key is kept that nobody fetched again; the knowledge that one is gone for good is kept as long.
pub const KEY_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

impl Fediverse {
    /// Forgets what is too old or too much of what others did, wrote and are; returns how many rows went. To be called
    /// every now and then, whether federation is on or not.
    pub async fn tidy(&self, now: Timestamp) -> Result<u64, StoreError> {
        Ok(self.prune_seen(now - SEEN_AGE, now).await?
            + self.prune_keys(now - KEY_AGE).await?
            + self.prune_inbound(now).await?
            + self.prune_engagements().await?)
    }
}
