//! Announced streams: single events, and series by a calendar rule.
//!
//! [`Recurrence`] computes the dates of a rule, [`ScheduleRequest`] checks what an operator asks for, and [`Agenda`]
//! knows what is next and when the chat opens for it. Nothing here reads a clock: callers pass "now".

mod agenda;
mod recurrence;
mod request;

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::ids::ScheduleId;

pub use agenda::Agenda;
pub use recurrence::{Occurrences, Recurrence, RecurrenceError};
pub use request::{NewSchedule, ScheduleProblem, ScheduleRequest};

/// Minutes an announced stream lasts when nobody says otherwise.
pub const DEFAULT_DURATION_MINUTES: u32 = 60;
/// Longest announced stream, in minutes: a week. A longer one is refused.
pub const MAX_DURATION_MINUTES: u32 = 7 * 24 * 60;
/// Longest name of a time zone that is looked up; the longest there is has 32 characters. A longer one is unknown.
const MAX_ZONE_CHARS: usize = 64;

/// A stream that is announced for a certain time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledEvent {
    pub id: ScheduleId,
    /// The series it belongs to.
    pub series_id: Option<ScheduleId>,
    pub name: String,
    pub description: String,
    pub starts_at: Timestamp,
    pub duration_minutes: u32,
    /// The time zone in which the operator planned it.
    pub timezone: String,
    /// Whether it is cancelled, which people are told.
    pub is_cancelled: bool,
}

impl ScheduledEvent {
    /// When it is over.
    pub fn ends_at(&self) -> Timestamp {
        self.starts_at + Duration::from_secs(u64::from(self.duration_minutes) * 60)
    }
}

/// A recurring stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    pub id: ScheduleId,
    /// The name of each event.
    pub name: String,
    /// The description of each event.
    pub description: String,
    /// When: a `DTSTART` and an `RRULE` line.
    pub recurrence: String,
    /// The duration of each event.
    pub duration_minutes: u32,
    /// Whether there will be more events.
    pub is_active: bool,
}

/// Looks up a time zone by its name in the time zone database, ignoring case.
fn time_zone(name: &str) -> Option<(TimeZone, String)> {
    if name.chars().count() > MAX_ZONE_CHARS {
        return None;
    }
    let zone = TimeZone::get(name).ok().filter(|zone| !zone.is_unknown())?;
    let name = zone.iana_name()?.to_owned();
    Some((zone, name))
}
