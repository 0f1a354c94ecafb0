//! Limits how much of the server's log one plugin may fill.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Lines of the log that one plugin may cause at once: what it logs and prints, what was refused to it, its failures. As
/// many as one call may log and print together, so that a quiet plugin loses none.
pub(super) const MAX_LOG_LINES_AT_ONCE: u32 = 400;

/// Lines of the log that one plugin may cause in a second after that. Further ones are left out, and the log says so once:
/// otherwise a plugin without any permission could fill the disk.
pub(super) const LOG_LINES_PER_SECOND: u32 = 50;

/// Bytes of these lines at once; likewise.
pub(super) const MAX_LOG_BYTES_AT_ONCE: u32 = 128 * 1024;

/// Bytes of these lines in a second after that; likewise.
pub(super) const LOG_BYTES_PER_SECOND: u32 = 32 * 1024;

/// The decision about a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LogDecision {
    Granted,
    /// The first refused line since the buckets were last full.
    RefusedFirst,
    Refused,
}

/// How much one plugin has logged recently.
#[derive(Debug, Default)]
pub(super) struct LogLimit(Mutex<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    lines: TokenBucket,
    bytes: TokenBucket,
    is_told: bool,
}

/// A token bucket, stored as the time at which it will be full again.
#[derive(Debug, Default)]
struct TokenBucket {
    full_at: Duration,
}

impl TokenBucket {
    /// When it will be full if `cost` is taken now; `None` if it does not hold enough.
    fn after(&self, now: Duration, cost: u32, at_once: u32, per_second: u32) -> Option<Duration> {
        let interval = |tokens| Duration::from_secs(1) * tokens / per_second;
        let full_at = self.full_at.max(now) + interval(cost);
        (full_at - now <= interval(at_once)).then_some(full_at)
    }
}

impl LogLimit {
    /// Takes tokens for one line of this size.
    pub(super) fn take(&self, now: Duration, bytes: usize) -> LogDecision {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = buckets
            .lines
            .after(now, 1, MAX_LOG_LINES_AT_ONCE, LOG_LINES_PER_SECOND);
        let bytes = buckets
            .bytes
            .after(now, bytes, MAX_LOG_BYTES_AT_ONCE, LOG_BYTES_PER_SECOND);
        let (Some(lines), Some(bytes)) = (lines, bytes) else {
            return match std::mem::replace(&mut buckets.is_told, true) {
                false => LogDecision::RefusedFirst,
                true => LogDecision::Refused,
            };
        };
        // Only a full bucket re-arms the warning, not each line granted in the middle of a flood.
        buckets.is_told &= buckets.lines.full_at > now || buckets.bytes.full_at > now;
        buckets.lines.full_at = lines;
        buckets.bytes.full_at = bytes;
        LogDecision::Granted
    }

    /// Resets the limit.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Buckets::default();
    }
}

#[cfg(test)]
mod tests {
    use super::LogDecision::{Granted, Refused, RefusedFirst};
    use super::*;

    /// How many of a thousand lines of this size are granted at this time.
    fn granted(limit: &LogLimit, second: u64, bytes: usize) -> u32 {
        let now = Duration::from_secs(second);
        let turns = (0..1_000).map(|_| limit.take(now, bytes));
        turns.map(|turn| u32::from(turn == Granted)).sum()
    }

    #[test]
    fn lines_and_bytes_are_bounded_at_once_and_in_every_second_after() {
        let limit = LogLimit::default();
        assert_eq!(granted(&limit, 0, 10), MAX_LOG_LINES_AT_ONCE);
        assert_eq!(granted(&limit, 1, 10), LOG_LINES_PER_SECOND);
        assert_eq!(granted(&limit, 2, 10), LOG_LINES_PER_SECOND);
        let limit = LogLimit::default();
        assert_eq!(granted(&limit, 0, 4_096), MAX_LOG_BYTES_AT_ONCE / 4_096);
        assert_eq!(granted(&limit, 1, 4_096), LOG_BYTES_PER_SECOND / 4_096);
    }

    #[test]
    fn a_flood_is_told_once_until_there_was_rest() {
        let limit = LogLimit::default();
        let take = |second| limit.take(Duration::from_secs(second), 10);
        while take(0) == Granted {}
        assert_eq!(take(0), Refused);
        // There are tokens again, but the bucket has not been full yet.
        while take(1) == Granted {}
        assert_eq!(take(1), Refused);
        while take(60) == Granted {}
        assert_eq!(take(60), Refused);
        limit.forget();
        while take(60) != RefusedFirst {}
        assert_eq!(take(60), Refused);
    }

    #[test]
    fn a_line_too_long_for_the_bucket_takes_nothing() {
        let limit = LogLimit::default();
        assert_eq!(limit.take(Duration::ZERO, usize::MAX), RefusedFirst);
        assert_eq!(granted(&limit, 0, 0), MAX_LOG_LINES_AT_ONCE);
    }
}
