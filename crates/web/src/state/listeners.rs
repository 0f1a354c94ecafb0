//! Slots for bots that listen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::TokenId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Limit (clients): connections that follow events; further ones are refused.
const MAX_LISTENERS: usize = 256;
/// Limit (clients): connections with one access token that follow events; further ones are refused.
const MAX_LISTENERS_PER_TOKEN: usize = 16;
/// When somebody with too many of them may ask again.
const SHARE_PAUSE: Duration = Duration::from_secs(30);

/// Slots for listeners; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Listeners {
    all: Arc<Semaphore>,
    by_token: Arc<Mutex<HashMap<TokenId, usize>>>,
}

impl Default for Listeners {
    fn default() -> Self {
        Self {
            all: Arc::new(Semaphore::new(MAX_LISTENERS)),
            by_token: Arc::default(),
        }
    }
}

/// A listener's slot; released when dropped.
#[derive(Debug)]
pub(crate) struct ListenerSlot {
    _permit: OwnedSemaphorePermit,
    token: TokenId,
    by_token: Arc<Mutex<HashMap<TokenId, usize>>>,
}

impl Listeners {
    /// A slot for one more listener with this token.
    pub(crate) fn take(&self, token: &TokenId) -> Result<ListenerSlot, Problem> {
        let mut counts = self.by_token.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(token).copied().unwrap_or_default();
        if count >= MAX_LISTENERS_PER_TOKEN {
            return Err(Problem::TooMany {
                message: format!(
                    "{MAX_LISTENERS_PER_TOKEN} connections with this token are already listening"
                ),
                retry_after: SHARE_PAUSE,
            });
        }
        let permit = Arc::clone(&self.all).try_acquire_owned().map_err(|_| {
            Problem::Unavailable(format!(
                "{MAX_LISTENERS} bots are already listening, try again later"
            ))
        })?;
        counts.insert(token.clone(), count + 1);
        Ok(ListenerSlot {
            _permit: permit,
            token: token.clone(),
            by_token: Arc::clone(&self.by_token),
        })
    }
}

impl Drop for ListenerSlot {
    fn drop(&mut self) {
        let mut counts = self.by_token.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.token) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.token);
            }
        }
    }
}
