//! Recurring dates: the part of RFC 5545 that announced streams need.
//!
//! A recurrence is a `DTSTART` line and an `RRULE` line. All parts of a rule except its frequency are conditions on a
//! day, so the dates are found by walking the rule's periods and testing every day in them (`walk.rs`). The walk
//! is bounded for every rule. Unsupported parts are rejected by name (`parse.rs`), never ignored.

mod parse;
mod walk;

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use jiff::civil::{DateTime, Weekday};
use jiff::tz::TimeZone;
use thiserror::Error;

/// Why a recurrence was rejected; the text is for the operator.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct RecurrenceError(pub(super) String);

/// A rule with its start.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// As stored and shown; it can be parsed again.
    text: String,
    start: DateTime,
    zone: TimeZone,
    zone_name: String,
    rule: Rule,
}

/// The dates of a series that become single events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrences {
    /// Earliest first.
    pub dates: Vec<Timestamp>,
    /// There are no other dates before this moment.
    pub until: Timestamp,
    /// The time zone of the rule.
    pub timezone: String,
}

impl Recurrence {
    /// The text as given; the time zone it was read with is added if it has none.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The time zone of the rule.
    pub fn timezone(&self) -> &str {
        &self.zone_name
    }

    /// All dates from `from` to `until` (exclusive); beyond a year only as many as fit.
    pub fn expand(&self, from: Timestamp, until: Timestamp) -> Occurrences {
        Occurrences {
            dates: self.occurrences(from, until, walk::MAX_DATES),
            until,
            timezone: self.zone_name.clone(),
        }
    }
}

#[derive(Clone, Debug)]
struct Rule {
    frequency: Frequency,
    /// At least 1.
    interval: i32,
    end: RecurrenceEnd,
    /// 1 to 12; any when empty.
    months: Vec<i8>,
    /// 1 to 31, or negative from the end of the month; any when empty.
    month_days: Vec<i8>,
    /// Any when empty.
    days: Vec<ByDay>,
    week_start: Weekday,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecurrenceEnd {
    Never,
    /// Ends after this many dates, past ones included.
    Count(u32),
    /// The last moment that counts.
    Until(Timestamp),
}

/// A weekday; with a number, the first, second, … or, if negative, the last, … in the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByDay {
    ordinal: Option<i8>,
    weekday: Weekday,
}
