//! Streams that are announced: single ones, and series by a rule of the calendar.
//!
//! [`Recurrence`] knows which dates a rule means, [`ScheduleRequest`] what an operator may ask for, and [`Agenda`] what is next
//! and when the chat opens for it. Nothing here reads a clock: every question brings its own "now".

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
    /// The series it was made from.
    pub series_id: Option<ScheduleId>,
    /// What it is called.
    pub name: String,
    /// More about it.
    pub description: String,
    pub starts_at: Timestamp,
    /// How long it lasts.
    pub duration_minutes: u32,
    /// The time zone its operator thinks of it in.
    pub timezone: String,
    /// It will not happen, and people are told so.
    pub is_cancelled: bool,
}

impl ScheduledEvent {
    /// When it is over.
    pub fn ends_at(&self) -> Timestamp {
        self.starts_at + Duration::from_secs(u64::from(self.duration_minutes) * 60)
    }
}

/// Streams that come again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    pub id: ScheduleId,
    /// What each of them is called.
    pub name: String,
    /// More about them.
    pub description: String,
    /// When: a `DTSTART` and an `RRULE` line.
    pub recurrence: String,
    /// How long each of them lasts.
    pub duration_minutes: u32,
    /// There will be more of them.
    pub is_active: bool,
}

/// A time zone by its name in the time zone database, in any case.
fn time_zone(name: &str) -> Option<(TimeZone, String)> {
    if name.chars().count() > MAX_ZONE_CHARS {
        return None;
    }
    let zone = TimeZone::get(name).ok().filter(|zone| !zone.is_unknown())?;
    let name = zone.iana_name()?.to_owned();
    Some((zone, name))
}
