//! Two lanes: dead hosts cost sockets, not time.
//!
//! Every request starts in the fast lane, which is short. A request that is not answered soon steps aside into the slow
//! lane, which is long, and frees its fast slot for the next. So a queue full of hosts that swallow packets moves as
//! fast as one without them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use super::slow_lane::SlowLane;

/// How many requests run at once, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct LaneLimits {
    /// Requests that have just started; further deliveries wait in the database.
    pub fast: usize,
    /// Requests that wait for slow hosts. When the lane is full, the one that has waited longest is given up and
    /// retried later; if none has waited for two seconds, slow requests stay in the fast lane.
    pub slow: usize,
    /// How long a request may go unanswered before it steps aside; a fifth of that while others wait for its slot.
    pub patience: Duration,
    /// How long requests may continue when the server stops; unfinished ones are sent again after the start.
    pub grace: Duration,
}

impl Default for LaneLimits {
    fn default() -> Self {
        Self {
            fast: 64,
            slow: 1024,
            patience: Duration::from_millis(500),
            grace: Duration::from_secs(5),
        }
    }
}

/// While others wait for its place, a request steps aside after this share of the usual time.
const CROWDED_SHARE: u32 = 5;

/// A slot in the fast lane.
pub(super) type LanePermit = OwnedSemaphorePermit;

/// The outcome of a request that had a slot.
#[derive(Debug)]
pub(super) struct LaneOutcome<T> {
    /// The answer; `None` if it was given up because others needed its slow slot.
    pub(super) answer: Option<T>,
    /// The request had stepped aside.
    pub(super) was_aside: bool,
}

/// The slots of both lanes.
#[derive(Debug)]
pub(super) struct Lanes {
    fast: Arc<Semaphore>,
    slow: SlowLane,
    patience: Duration,
    /// The same while others wait for the slot.
    crowded_patience: Duration,
    crowded: watch::Sender<bool>,
    freed: Notify,
    /// Hosts whose requests have stepped aside since the last query; each request is listed at most once.
    aside: Mutex<Vec<String>>,
}

impl Lanes {
    pub(super) fn new(limits: LaneLimits) -> Self {
        Self {
            fast: Arc::new(Semaphore::new(limits.fast)),
            slow: SlowLane::new(limits.slow),
            patience: limits.patience,
            crowded_patience: limits.patience / CROWDED_SHARE,
            crowded: watch::Sender::new(false),
            freed: Notify::new(),
            aside: Mutex::default(),
        }
    }

    /// Takes a slot in the fast lane if one is free.
    pub(super) fn enter(&self) -> Option<LanePermit> {
        Arc::clone(&self.fast).try_acquire_owned().ok()
    }

    /// Sets whether others wait for a slot in the fast lane.
    pub(super) fn set_crowded(&self, is_crowded: bool) {
        self.crowded.send_if_modified(|crowded| {
            let is_news = *crowded != is_crowded;
            *crowded = is_crowded;
            is_news
        });
    }

    /// Completes when a request has stepped aside.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// The hosts of requests that stepped aside since the last call.
    pub(super) fn take_aside(&self) -> Vec<String> {
        std::mem::take(&mut *self.aside.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Drives a request to `host` that holds a slot, in the lane where it belongs.
    pub(super) async fn drive<T>(
        &self,
        host: &str,
        permit: LanePermit,
        request: impl Future<Output = T>,
    ) -> LaneOutcome<T> {
        let mut request = std::pin::pin!(request);
        let aside = async {
            self.lose_patience().await;
            self.slow.enter().await
        };
        let aside = tokio::select! {
            biased;
            answer = &mut request => return LaneOutcome { answer: Some(answer), was_aside: false },
            aside = aside => aside,
        };
        drop(permit);
        let hosts = self.aside.lock();
        hosts
            .unwrap_or_else(PoisonError::into_inner)
            .push(host.to_owned());
        self.freed.notify_one();
        let answer = tokio::select! {
            biased;
            answer = &mut request => Some(answer),
            () = aside.has_to_leave() => None,
        };
        LaneOutcome {
            answer,
            was_aside: true,
        }
    }

    /// Waits for as long as an answer may take.
    async fn lose_patience(&self) {
        tokio::time::sleep(self.crowded_patience).await;
        let mut crowded = self.crowded.subscribe();
        tokio::select! {
            _ = crowded.wait_for(|is_crowded| *is_crowded) => {}
            () = tokio::time::sleep(self.patience.saturating_sub(self.crowded_patience)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(5);

    fn lanes(fast: usize, slow: usize) -> Arc<Lanes> {
        Arc::new(Lanes::new(LaneLimits {
            fast,
            slow,
            patience: PATIENCE,
            grace: Duration::ZERO,
        }))
    }

    fn free(lanes: &Lanes) -> usize {
        lanes.fast.available_permits()
    }

    /// Starts a request that is answered through the sender.
    fn begin(lanes: &Arc<Lanes>) -> (oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
        let place = lanes.enter().expect("there is a free place");
        let (answer, answered) = oneshot::channel::<()>();
        let lanes = Arc::clone(lanes);
        let task = tokio::spawn(async move {
            lanes
                .drive("a.test", place, async move { drop(answered.await) })
                .await;
        });
        (answer, task)
    }

    #[tokio::test]
    async fn a_request_that_is_not_answered_makes_room_for_the_next() {
        let lanes = lanes(1, 10);
        let (_silent, _task) = begin(&lanes);
        assert!(lanes.enter().is_none());
        lanes.freed().await;
        assert_eq!(free(&lanes), 1);
        let (answer, task) = begin(&lanes);
        answer.send(()).unwrap();
        task.await.unwrap();
        assert_eq!(free(&lanes), 1);
    }

    #[tokio::test]
    async fn a_request_is_given_less_time_while_others_wait_for_its_place() {
        let lanes = Arc::new(Lanes {
            patience: Duration::from_secs(3600),
            crowded_patience: PATIENCE,
            ..Lanes::new(LaneLimits::default())
        });
        let (_silent, _task) = begin(&lanes);
        let moved = tokio::time::timeout(PATIENCE * 10, lanes.freed()).await;
        assert!(moved.is_err(), "nobody waits for its place");
        lanes.set_crowded(true);
        lanes.freed().await;
        assert_eq!(lanes.take_aside(), ["a.test"]);
    }

    #[tokio::test]
    async fn a_full_slow_lane_keeps_requests_in_the_fast_one_until_one_of_them_ends() {
        let lanes = lanes(2, 1);
        let (first, task) = begin(&lanes);
        lanes.freed().await;
        let (_second, _task) = begin(&lanes);
        let moved = tokio::time::timeout(PATIENCE * 10, lanes.freed()).await;
        assert!(moved.is_err(), "there is no room for the second one");
        assert_eq!(free(&lanes), 1);
        first.send(()).unwrap();
        task.await.unwrap();
        lanes.freed().await;
        assert_eq!(free(&lanes), 2);
    }
}
