//! The slow lane: requests that wait for hosts that do not answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// When the lane is full, a request that has waited in it for so long makes room; it is tried again by schedule.
const MIN_STAY: Duration = Duration::from_secs(2);

/// A lane with a fixed number of slots. When it is full, the request that has waited longest makes way.
#[derive(Debug)]
pub(super) struct SlowLane {
    places: Arc<Semaphore>,
    min_stay: Duration,
    inside: Arc<Mutex<SlowLaneState>>,
}

/// The requests inside, in order of arrival.
#[derive(Debug, Default)]
struct SlowLaneState {
    next: u64,
    stays: BTreeMap<u64, SlowRequest>,
}

#[derive(Debug)]
struct SlowRequest {
    since: Instant,
    has_to_leave: CancellationToken,
}

/// A slot in the slow lane.
#[derive(Debug)]
pub(super) struct SlowLanePermit {
    number: u64,
    has_to_leave: CancellationToken,
    inside: Arc<Mutex<SlowLaneState>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl SlowLane {
    pub(super) fn new(places: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            min_stay: MIN_STAY,
            inside: Arc::default(),
        }
    }

    /// Waits for a slot, and makes a request leave that has been inside long enough.
    pub(super) async fn enter(&self) -> SlowLanePermit {
        let mut permit = Arc::clone(&self.places).try_acquire_owned().ok();
        while permit.is_none() {
            // It is never closed, so there is no error; a request without a permit would do no harm.
            let freed = Arc::clone(&self.places).acquire_owned();
            match self.oldest_leaves() {
                Ok(()) => permit = Some(freed.await.ok()).flatten(),
                Err(later) => tokio::select! {
                    freed = freed => permit = freed.ok(),
                    () = tokio::time::sleep(later) => {}
                },
            }
        }
        self.seat(permit)
    }

    /// Asks the oldest request to leave. If it came too recently, or there is none, returns how long to wait before
    /// asking again.
    fn oldest_leaves(&self) -> Result<(), Duration> {
        let mut inside = lock(&self.inside);
        let Some(oldest) = inside.stays.first_entry() else {
            return Err(self.min_stay);
        };
        let stayed = oldest.get().since.elapsed();
        if stayed < self.min_stay {
            return Err(self.min_stay - stayed);
        }
        oldest.remove().has_to_leave.cancel();
        Ok(())
    }

    fn seat(&self, permit: Option<OwnedSemaphorePermit>) -> SlowLanePermit {
        let has_to_leave = CancellationToken::new();
        let mut inside = lock(&self.inside);
        let number = inside.next;
        inside.next += 1;
        let stay = SlowRequest {
            since: Instant::now(),
            has_to_leave: has_to_leave.clone(),
        };
        inside.stays.insert(number, stay);
        SlowLanePermit {
            number,
            has_to_leave,
            inside: Arc::clone(&self.inside),
            _permit: permit,
        }
    }
}

impl SlowLanePermit {
    /// Completes when others need the slot.
    pub(super) async fn has_to_leave(&self) {
        self.has_to_leave.cancelled().await;
    }
}

impl Drop for SlowLanePermit {
    fn drop(&mut self) {
        lock(&self.inside).stays.remove(&self.number);
    }
}

fn lock(inside: &Mutex<SlowLaneState>) -> std::sync::MutexGuard<'_, SlowLaneState> {
    inside.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(places: usize, min_stay: Duration) -> SlowLane {
        SlowLane {
            min_stay,
            ..SlowLane::new(places)
        }
    }

    #[tokio::test]
    async fn the_one_that_has_waited_longest_makes_room_when_the_lane_is_full() {
        let lane = lane(2, Duration::ZERO);
        let (first, second) = (lane.enter().await, lane.enter().await);
        let (third, ()) = tokio::join!(lane.enter(), async {
            first.has_to_leave().await;
            drop(first);
        });
        assert!(!second.has_to_leave.is_cancelled());
        assert!(!third.has_to_leave.is_cancelled());
    }

    #[tokio::test]
    async fn nobody_has_to_leave_who_came_a_moment_ago() {
        let lane = lane(1, Duration::from_secs(3600));
        let first = lane.enter().await;
        let waiting = tokio::time::timeout(Duration::from_millis(20), lane.enter()).await;
        assert!(waiting.is_err());
        assert!(!first.has_to_leave.is_cancelled());
        drop(first);
        lane.enter().await;
    }

    #[tokio::test]
    async fn whoever_leaves_in_time_is_forgotten() {
        let lane = lane(1, Duration::ZERO);
        for _ in 0..3 {
            drop(lane.enter().await);
        }
        assert!(lock(&lane.inside).stays.is_empty());
    }
}
