//! Adds up viewers and connections to the chat over time, without IO.

use std::time::Duration;

use jiff::Timestamp;
use store::AudienceSample;

/// The shortest period in the database.
const PERIOD_SECONDS: i64 = 60;

/// What has been measured since the last sample was taken.
#[derive(Debug)]
pub(super) struct Tally {
    sum: Option<AudienceSample>,
    measured_until: Duration,
    viewers: u32,
    pub(super) chat_clients: u32,
    is_on: bool,
}

impl Tally {
    pub(super) fn new(uptime: Duration) -> Self {
        Self {
            sum: None,
            measured_until: uptime,
            viewers: 0,
            chat_clients: 0,
            is_on: false,
        }
    }

    /// Adds the time since the last call with the numbers that held in it; from now on these hold. The number of
    /// connections to the chat is set before.
    pub(super) fn measure(&mut self, now: Timestamp, uptime: Duration, viewers: u32, is_on: bool) {
        let elapsed = uptime.saturating_sub(self.measured_until);
        self.measured_until = uptime;
        if self.is_on || is_on {
            let chat_clients = self.chat_clients;
            let known_viewers = self.viewers;
            let sum = self.sum.get_or_insert(AudienceSample {
                began_at: now,
                ..AudienceSample::default()
            });
            if self.is_on {
                let ms = i64::try_from(elapsed.as_millis()).unwrap_or(0);
                sum.measured_ms += ms;
                sum.viewer_ms += ms * i64::from(known_viewers);
                sum.chat_client_ms += ms * i64::from(chat_clients);
            }
            sum.peak_viewers = sum.peak_viewers.max(viewers);
            sum.peak_chat_clients = sum.peak_chat_clients.max(chat_clients);
        }
        self.viewers = viewers;
        self.is_on = is_on;
    }

    /// Whether another period has begun since the first measurement.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        let period = |at: Timestamp| at.as_second().div_euclid(PERIOD_SECONDS);
        let sum = self.sum.as_ref();
        sum.is_some_and(|sum| period(sum.began_at) != period(now))
    }

    pub(super) fn take(&mut self) -> Option<AudienceSample> {
        self.sum.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> (Timestamp, Duration) {
        let now = Timestamp::from_second(1_700_000_040 + second).unwrap();
        (now, Duration::from_secs(second.unsigned_abs()))
    }

    fn measure(tally: &mut Tally, second: i64, viewers: u32, is_on: bool) {
        let (now, uptime) = at(second);
        tally.measure(now, uptime, viewers, is_on);
    }

    #[test]
    fn a_number_counts_for_the_time_it_held() {
        let mut tally = Tally::new(Duration::ZERO);
        measure(&mut tally, 1, 10, true);
        measure(&mut tally, 4, 2, true);
        tally.chat_clients = 3;
        measure(&mut tally, 6, 0, true);
        let sample = tally.take().unwrap();
        assert_eq!((sample.began_at, sample.measured_ms), (at(1).0, 5_000));
        assert_eq!((sample.viewer_ms, sample.peak_viewers), (34_000, 10));
        assert_eq!(
            (sample.chat_client_ms, sample.peak_chat_clients),
            (6_000, 3)
        );
        assert_eq!(tally.take(), None);
    }

    #[test]
    fn time_without_a_stream_and_without_a_chat_leaves_nothing() {
        let mut tally = Tally::new(Duration::ZERO);
        measure(&mut tally, 100, 0, false);
        assert_eq!(tally.take(), None);
        measure(&mut tally, 200, 0, true);
        measure(&mut tally, 201, 0, false);
        measure(&mut tally, 900, 0, false);
        assert_eq!(tally.take().unwrap().measured_ms, 1_000);
    }

    #[test]
    fn a_sample_is_due_when_the_minute_is_over() {
        let mut tally = Tally::new(Duration::ZERO);
        assert!(!tally.is_due(at(500).0));
        measure(&mut tally, 10, 1, true);
        assert!(!tally.is_due(at(59).0));
        assert!(tally.is_due(at(60).0));
    }
}
