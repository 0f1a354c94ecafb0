//! The last good answers of plugins that add something to the page.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::plugins::installed::PluginList;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer_cache::AnswerCache;

/// Questions about content that are under way. One more is not asked: the last good answer is shown.
const MAX_ASKING: usize = 64;

/// What plugins said, and how many are asked at the moment.
#[derive(Debug)]
pub(crate) struct Contributions {
    last: Mutex<AnswerCache>,
    asking: Arc<Semaphore>,
}

impl Default for Contributions {
    fn default() -> Self {
        Self {
            last: Mutex::default(),
            asking: Arc::new(Semaphore::new(MAX_ASKING)),
        }
    }
}

impl Contributions {
    /// Forgets what plugins said that are not loaded any more.
    pub(crate) fn forget_unloaded(&self, list: &Arc<PluginList>) {
        self.last().forget_unloaded(list);
    }

    /// The last good answers.
    pub(crate) fn last(&self) -> MutexGuard<'_, AnswerCache> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Permission to ask one more question.
    pub(crate) fn ask(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.asking).try_acquire_owned().ok()
    }
}
