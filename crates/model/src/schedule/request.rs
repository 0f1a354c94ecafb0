//! Checks what an operator asks for.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use thiserror::Error;

use super::{
    DEFAULT_DURATION_MINUTES, MAX_DURATION_MINUTES, Recurrence, RecurrenceError, ScheduledEvent,
    Series, time_zone,
};
use crate::ids::ScheduleId;

/// Longest name; a longer one is refused.
const MAX_NAME_CHARS: usize = 200;
/// Longest description; a longer one is refused.
const MAX_DESCRIPTION_CHARS: usize = 5000;
/// How far ahead a stream can be announced, and a series looked for its next date: ten years. Later ones are refused.
const FARTHEST: Duration = Duration::from_secs(3653 * 24 * 3600);

/// A request; fields left out stay as they are or get their defaults.
#[derive(Clone, Debug, Default)]
pub struct ScheduleRequest {
    pub name: Option<String>,
    pub description: Option<String>,
    /// When a single event begins: with an offset, or as local time in the time zone.
    pub start: Option<String>,
    /// The name of the time zone.
    pub timezone: Option<String>,
    pub duration_minutes: Option<i64>,
    /// The rule of a series.
    pub recurrence: Option<String>,
}

/// What a request to create something results in.
#[derive(Clone, Debug)]
pub enum NewSchedule {
    Single(ScheduledEvent),
    Series(Series, Recurrence),
}

/// Why a request is rejected; the texts are for the operator.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ScheduleProblem {
    #[error("name is required")]
    NoName,
    /// A text is too long or has invalid characters.
    #[error("{0}")]
    Text(String),
    #[error(
        "start and recurrence are mutually exclusive: one stream has a start, a series a recurrence"
    )]
    Both,
    #[error("give a start, or for a series a recurrence that begins with a DTSTART line")]
    Neither,
    #[error("start {0:?} is not a time such as 2030-01-31T20:00:00Z")]
    Start(String),
    #[error("start must be in the future")]
    Past,
    #[error("start is more than ten years ahead")]
    TooFar,
    #[error("unknown timezone {0:?}: use a name such as Europe/Berlin")]
    Timezone(String),
    #[error("durationMinutes must be from 1 to {MAX_DURATION_MINUTES}")]
    Duration,
    /// The rule is invalid.
    #[error(transparent)]
    Recurrence(#[from] RecurrenceError),
    #[error("the recurrence has no date in the future")]
    NeverAgain,
    /// A series cannot get a single start.
    #[error("a recurring series has no single start: change its recurrence instead")]
    NoSingleStart,
    /// A single event cannot become a series.
    #[error("a single event cannot become a recurring series: create a series instead")]
    NoSeries,
    /// A new time zone alone leaves the new time ambiguous.
    #[error("the timezone cannot be changed by itself: {0}")]
    TimezoneAlone(&'static str),
    /// A cancelled series cannot be changed.
    #[error("this series is cancelled: create a new one instead")]
    Cancelled,
}

impl ScheduleRequest {
    /// Creates an event or a series.
    pub fn plan(self, id: ScheduleId, now: Timestamp) -> Result<NewSchedule, ScheduleProblem> {
        let request = self.without_blanks();
        let name = name(&request.name.ok_or(ScheduleProblem::NoName)?)?;
        let description = description(&request.description.unwrap_or_default())?;
        let duration_minutes =
            duration(request.duration_minutes)?.unwrap_or(DEFAULT_DURATION_MINUTES);
        match (request.start, request.recurrence) {
            (Some(_), Some(_)) => Err(ScheduleProblem::Both),
            (None, None) => Err(ScheduleProblem::Neither),
            (Some(start), None) => {
                let timezone = zone_name(request.timezone.as_deref().unwrap_or("UTC"))?;
                let starts_at = future(moment(&start, &timezone)?, now)?;
                Ok(NewSchedule::Single(ScheduledEvent {
                    id,
                    series_id: None,
                    name,
                    description,
                    starts_at,
                    duration_minutes,
                    timezone,
                    is_cancelled: false,
                }))
            }
            (None, Some(recurrence)) => {
                let zone = request.timezone.as_deref().map(zone_name).transpose()?;
                let recurrence = Recurrence::parse(&recurrence, zone.as_deref())?;
                recurrence.must_come_after(now)?;
                let series = Series {
                    id,
                    name,
                    description,
                    recurrence: recurrence.text().to_owned(),
                    duration_minutes,
                    is_active: true,
                };
                Ok(NewSchedule::Series(series, recurrence))
            }
        }
    }

    /// The event with the changes applied.
    pub fn change_event(
        self,
        event: &ScheduledEvent,
        now: Timestamp,
    ) -> Result<ScheduledEvent, ScheduleProblem> {
        let request = self.without_blanks();
        match (&request.start, &request.recurrence) {
            (Some(_), Some(_)) => return Err(ScheduleProblem::Both),
            (None, Some(_)) => return Err(ScheduleProblem::NoSeries),
            _ => {}
        }
        let mut changed = event.clone();
        if let Some(text) = request.name {
            changed.name = name(&text)?;
        }
        if let Some(text) = request.description {
            changed.description = description(&text)?;
        }
        if let Some(minutes) = duration(request.duration_minutes)? {
            changed.duration_minutes = minutes;
        }
        if let Some(zone) = request.timezone {
            changed.timezone = zone_name(&zone)?;
        }
        let is_other_zone = changed.timezone != event.timezone;
        match request.start {
            // It could mean the same local time in the new zone or the same moment; only a start tells.
            None if is_other_zone => {
                return Err(ScheduleProblem::TimezoneAlone("give the start too"));
            }
            None => {}
            Some(start) => changed.starts_at = moment(&start, &changed.timezone)?,
        }
        if changed.starts_at != event.starts_at {
            future(changed.starts_at, now)?;
        }
        Ok(changed)
    }

    /// The series with the changes applied, and its rule if that changed.
    pub fn change_series(
        self,
        series: &Series,
        now: Timestamp,
    ) -> Result<(Series, Option<Recurrence>), ScheduleProblem> {
        let request = self.without_blanks();
        match (&request.start, &request.recurrence) {
            (Some(_), Some(_)) => return Err(ScheduleProblem::Both),
            (Some(_), None) => return Err(ScheduleProblem::NoSingleStart),
            _ => {}
        }
        if !series.is_active {
            return Err(ScheduleProblem::Cancelled);
        }
        let before = Recurrence::parse(&series.recurrence, None)?;
        let zone = request.timezone.as_deref().map(zone_name).transpose()?;
        let recurrence = match request.recurrence {
            Some(text) => {
                let recurrence = Recurrence::parse(&text, zone.as_deref())?;
                recurrence.must_come_after(now)?;
                Some(recurrence)
            }
            None if zone.is_some_and(|zone| zone != before.timezone()) => {
                let why = "it is part of the series' recurrence";
                return Err(ScheduleProblem::TimezoneAlone(why));
            }
            None => None,
        };
        let mut changed = series.clone();
        if let Some(text) = request.name {
            changed.name = name(&text)?;
        }
        if let Some(text) = request.description {
            changed.description = description(&text)?;
        }
        if let Some(minutes) = duration(request.duration_minutes)? {
            changed.duration_minutes = minutes;
        }
        let is_other = |new: &Recurrence| new.text() != series.recurrence;
        let recurrence = recurrence.filter(is_other);
        if let Some(recurrence) = &recurrence {
            changed.recurrence = recurrence.text().to_owned();
        }
        Ok((changed, recurrence))
    }

    /// Forms send empty text for fields that were not filled in.
    fn without_blanks(mut self) -> Self {
        for field in [&mut self.start, &mut self.timezone, &mut self.recurrence] {
            field.take_if(|text| text.trim().is_empty());
        }
        self
    }
}

impl Recurrence {
    /// Whether any date is left after `now`.
    pub fn comes_after(&self, now: Timestamp) -> bool {
        !self.occurrences(now, now + FARTHEST, 1).is_empty()
    }

    fn must_come_after(&self, now: Timestamp) -> Result<(), ScheduleProblem> {
        match self.comes_after(now) {
            true => Ok(()),
            false => Err(ScheduleProblem::NeverAgain),
        }
    }
}

fn name(text: &str) -> Result<String, ScheduleProblem> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ScheduleProblem::NoName);
    }
    if text.chars().any(char::is_control) {
        let why = "name must be a single line without control characters";
        return Err(ScheduleProblem::Text(why.into()));
    }
    at_most("name", text, MAX_NAME_CHARS)
}

