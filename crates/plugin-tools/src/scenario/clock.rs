//! Time in a scenario: it stands still until a step advances it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::{Clock, Sleep};

/// For how long the server has been running when a scenario begins: whoever counts from zero takes nothing for a moment ago.
const UPTIME: Duration = Duration::from_secs(60 * 60);

/// A manually driven clock.
#[derive(Debug)]
pub(super) struct ScenarioClock {
    began: Timestamp,
    now: Mutex<Timestamp>,
}

impl ScenarioClock {
    pub(super) fn new(began: Timestamp) -> Self {
        Self {
            began,
            now: Mutex::new(began),
        }
    }

    /// Advances to this time; it never goes back.
    pub(super) fn advance_to(&self, to: Timestamp) {
        let mut now = self.hands();
        *now = (*now).max(to);
    }

    fn hands(&self) -> MutexGuard<'_, Timestamp> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ScenarioClock {
    fn now(&self) -> Timestamp {
        *self.hands()
    }

    fn uptime(&self) -> Duration {
        UPTIME + self.now().duration_since(self.began).unsigned_abs()
    }

    /// Whoever advances the clock checks what is due.
    fn sleep_until(&self, _deadline: Timestamp) -> Sleep<'_> {
        Box::pin(std::future::pending())
    }
}
