//! The system clock.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use model::{Clock, Sleep};

/// Longest sleep before the wall clock is asked again, so that a jump of it is noticed.
const MAX_NAP: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct SystemClock {
    started: Instant,
}

impl SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the clock"
    )]
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the clock"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep_until(&self, deadline: Timestamp) -> Sleep<'_> {
        Box::pin(async move {
            loop {
                let left = deadline.duration_since(self.now());
                let Ok(left) = Duration::try_from(left) else {
                    return;
                };
                if left.is_zero() {
                    return;
                }
                tokio::time::sleep(left.min(MAX_NAP)).await;
            }
        })
    }
}