fn description(text: &str) -> Result<String, ScheduleProblem> {
    if text.contains('\0') {
        let why = "description must not contain NUL characters";
        return Err(ScheduleProblem::Text(why.into()));
    }
    at_most("description", text.trim(), MAX_DESCRIPTION_CHARS)
}

fn at_most(what: &str, text: &str, max: usize) -> Result<String, ScheduleProblem> {
    if text.chars().count() > max {
        let why = format!("{what} is too long: at most {max} characters");
        return Err(ScheduleProblem::Text(why));
    }
    Ok(text.to_owned())
}

fn duration(minutes: Option<i64>) -> Result<Option<u32>, ScheduleProblem> {
    let Some(minutes) = minutes else {
        return Ok(None);
    };
    let minutes = u32::try_from(minutes).map_err(|_| ScheduleProblem::Duration)?;
    match minutes {
        1..=MAX_DURATION_MINUTES => Ok(Some(minutes)),
        _ => Err(ScheduleProblem::Duration),
    }
}

fn zone_name(name: &str) -> Result<String, ScheduleProblem> {
    let known = time_zone(name.trim());
    known
        .map(|(_, name)| name)
        .ok_or_else(|| ScheduleProblem::Timezone(shown(name)))
}

/// A moment, rounded to the millisecond that is stored.
fn moment(text: &str, timezone: &str) -> Result<Timestamp, ScheduleProblem> {
    let text = text.trim();
    let wrong = || ScheduleProblem::Start(shown(text));
    let at = match text.parse::<Timestamp>() {
        Ok(at) => at,
        Err(_) => {
            let local: DateTime = text.parse().map_err(|_| wrong())?;
            let (zone, _) = time_zone(timezone).ok_or_else(wrong)?;
            zone.to_timestamp(local).map_err(|_| wrong())?
        }
    };
    Timestamp::from_millisecond(at.as_millisecond()).map_err(|_| wrong())
}

fn future(at: Timestamp, now: Timestamp) -> Result<Timestamp, ScheduleProblem> {
    if at <= now {
        return Err(ScheduleProblem::Past);
    }
    if at > now + FARTHEST {
        return Err(ScheduleProblem::TooFar);
    }
    Ok(at)
}

/// The part of the input that an error message repeats.
fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests;
