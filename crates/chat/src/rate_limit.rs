//! The rate limits of one person: how often they may write and change their name.

use std::time::Duration;

use jiff::Timestamp;

/// Limit (viewers): time between two chat messages from one person; whoever is faster is muted for [`PENALTY`].
const INTERVAL: Duration = Duration::from_millis(667);
/// Limit (viewers): time between two chat messages from one person through two servers of a cluster, where it is the
/// database that counts; whoever is faster is muted for [`PENALTY`].
pub(crate) const SHARED_INTERVAL: Duration = Duration::from_millis(333);
/// The same for those who are trusted, or where the operator does not want the limit: it only stops machines.
const LOOSE_INTERVAL: Duration = Duration::from_millis(50);
/// How far those may run ahead.
const LOOSE_BURST: Duration = Duration::from_secs(1);
/// Who is faster hears nothing but silence for this long.
const PENALTY: Duration = Duration::from_secs(10);

/// The rate limiter's decision about a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateDecision {
    Fine,
    /// Too fast: muted from now on. Returned once per penalty.
    Flood,
    /// Still muted.
    Muted,
}

/// The rate limits of one person across all of their connections, in uptime.
#[derive(Debug, Default)]
pub(crate) struct MemberRateLimiter {
    next: Duration,
    muted_until: Duration,
    last_line: Option<Duration>,
    last_name: Option<Duration>,
    /// When they said their last line at this server, as it is stored.
    last_said: Option<Timestamp>,
}

impl MemberRateLimiter {
    /// Counts a frame.
    pub(crate) fn frame(&mut self, now: Duration, is_strict: bool) -> RateDecision {
        if now < self.muted_until {
            return RateDecision::Muted;
        }
        let (interval, burst) = if is_strict {
            (INTERVAL, Duration::ZERO)
        } else {
            (LOOSE_INTERVAL, LOOSE_BURST)
        };
        if now + burst < self.next {
            self.muted_until = now + PENALTY;
            return RateDecision::Flood;
        }
        self.next = self.next.max(now) + interval;
        RateDecision::Fine
    }

    /// Begins a penalty: they were too fast at another server.
    pub(crate) fn punish(&mut self, now: Duration) {
        self.muted_until = self.muted_until.max(now + PENALTY);
    }

    /// Whether a penalty is running.
    pub(crate) fn is_muted(&self, now: Duration) -> bool {
        now < self.muted_until
    }

    /// How long slow mode delays the next line.
    pub(crate) fn slow_wait(&self, now: Duration, interval: Duration) -> Option<Duration> {
        let next = self.last_line? + interval;
        (next > now).then(|| next - now)
    }

    /// Reserves the turn for a line, so that no second line slips in while the first is stored; the error is how long
    /// to wait. Pass the returned previous value to [`MemberRateLimiter::give_back`] if the line fails.
    pub(crate) fn take_turn(
        &mut self,
        now: Duration,
        interval: Duration,
    ) -> Result<Option<Duration>, Duration> {
        if let Some(wait) = self.slow_wait(now, interval) {
            return Err(wait);
        }
        Ok(self.last_line.replace(now))
    }

    /// Restores the turn of a line that failed.
    pub(crate) fn give_back(&mut self, before: Option<Duration>) {
        self.last_line = before;
    }

    /// Notes a line that was stored.
    pub(crate) fn said(&mut self, at: Timestamp) {
        self.last_said = Some(at);
    }

    pub(crate) fn last_said(&self) -> Option<Timestamp> {
        self.last_said
    }

    /// Counts a name change; false if the last one is too recent.
    pub(crate) fn rename(&mut self, now: Duration, interval: Duration) -> bool {
        let is_fine = self.last_name.is_none_or(|at| at + interval <= now);
        if is_fine {
            self.last_name = Some(now);
        }
        is_fine
    }

    /// Whether the limiter can be dropped without losing anything.
    pub(crate) fn is_idle(&self, now: Duration, slow_mode: Duration) -> bool {
        !self.is_muted(now) && now >= self.next && self.slow_wait(now, slow_mode).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn two_frames_at_once_are_one_too_many_and_ten_seconds_of_silence() {
        let mut limiter = MemberRateLimiter::default();
        assert_eq!(limiter.frame(SECOND, true), RateDecision::Fine);
        assert_eq!(limiter.frame(SECOND, true), RateDecision::Flood);
        assert_eq!(limiter.frame(SECOND * 5, true), RateDecision::Muted);
        assert_eq!(limiter.frame(SECOND + PENALTY, true), RateDecision::Fine);
    }

    #[test]
    fn who_was_too_fast_elsewhere_is_silent_here_for_as_long() {
        let mut limiter = MemberRateLimiter::default();
        limiter.punish(SECOND);
        assert!(limiter.is_muted(SECOND * 10));
        assert_eq!(limiter.frame(SECOND * 5, true), RateDecision::Muted);
        assert_eq!(limiter.frame(SECOND + PENALTY, true), RateDecision::Fine);
    }

    #[test]
    fn a_steady_talker_is_never_stopped() {
        let mut limiter = MemberRateLimiter::default();
        for number in 0..100 {
            assert_eq!(limiter.frame(INTERVAL * number, true), RateDecision::Fine);
        }
    }

    #[test]
    fn those_who_are_trusted_may_be_quick_but_not_endlessly() {
        let mut limiter = MemberRateLimiter::default();
        let mut fine = 0;
        while limiter.frame(SECOND * 10, false) == RateDecision::Fine {
            fine += 1;
        }
        assert_eq!(fine, 21);
    }

    #[test]
    fn slow_mode_counts_from_the_last_line_that_was_taken() {
        let mut limiter = MemberRateLimiter::default();
        assert_eq!(limiter.take_turn(SECOND, SECOND * 30), Ok(None));
        limiter.give_back(None);
        assert_eq!(limiter.take_turn(SECOND, SECOND * 30), Ok(None));
        assert_eq!(limiter.take_turn(SECOND, SECOND * 30), Err(SECOND * 30));
        assert_eq!(
            limiter.slow_wait(SECOND * 11, SECOND * 30),
            Some(SECOND * 20)
        );
        assert_eq!(limiter.slow_wait(SECOND * 31, SECOND * 30), None);
        assert!(!limiter.is_idle(SECOND * 11, SECOND * 30));
        assert!(limiter.is_idle(SECOND * 31, SECOND * 30));
    }
}
