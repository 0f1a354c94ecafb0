//! How far the clock of this machine is from that of PostgreSQL, which is the one that all machines can ask.
//!
//! No decision compares the clocks of two machines; what people see does: the end of a timeout, the time of a line, the
//! dates in a playlist.

use std::time::Duration;

use jiff::SignedDuration;
use model::Clock;
use store::{Store, StoreError};

/// From here on the operator is told.
const WARN_FROM: Duration = Duration::from_millis(250);
/// From here on the machine may not join.
const REFUSE_FROM: Duration = Duration::from_secs(2);
/// Questions; the one with the shortest way counts, because nobody knows on which half of it time was lost.
const QUESTIONS: usize = 5;

/// Whether a clock can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClockVerdict {
    Right(String),
    Off(String),
    Wrong(String),
}

/// Positive if this machine is ahead.
pub(crate) async fn measure(
    store: &Store,
    clock: &dyn Clock,
) -> Result<SignedDuration, StoreError> {
    let mut best: Option<(Duration, SignedDuration)> = None;
    for _ in 0..QUESTIONS {
        let (asked_at, began) = (clock.now(), clock.uptime());
        let told = store.database_time().await?;
        let took = clock.uptime().saturating_sub(began);
        if best.is_none_or(|(shortest, _)| took < shortest) {
            best = Some((took, (asked_at + took / 2).duration_since(told)));
        }
    }
    Ok(best.map_or(SignedDuration::ZERO, |(_, apart)| apart))
}

pub(crate) fn judge(apart: SignedDuration) -> ClockVerdict {
    let size = apart.unsigned_abs();
    let direction = match apart.is_negative() {
        true => "behind",
        false => "ahead of",
    };
    let said = format!(
        "the clock of this machine is {} ms {direction} PostgreSQL's",
        size.as_millis()
    );
    match size {
        size if size >= REFUSE_FROM => ClockVerdict::Wrong(format!(
            "{said}: a machine of a cluster may be off by less than {} s; set the clocks of both by NTP",
            REFUSE_FROM.as_secs()
        )),
        size if size >= WARN_FROM => ClockVerdict::Off(format!(
            "{said}: timeouts and playlists are off by as much; set the clocks of both by NTP"
        )),
        _ => ClockVerdict::Right(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_is_told_and_one_that_is_wrong_is_refused() {
        let judged = |millis| judge(SignedDuration::from_millis(millis));
        assert!(matches!(judged(249), ClockVerdict::Right(_)));
        assert!(matches!(judged(-249), ClockVerdict::Right(_)));
        let ClockVerdict::Off(text) = judged(-250) else {
            panic!("it is off");
        };
        assert!(text.contains("250 ms behind PostgreSQL's"), "{text}");
        assert!(matches!(judged(1999), ClockVerdict::Off(_)));
        let ClockVerdict::Wrong(text) = judged(2000) else {
            panic!("it is wrong");
        };
        assert!(
            text.contains("2000 ms ahead of") && text.contains("NTP"),
            "{text}"
        );
        assert!(matches!(judged(-2000), ClockVerdict::Wrong(_)));
    }
}
