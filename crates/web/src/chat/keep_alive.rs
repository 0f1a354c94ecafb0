//! Keep-alive: checks by pings whether a peer is still there.

use std::time::Duration;

use tokio::time::Instant;

/// A peer that has been silent for this long is asked whether it is still there, and again after as long.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// A peer that has not been heard of for this long is gone.
const SILENCE: Duration = Duration::from_secs(75);

/// When the peer was last heard from, and when to ping it next.
#[derive(Debug)]
pub(crate) struct KeepAlive {
    heard_at: Instant,
    ask_at: Instant,
}

impl KeepAlive {
    /// Peers that connect together are pinged one after the other: thousands of pings in one moment, each answered,
    /// would delay everybody's next line. `number` tells peers apart; consecutive numbers are far apart in time.
    pub(crate) fn new(now: Instant, number: u64) -> Self {
        // Golden-ratio steps never coincide and leave no large gap.
        let part = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let earlier = (PING_INTERVAL.as_millis() as u64 * part) >> 33;
        Self {
            heard_at: now,
            ask_at: now + PING_INTERVAL - Duration::from_millis(earlier),
        }
    }

    /// When to check again.
    pub(crate) fn due(&self) -> Instant {
        self.ask_at
    }

    /// The peer said something.
    pub(crate) fn heard(&mut self, now: Instant) {
        self.heard_at = now;
        self.ask_at = now + PING_INTERVAL;
    }

    /// Called when due: true if the peer should be pinged, false if it is gone.
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
        let mut keep_alive = KeepAlive::new(begin, 0);
        let mut asked = Vec::new();
        loop {
            let now = keep_alive.due();
            if !keep_alive.ask(now) {
                assert_eq!(now - begin, SILENCE);
                break;
            }
            assert!(
                keep_alive.due() > now,
                "no second question in the same moment"
            );
            asked.push((now - begin).as_secs());
        }
        assert_eq!(asked, [30, 60]);
    }

    #[test]
    fn peers_that_come_together_are_not_asked_together() {
        let begin = Instant::now();
        let mut asked = [0; 15];
        for number in 1..=15_000 {
            let wait = KeepAlive::new(begin, number).due() - begin;
            assert!(
                wait > PING_INTERVAL / 2 && wait <= PING_INTERVAL,
                "{wait:?}"
            );
            asked[(wait.as_secs() as usize).min(29) - 15] += 1;
        }
        // About a thousand in each second.
        assert!(
            asked.iter().all(|count| (980..=1020).contains(count)),
            "{asked:?}"
        );
    }

    #[test]
    fn a_peer_that_answers_is_asked_for_ever() {
        let mut keep_alive = KeepAlive::new(Instant::now(), 1);
        for _ in 0..100 {
            let now = keep_alive.due();
            assert!(keep_alive.ask(now));
            keep_alive.heard(now + Duration::from_millis(50));
        }
    }
}
