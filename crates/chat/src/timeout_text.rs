//! What a person who was timed out is told.

use std::time::Duration;

use model::sentence::Sentence;

use crate::event::{ChatEventKind, Notice};
use crate::listener_state::seconds_to_wait;
use crate::{render, sentences};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
/// How far the clocks of two servers may be apart, in seconds.
const SKEW: u64 = 2;

/// At once, when it begins and has a reason.
pub(crate) fn begun(length: Duration, reason: &str) -> Sentence {
    let words = in_words(length);
    sentences::TIMEOUT_BEGINS
        .with([words.into(), reason.into()])
        .and("seconds", length.as_secs())
}

/// The same as they see it, privately.
pub(crate) fn told(length: Duration, reason: &str) -> ChatEventKind {
    let sentence = begun(length, reason);
    ChatEventKind::Action {
        user: None,
        body: format!("<p>{}</p>", render::escaped(&sentence.english())),
        notice: Some(Notice::Muted(Some(length.as_secs()))),
        sentence: Some(sentence),
    }
}

/// How long a timeout is of which so much is left, heard of a moment after it began and by another clock: moderators
/// think in minutes.
pub(crate) fn length_of(left: Duration) -> Duration {
    let seconds = seconds_to_wait(left);
    let minutes = (seconds + MINUTE / 2) / MINUTE * MINUTE;
    let is_meant = minutes > 0 && seconds.abs_diff(minutes) <= SKEW;
    Duration::from_secs(if is_meant { minutes } else { seconds })
}

/// Whenever they write in the meantime.
pub(crate) fn lasting(reason: Option<&str>) -> Sentence {
    match reason {
        Some(reason) => sentences::TIMEOUT_LASTS_BECAUSE.with([reason.into()]),
        None => sentences::TIMEOUT_LASTS.plain(),
    }
}

/// In the largest unit that divides it.
fn in_words(length: Duration) -> String {
    let seconds = length.as_secs();
    let (count, unit) = if seconds >= HOUR && seconds.is_multiple_of(HOUR) {
        (seconds / HOUR, "hour")
    } else if seconds >= MINUTE && seconds.is_multiple_of(MINUTE) {
        (seconds / MINUTE, "minute")
    } else {
        (seconds, "second")
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_names_its_length_in_the_largest_unit_and_its_reason() {
        for (seconds, words) in [
            (1, "1 second"),
            (90, "90 seconds"),
            (60, "1 minute"),
            (600, "10 minutes"),
            (3600, "1 hour"),
            (24 * 3600, "24 hours"),
        ] {
            let text = begun(Duration::from_secs(seconds), "spam").english();
            let begins = format!("A moderator has timed you out for {words}. ");
            assert_eq!(text, begins + "Reason: spam");
        }
        for (left, length) in [(599_400, 600), (600_200, 600), (29_700, 30), (90_000, 90)] {
            let left = Duration::from_millis(left);
            assert_eq!(length_of(left), Duration::from_secs(length), "{left:?}");
        }
        assert!(lasting(Some("spam")).english().ends_with("Reason: spam"));
        assert!(!lasting(None).english().contains("Reason"));
    }
}
