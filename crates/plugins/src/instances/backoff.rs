//! Limits how often a plugin may restart.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Limit (plugins): restarts within a minute; then the plugin stays off until it is loaded again.
pub const MOST_RESTARTS: usize = 3;
/// How far back they are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// Before the first of them; each further one waits four times as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The times of the last few restarts.
#[derive(Debug, Default)]
pub(super) struct RestartBackoff(VecDeque<Instant>);

impl RestartBackoff {
    /// The delay before the next restart, or `None` if there were too many.
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

/// The first absence of a plugin whose filter was switched off; each further one is twice as long.
const FIRST_ABSENCE: Duration = Duration::from_secs(60);
/// The longest.
const LONGEST_ABSENCE: Duration = Duration::from_secs(64 * 60);
/// A filter that has worked this long since it came back begins with the first absence again.
const PROBATION: Duration = Duration::from_secs(60 * 60);

/// For how long a plugin is suspended whose filter keeps failing: nobody can remove it for good with lines that
/// overload it, and a broken filter does not cost every line its time.
#[derive(Debug, Default)]
pub(super) struct SuspensionBackoff {
    times: u32,
    /// When the last suspension ends.
    end: Option<Instant>,
}

impl SuspensionBackoff {
    /// The length of the next suspension.
    pub(super) fn next(&mut self, now: Instant) -> Duration {
        if self.end.is_some_and(|end| now >= end + PROBATION) {
            self.times = 0;
        }
        let absence = FIRST_ABSENCE.saturating_mul(1 << self.times.min(16));
        let absence = absence.min(LONGEST_ABSENCE);
        self.times += 1;
        self.end = Some(now + absence);
        absence
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_comes_back_three_times_a_minute_each_time_later() {
        let mut restarts = RestartBackoff::default();
        let start = Instant::now();
        let pauses: Vec<_> = (0..5).map(|_| restarts.next(start)).collect();
        assert!(pauses[..3].is_sorted() && pauses[0] < pauses[2]);
        assert!(pauses[..3].iter().all(Option::is_some));
        assert_eq!(pauses[3..], [None, None]);
    }

    #[test]
    fn what_happened_more_than_a_minute_ago_is_forgotten() {
        let mut restarts = RestartBackoff::default();
        let start = Instant::now();
        let first = restarts.next(start);
        for _ in 1..MOST_RESTARTS {
            restarts.next(start);
        }
        assert_eq!(restarts.next(start + WINDOW), first);
    }

    #[test]
    fn a_filter_stays_away_twice_as_long_each_time_until_it_has_worked_for_an_hour() {
        let mut absences = SuspensionBackoff::default();
        let mut now = Instant::now();
        let mut next = |worked: u64| {
            now += Duration::from_secs(worked * 60);
            let absence = absences.next(now);
            now += absence;
            absence.as_secs() / 60
        };
        let minutes: Vec<_> = [0; 9].map(&mut next).into();
        assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        assert_eq!(next(59), 64);
        assert_eq!(next(60), 1);
    }
}
