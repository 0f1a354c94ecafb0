//! How often a plugin may come back.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Fresh instances within a minute. One more and the plugin has crashed for good.
pub const MOST_RESTARTS: usize = 3;
/// How far back they are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// Before the first of them; each further one waits four times as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Remembers the last few.
#[derive(Debug, Default)]
pub(super) struct Restarts(VecDeque<Instant>);

impl Restarts {
    /// How long to wait before the next one, or `None` when there were too many.
    pub(super) fn next(&mut self, now: Instant) -> Option<Duration> {
        self.0
            .retain(|at| now.saturating_duration_since(*at) < WINDOW);
        if self.0.len() >= MOST_RESTARTS {
            return None;
        }
        let pause = FIRST_PAUSE * 4_u32.pow(u32::try_from(self.0.len()).unwrap_or_default());
        self.0.push_back(now);
        Some(pause)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_comes_back_three_times_a_minute_each_time_later() {
        let mut restarts = Restarts::default();
        let start = Instant::now();
        let pauses: Vec<_> = (0..5).map(|_| restarts.next(start)).collect();
        assert!(pauses[..3].is_sorted() && pauses[0] < pauses[2]);
        assert!(pauses[..3].iter().all(Option::is_some));
        assert_eq!(pauses[3..], [None, None]);
    }

    #[test]
    fn what_happened_more_than_a_minute_ago_is_forgotten() {
        let mut restarts = Restarts::default();
        let start = Instant::now();
        let first = restarts.next(start);
        for _ in 1..MOST_RESTARTS {
            restarts.next(start);
        }
        assert_eq!(restarts.next(start + WINDOW), first);
    }
}
