//! A plugin's rate limit in the chat.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::host::plugin_host::Host;

/// Limit (plugins): chat messages to everybody at once, and [`LINES_PER_SECOND`] a second after that; further ones are
/// dropped. One handler could fill the chat before anybody can read it.
const MAX_LINES_AT_ONCE: u32 = 20;

/// Lines for everybody that one plugin may say in a second after that.
const LINES_PER_SECOND: u32 = 5;

/// Lines for one connection each that one plugin may say at once: a greeting for many who come together.
const MAX_WHISPERS_AT_ONCE: u32 = 100;

/// Lines for one connection each that one plugin may say in a second after that.
const WHISPERS_PER_SECOND: u32 = 25;

/// How the limit is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimitMode {
    /// By time.
    Clock,
    /// By call: for plugin tests, in which no time passes between steps.
    Call,
}

/// Who receives the line.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChatAudience {
    Everybody,
    One,
}

/// The rate limit of one plugin's lines in the chat.
#[derive(Debug, Default)]
pub(super) struct ChatRateLimit(Mutex<ChatBuckets>);

#[derive(Debug, Default)]
struct ChatBuckets {
    lines: Bucket,
    whispers: Bucket,
}

/// When the next line would be due at an even rate, and whether the excess was logged.
#[derive(Debug, Default)]
struct Bucket {
    next: Duration,
    is_told: bool,
}

/// The decision about a line.
#[derive(Debug, PartialEq, Eq)]
enum LineDecision {
    Granted,
    /// The first refused line since the bucket was last full.
    RefusedFirst,
    Refused,
}

impl Bucket {
    fn take(&mut self, now: Duration, at_once: u32, per_second: u32) -> LineDecision {
        let interval = Duration::from_secs(1) / per_second;
        let ahead = self.next.saturating_sub(now);
        if ahead > interval * (at_once - 1) {
            return match std::mem::replace(&mut self.is_told, true) {
                false => LineDecision::RefusedFirst,
                true => LineDecision::Refused,
            };
        }
        // Only a full bucket re-arms the warning, not each line granted in the middle of a flood.
        self.is_told &= !ahead.is_zero();
        self.next = now + ahead + interval;
        LineDecision::Granted
    }
}

impl ChatRateLimit {
    /// Takes a token for one line.
    ///
    /// # Errors
    /// A message for the author when there were too many.
    pub(super) fn take(&self, host: &Host, audience: ChatAudience) -> Result<(), String> {
        let now = host.parts.clock.uptime();
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (bucket, at_once, per_second) = match audience {
            ChatAudience::Everybody => (&mut buckets.lines, MAX_LINES_AT_ONCE, LINES_PER_SECOND),
            ChatAudience::One => (
                &mut buckets.whispers,
                MAX_WHISPERS_AT_ONCE,
                WHISPERS_PER_SECOND,
            ),
        };
        let turn = bucket.take(now, at_once, per_second);
        drop(buckets);
        if turn == LineDecision::Granted {
            return Ok(());
        }
        let plugin = host.slug();
        metrics::counter!("rillcast_plugin_lines_refused_total", "plugin" => plugin.to_owned())
            .increment(1);
        if turn == LineDecision::RefusedFirst {
            tracing::warn!(
                plugin,
                "left out lines for the chat: a plugin may say {at_once} at once and {per_second} a second after that"
            );
        }
        Err(format!(
            "too fast: a plugin may say {at_once} lines at once and {per_second} a second after that"
        ))
    }

    /// Resets the limit.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = ChatBuckets::default();
    }
}

#[cfg(test)]
mod tests {
    use super::LineDecision::{Granted, Refused, RefusedFirst};
    use super::*;

    #[test]
    fn a_flood_is_told_once_until_there_was_rest() {
        let mut bucket = Bucket::default();
        let turns = [0, 0, 0, 0, 100, 100, 350, 350, 350]
            .map(|millis| bucket.take(Duration::from_millis(millis), 2, 10));
        assert_eq!(
            turns,
            [
                Granted,
                Granted,
                RefusedFirst,
                Refused,
                // One more after a tenth of a second, but the bucket has not been full.
                Granted,
                Refused,
                // As at the start.
                Granted,
                Granted,
                RefusedFirst,
            ]
        );
    }
}
