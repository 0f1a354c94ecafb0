//! A clock that a test moves by hand.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::{Clock, Sleep};
use tokio::sync::watch;

/// Starts at a fixed moment; clones share the time.
#[derive(Clone, Debug)]
pub struct ManualClock {
    /// Wall time and uptime; they diverge when the wall clock is set.
    state: Arc<watch::Sender<(Timestamp, Duration)>>,
}

impl Default for ManualClock {
    fn default() -> Self {
        let start = Timestamp::from_second(1_700_000_000).expect("a second in 2023 is in range");
        Self {
            state: Arc::new(watch::Sender::new((start, Duration::ZERO))),
        }
    }
}

impl ManualClock {
    pub fn advance(&self, by: Duration) {
        self.state.send_modify(|(now, uptime)| {
            *now += by;
            *uptime += by;
        });
    }

    /// Sets the wall clock, as an operator or NTP would; uptime is not affected.
    pub fn set_wall(&self, to: Timestamp) {
        self.state.send_modify(|(now, _)| *now = to);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.state.borrow().0
    }

    fn uptime(&self) -> Duration {
        self.state.borrow().1
    }

    fn sleep_until(&self, deadline: Timestamp) -> Sleep<'_> {
        let mut state = self.state.subscribe();
        Box::pin(async move {
            let reached = state.wait_for(|(now, _)| *now >= deadline).await;
            drop(reached);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_sleeper_wakes_when_its_time_has_come_and_not_before() {
        let clock = ManualClock::default();
        let deadline = clock.now() + Duration::from_secs(10);
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move { clock.sleep_until(deadline).await }
        });
        clock.advance(Duration::from_secs(9));
        tokio::task::yield_now().await;
        assert!(!sleeper.is_finished());
        clock.advance(Duration::from_secs(1));
        sleeper.await.unwrap();
        assert_eq!(clock.uptime(), Duration::from_secs(10));
    }
}
