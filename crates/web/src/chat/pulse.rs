//! Whether a peer is still there.

use std::time::Duration;

use tokio::time::Instant;

/// A peer that has been silent for this long is asked whether it is still there, and again after as long.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// A peer that has not been heard of for this long is gone.
const SILENCE: Duration = Duration::from_secs(75);

/// When a peer was heard of, and when it is to be asked next.
#[derive(Debug)]
pub(crate) struct Pulse {
    heard_at: Instant,
    ask_at: Instant,
}

impl Pulse {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            heard_at: now,
            ask_at: now + PING_INTERVAL,
        }
    }

    /// When to look again.
    pub(crate) fn due(&self) -> Instant {
        self.ask_at
    }

    /// The peer said something.
    pub(crate) fn heard(&mut self, now: Instant) {
        *self = Self::new(now);
    }

    /// It is time: true when the peer is to be asked, false when it is gone.
    pub(crate) fn ask(&mut self, now: Instant) -> bool {
        let end = self.heard_at + SILENCE;
        self.ask_at = (now + PING_INTERVAL).min(end);
        now < end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_peer_is_asked_twice_and_then_given_up() {
        let begin = Instant::now();
        let mut pulse = Pulse::new(begin);
        let mut asked = Vec::new();
        loop {
            let now = pulse.due();
            if !pulse.ask(now) {
                assert_eq!(now - begin, SILENCE);
                break;
            }
            assert!(pulse.due() > now, "no second question in the same moment");
            asked.push((now - begin).as_secs());
        }
        assert_eq!(asked, [30, 60]);
    }

    #[test]
    fn a_peer_that_answers_is_asked_for_ever() {
        let mut pulse = Pulse::new(Instant::now());
        for _ in 0..100 {
            let now = pulse.due();
            assert!(pulse.ask(now));
            pulse.heard(now + Duration::from_millis(50));
        }
    }
}
