//! What would be in memory if this server were alone: kept in the database, where the other servers find it.

use std::sync::Arc;
use std::time::Duration;

use model::Clock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{ShortLived, ShortLivedLimits, Store, StoreError};

use crate::secrets::hex;

/// Things of one kind, under the hashes of their secrets.
#[derive(Clone, Debug)]
pub(crate) struct SharedMemory {
    store: Store,
    clock: Arc<dyn Clock>,
    kind: &'static str,
    limits: ShortLivedLimits,
    length: Duration,
}

impl SharedMemory {
    /// `None` on a server that is alone, which keeps things in its own memory.
    pub(crate) fn of(
        store: &Store,
        clock: &Arc<dyn Clock>,
        kind: &'static str,
        limits: ShortLivedLimits,
        length: Duration,
    ) -> Option<Self> {
        store.is_shared().then(|| Self {
            store: store.clone(),
            clock: Arc::clone(clock),
            kind,
            limits,
            length,
        })
    }

    /// False if there is no room.
    pub(crate) async fn put(
        &self,
        key: &[u8; 32],
        owner: &str,
        value: &(impl Serialize + Sync),
    ) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let item = ShortLived {
            kind: self.kind,
            key: hex(key),
            owner: owner.to_owned(),
            value: serde_json::to_vec(value).map_err(|error| self.unreadable(&error))?,
            expires_at: now + self.length,
        };
        self.store.keep_short_lived(item, self.limits, now).await
    }

    /// What was put under this key, once.
    pub(crate) async fn take<T: DeserializeOwned>(
        &self,
        key: &[u8; 32],
    ) -> Result<Option<T>, StoreError> {
        let (key, now) = (hex(key), self.clock.now());
        let Some(value) = self.store.take_short_lived(self.kind, &key, now).await? else {
            return Ok(None);
        };
        let value = serde_json::from_slice(&value).map_err(|error| self.unreadable(&error))?;
        Ok(Some(value))
    }

    fn unreadable(&self, error: &serde_json::Error) -> StoreError {
        StoreError::Unreadable {
            what: self.kind,
            why: error.to_string(),
        }
    }
}
