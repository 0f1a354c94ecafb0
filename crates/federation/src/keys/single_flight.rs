//! Single flight: who may fetch now, and who has to wait or give up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::REFETCH_PAUSE;

/// Refetches that are remembered; when there are as many within [`REFETCH_PAUSE`], no further key is fetched again.
const MAX_REFRESHES: usize = 4096;
/// How long a host that did not answer is not asked for the key again.
const UNANSWERED_PAUSE: Duration = Duration::from_secs(5 * 60);

/// A limited number of permits per name; others wait. A name is tracked only while somebody holds or wants a permit.
#[derive(Debug)]
pub(super) struct KeyedSemaphore {
    width: usize,
    queues: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A permit, or a place in the queue for one.
#[derive(Debug)]
pub(super) struct KeyedPermit<'a> {
    semaphore: &'a KeyedSemaphore,
    name: String,
    queue: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl KeyedSemaphore {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            queues: Mutex::default(),
        }
    }

    /// Waits for a permit; dropping the returned value releases it.
    pub(super) async fn take(&self, name: &str) -> KeyedPermit<'_> {
        let queue = Arc::clone(
            self.lock()
                .entry(name.to_owned())
                .or_insert_with(|| Arc::new(Semaphore::new(self.width))),
        );
        // Created before the wait, so that it cleans up even if the wait is cancelled.
        let mut turn = KeyedPermit {
            semaphore: self,
            name: name.to_owned(),
            queue,
            permit: None,
        };
        // The semaphore is never closed.
        turn.permit = Arc::clone(&turn.queue).acquire_owned().await.ok();
        turn
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Semaphore>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for KeyedPermit<'_> {
    fn drop(&mut self) {
        self.permit = None;
        let mut queues = self.semaphore.lock();
        // The table's reference and ours: nobody else holds or wants it.
        if Arc::strong_count(&self.queue) == 2 {
            queues.remove(&self.name);
        }
    }
}

/// When keys were refetched, and whether the host answered.
#[derive(Debug, Default)]
pub(super) struct Refreshes {
    last: Mutex<HashMap<String, Refresh>>,
}

#[derive(Clone, Copy, Debug)]
struct Refresh {
    begun: Duration,
    is_unanswered: bool,
}

/// Whether a key may be fetched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefetchDecision {
    /// Yes, and the refetch is noted.
    Granted,
    /// No: the cached key is new enough.
    TooSoon,
    /// No: its host did not answer a short while ago.
    Unanswered,
}

impl Refreshes {
    /// Whether the key may be fetched again at `uptime`.
    pub(super) fn begin(&self, key_id: &str, uptime: Duration) -> RefetchDecision {
        let mut last = self.lock();
        last.retain(|_, refresh| uptime.saturating_sub(refresh.begun) < refresh.counts_for());
        match last.get(key_id) {
            Some(refresh) if refresh.is_unanswered => return RefetchDecision::Unanswered,
            Some(_) => return RefetchDecision::TooSoon,
            None if last.len() >= MAX_REFRESHES => return RefetchDecision::TooSoon,
            None => {}
        }
        // Counts as unanswered until there is an answer, even if the waiting caller is cancelled.
        let refresh = Refresh {
            begun: uptime,
            is_unanswered: true,
        };
        last.insert(key_id.to_owned(), refresh);
        RefetchDecision::Granted
    }

    /// Notes that the host answered: its answer is trusted for [`REFETCH_PAUSE`].
    pub(super) fn note_answer(&self, key_id: &str) {
        if let Some(refresh) = self.lock().get_mut(key_id) {
            refresh.is_unanswered = false;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Refresh>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Refresh {
    fn counts_for(&self) -> Duration {
        match self.is_unanswered {
            true => UNANSWERED_PAUSE,
            false => REFETCH_PAUSE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn each_name_has_its_own_queue_and_is_forgotten_when_nobody_wants_it() {
        let semaphore = KeyedSemaphore::new(2);
        let first = semaphore.take("a").await;
        let second = semaphore.take("a").await;
        assert!(
            semaphore.take("a").now_or_never().is_none(),
            "a third waits"
        );
        let other = semaphore.take("b").await;
        drop(first);
        let third = semaphore.take("a").now_or_never().expect("a place is free");
        assert_eq!(semaphore.lock().len(), 2);
        drop((second, third, other));
        assert!(semaphore.lock().is_empty());
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_nothing_behind() {
        let semaphore = KeyedSemaphore::new(1);
        let holder = semaphore.take("a").await;
        let mut waiting = Box::pin(semaphore.take("a"));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(holder);
        drop(waiting);
        assert!(semaphore.lock().is_empty());
    }

    #[test]
    fn a_key_is_fetched_again_once_in_ten_minutes() {
        let refreshes = Refreshes::default();
        let minutes = |n: u64| Duration::from_secs(60 * n);
        assert_eq!(refreshes.begin("a", minutes(0)), RefetchDecision::Granted);
        refreshes.note_answer("a");
        assert_eq!(refreshes.begin("a", minutes(9)), RefetchDecision::TooSoon);
        assert_eq!(refreshes.begin("b", minutes(9)), RefetchDecision::Granted);
        refreshes.note_answer("b");
        assert_eq!(refreshes.begin("a", minutes(10)), RefetchDecision::Granted);
        assert_eq!(refreshes.begin("b", minutes(10)), RefetchDecision::TooSoon);
    }

    #[test]
    fn a_host_that_did_not_answer_is_asked_again_after_five() {
        let refreshes = Refreshes::default();
        let minutes = |n: u64| Duration::from_secs(60 * n);
        assert_eq!(refreshes.begin("a", minutes(0)), RefetchDecision::Granted);
        assert_eq!(
            refreshes.begin("a", minutes(4)),
            RefetchDecision::Unanswered
        );
        assert_eq!(refreshes.begin("a", minutes(5)), RefetchDecision::Granted);
        refreshes.note_answer("a");
        assert_eq!(refreshes.begin("a", minutes(6)), RefetchDecision::TooSoon);
    }

    #[test]
    fn a_flood_of_names_stops_refetching_instead_of_growing() {
        let refreshes = Refreshes::default();
        for n in 0..MAX_REFRESHES {
            let decision = refreshes.begin(&n.to_string(), Duration::ZERO);
            assert_eq!(decision, RefetchDecision::Granted);
            refreshes.note_answer(&n.to_string());
        }
        assert_eq!(
            refreshes.begin("one more", Duration::ZERO),
            RefetchDecision::TooSoon
        );
        assert_eq!(
            refreshes.begin("one more", REFETCH_PAUSE),
            RefetchDecision::Granted
        );
    }
}
