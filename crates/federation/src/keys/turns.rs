//! Who may fetch now, and who has to wait or go.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::REFETCH_PAUSE;

/// Refetches that are remembered; when there are as many within [`REFETCH_PAUSE`], no further key is fetched again.
const MAX_REFRESHES: usize = 4096;

/// So many at a time for each name; others wait. A name is known only while somebody has or wants its turn.
#[derive(Debug)]
pub(super) struct Turns {
    width: usize,
    queues: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A turn, or a place in the queue for one.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    name: String,
    queue: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Turns {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            queues: Mutex::default(),
        }
    }

    /// Waits for a turn; it ends when what is returned is dropped.
    pub(super) async fn take(&self, name: &str) -> Turn<'_> {
        let queue = Arc::clone(
            self.lock()
                .entry(name.to_owned())
                .or_insert_with(|| Arc::new(Semaphore::new(self.width))),
        );
        // Made before the wait, so that it tidies up also when the wait is given up.
        let mut turn = Turn {
            turns: self,
            name: name.to_owned(),
            queue,
            permit: None,
        };
        // It is never closed.
        turn.permit = Arc::clone(&turn.queue).acquire_owned().await.ok();
        turn
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Semaphore>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.permit = None;
        let mut queues = self.turns.lock();
        // The table's and ours: nobody else has or wants it.
        if Arc::strong_count(&self.queue) == 2 {
            queues.remove(&self.name);
        }
    }
}

/// When keys were fetched again.
#[derive(Debug, Default)]
pub(super) struct Refreshes {
    begun: Mutex<HashMap<String, Duration>>,
}

impl Refreshes {
    /// Whether the key may be fetched again at `uptime`; if so, that is noted.
    pub(super) fn begin(&self, key_id: &str, uptime: Duration) -> bool {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.retain(|_, at| uptime.saturating_sub(*at) < REFETCH_PAUSE);
        if begun.contains_key(key_id) || begun.len() >= MAX_REFRESHES {
            return false;
        }
        begun.insert(key_id.to_owned(), uptime);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn each_name_has_its_own_queue_and_is_forgotten_when_nobody_wants_it() {
        let turns = Turns::new(2);
        let first = turns.take("a").await;
        let second = turns.take("a").await;
        assert!(turns.take("a").now_or_never().is_none(), "a third waits");
        let other = turns.take("b").await;
        drop(first);
        let third = turns.take("a").now_or_never().expect("a place is free");
        assert_eq!(turns.lock().len(), 2);
        drop((second, third, other));
        assert!(turns.lock().is_empty());
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_nothing_behind() {
        let turns = Turns::new(1);
        let holder = turns.take("a").await;
        let mut waiting = Box::pin(turns.take("a"));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(holder);
        drop(waiting);
        assert!(turns.lock().is_empty());
    }

    #[test]
    fn a_key_is_fetched_again_once_in_ten_minutes() {
        let refreshes = Refreshes::default();
        let minutes = |n: u64| Duration::from_secs(60 * n);
        assert!(refreshes.begin("a", minutes(0)));
        assert!(!refreshes.begin("a", minutes(9)));
        assert!(refreshes.begin("b", minutes(9)));
        assert!(refreshes.begin("a", minutes(10)));
        assert!(!refreshes.begin("b", minutes(10)));
    }

    #[test]
    fn a_flood_of_names_stops_refetching_instead_of_growing() {
        let refreshes = Refreshes::default();
        for n in 0..MAX_REFRESHES {
            assert!(refreshes.begin(&n.to_string(), Duration::ZERO));
        }
        assert!(!refreshes.begin("one more", Duration::ZERO));
        assert!(refreshes.begin("one more", REFETCH_PAUSE));
    }
}
