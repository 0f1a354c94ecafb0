//! Times in headers, and how far they may be from our clock.

use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};
use jiff::{SignedDuration, Timestamp};

/// Limit (fediverse): difference between the time of a signed request and ours; beyond it the request is refused. With
/// the ids that were seen it stops replays; an hour forgives a clock that missed the change to summer time.
pub const TIME_WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// Formats `at` as an HTTP date (IMF-fixdate of RFC 9110 5.6.7).
#[must_use]
pub fn http_date(at: Timestamp) -> String {
    // Only times before the year 0 have no such form.
    DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&at)
        .unwrap_or_default()
}

/// Parses an HTTP date in any of the three forms of RFC 9110 5.6.7, or as mail writes it (RFC 5322), with another zone or
/// a day of one digit: some servers do.
#[must_use]
pub fn parse_http_date(text: &str) -> Option<Timestamp> {
    if let Ok(at) = httpdate::parse_http_date(text) {
        return Timestamp::try_from(at).ok();
    }
    DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

/// Whether `then` is within [`TIME_WINDOW`] of `now`.
pub(super) fn is_near(then: Timestamp, now: Timestamp) -> bool {
    now.duration_since(then).abs() <= TIME_WINDOW
}

/// Whether `end` passed more than [`TIME_WINDOW`] ago.
pub(super) fn is_over(end: Timestamp, now: Timestamp) -> bool {
    now.duration_since(end) > TIME_WINDOW
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn dates_are_written_as_http_wants_them() {
        assert_eq!(
            http_date(at(1_787_054_400)),
            "Tue, 18 Aug 2026 12:00:00 GMT"
        );
        assert_eq!(http_date(at(784_111_777)), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn all_three_forms_of_a_date_are_read_and_those_of_mail() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            " Sun, 06 Nov 1994 08:49:37 GMT ",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 1994 09:49:37 +0100",
        ] {
            assert_eq!(parse_http_date(text), Some(at(784_111_777)), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "now",
            "1787054400",
            "2026-08-18T12:00:00Z",
            "Tue, 18 Aug 2026",
            "Tue, 99 Aug 2026 12:00:00 GMT",
            "Tue, 18 Aug 99999 12:00:00 GMT",
        ] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }

    #[test]
    fn the_window_is_an_hour_both_ways_and_holds_at_the_ends_of_time() {
        let now = at(1_787_054_400);
        for (seconds, wanted) in [(0, true), (3600, true), (3601, false)] {
            assert_eq!(is_near(at(now.as_second() + seconds), now), wanted);
            assert_eq!(is_near(at(now.as_second() - seconds), now), wanted);
        }
        assert!(!is_over(at(now.as_second() - 3600), now));
        assert!(is_over(at(now.as_second() - 3601), now));
        for extreme in [Timestamp::MIN, Timestamp::MAX] {
            assert!(!is_near(extreme, now));
        }
        assert!(!is_near(Timestamp::MIN, Timestamp::MAX));
    }
}
