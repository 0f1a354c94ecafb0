//! Two lanes: dead hosts cost sockets, not time.
//!
//! Every request begins in the fast lane, which is short. One that is not answered soon steps aside into the slow lane,
//! which is long, and its place in the fast lane is free for the next. So a queue with many hosts that swallow packets
//! moves as fast as one without them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How many requests there are at once, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Requests that were begun a moment ago; further deliveries wait in the database.
    pub fast: usize,
    /// Requests that wait for slow hosts; when it is full, slow requests stay in the fast lane until one of these ends.
    pub slow: usize,
    /// How long a request may be unanswered before it steps aside.
    pub patience: Duration,
    /// How long requests may go on when the server stops; what is not done by then is sent again after the start.
    pub grace: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            fast: 64,
            slow: 1024,
            patience: Duration::from_millis(500),
            grace: Duration::from_secs(5),
        }
    }
}

/// A place in the fast lane.
pub(super) type Place = OwnedSemaphorePermit;

/// The places of both lanes.
#[derive(Debug)]
pub(super) struct Lanes {
    fast: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    patience: Duration,
    freed: Notify,
}

impl Lanes {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            fast: Arc::new(Semaphore::new(pace.fast)),
            slow: Arc::new(Semaphore::new(pace.slow)),
            patience: pace.patience,
            freed: Notify::new(),
        }
    }

    /// A place in the fast lane, if there is one.
    pub(super) fn enter(&self) -> Option<Place> {
        Arc::clone(&self.fast).try_acquire_owned().ok()
    }

    /// Completes when a request has stepped aside.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// Drives a request that has a place, in the lane where it belongs.
    pub(super) async fn drive<T>(&self, place: Place, request: impl Future<Output = T>) -> T {
        let mut request = std::pin::pin!(request);
        let aside = async {
            tokio::time::sleep(self.patience).await;
            Arc::clone(&self.slow).acquire_owned().await
        };
        let _aside = tokio::select! {
            biased;
            answer = &mut request => return answer,
            aside = aside => aside,
        };
        drop(place);
        self.freed.notify_one();
        request.await
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(5);

    fn lanes(fast: usize, slow: usize) -> Arc<Lanes> {
        Arc::new(Lanes::new(Pace {
            fast,
            slow,
            patience: PATIENCE,
            grace: Duration::ZERO,
        }))
    }

    fn free(lanes: &Lanes) -> usize {
        lanes.fast.available_permits()
    }

    /// Begins a request that is answered through the sender.
    fn begin(lanes: &Arc<Lanes>) -> (oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
        let place = lanes.enter().expect("there is a free place");
        let (answer, answered) = oneshot::channel::<()>();
        let lanes = Arc::clone(lanes);
        let task = tokio::spawn(async move {
            lanes
                .drive(place, async move { drop(answered.await) })
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
