//! Decides whether a publisher still sends enough to stay connected.

use std::time::Duration;

/// How long a publisher is watched before it is called too slow.
const WINDOW: Duration = Duration::from_secs(30);
/// Limit (broadcasters, bytes): lowest data rate per second over [`WINDOW`]; a slower encoder is disconnected. One
/// whose messages come in steadily is not: a silent, still picture is small.
const MIN_BYTES_PER_SECOND: u64 = 1_000;
/// Whole media messages per second that keep a publisher below the minimum rate: a silent, still picture is small.
const MIN_MESSAGES_PER_SECOND: u64 = 1;
/// How often per idle limit silence is checked for; silence is noticed at most a quarter of the limit late.
pub(super) const CHECKS: u32 = 4;

/// Recent input.
#[derive(Debug)]
pub(super) struct StallDetector {
    window_start: Duration,
    bytes: u64,
    messages: u64,
    heard: bool,
    silent_checks: u32,
}

/// Why a publisher is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stall {
    Silent,
    Slow,
}

impl StallDetector {
    pub(super) fn new(uptime: Duration) -> Self {
        Self {
            window_start: uptime,
            bytes: 0,
            messages: 0,
            heard: false,
            silent_checks: 0,
        }
    }

    pub(super) fn bytes(&mut self, bytes: usize) {
        self.heard = true;
        self.bytes += bytes as u64;
    }

    pub(super) fn message(&mut self) {
        self.messages += 1;
    }

    /// Call this [`CHECKS`] times per idle limit.
    pub(super) fn check(&mut self, uptime: Duration) -> Result<(), Stall> {
        self.silent_checks = if self.heard {
            0
        } else {
            self.silent_checks + 1
        };
        self.heard = false;
        if self.silent_checks >= CHECKS {
            return Err(Stall::Silent);
        }
        let elapsed = uptime.saturating_sub(self.window_start);
        if elapsed < WINDOW {
            return Ok(());
        }
        let seconds = elapsed.as_secs();
        let is_slow = self.bytes < seconds * MIN_BYTES_PER_SECOND
            && self.messages < seconds * MIN_MESSAGES_PER_SECOND;
        (self.window_start, self.bytes, self.messages) = (uptime, 0, 0);
        if is_slow { Err(Stall::Slow) } else { Ok(()) }
    }
}

impl Stall {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Silent => "nothing was received for too long",
            Self::Slow => "too little was received for too long",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(100);
    const END: Duration = Duration::from_secs(130);

    #[test]
    fn silence_is_noticed_after_the_idle_limit_and_not_before() {
        let mut stall_detector = StallDetector::new(START);
        stall_detector.bytes(1);
        assert_eq!(stall_detector.check(START), Ok(()));
        for _ in 1..CHECKS {
            assert_eq!(stall_detector.check(START), Ok(()));
        }
        assert_eq!(stall_detector.check(START), Err(Stall::Silent));
    }

    #[test]
    fn a_trickle_is_dropped_at_the_end_of_the_window() {
        let mut stall_detector = StallDetector::new(START);
        stall_detector.bytes(29_999);
        assert_eq!(stall_detector.check(END - Duration::from_millis(1)), Ok(()));
        stall_detector.bytes(0);
        assert_eq!(stall_detector.check(END), Err(Stall::Slow));
    }

    #[test]
    fn enough_bytes_or_enough_messages_keep_a_publisher() {
        let mut stall_detector = StallDetector::new(START);
        stall_detector.bytes(30_000);
        assert_eq!(stall_detector.check(END), Ok(()));
        for _ in 0..30 {
            stall_detector.message();
        }
        stall_detector.bytes(1);
        assert_eq!(stall_detector.check(END + WINDOW), Ok(()));
        stall_detector.bytes(1);
        assert_eq!(stall_detector.check(END + WINDOW * 2), Err(Stall::Slow));
    }
}
