//! Walks the days a rule may match.

use jiff::civil::Date;
use jiff::{Span, Timestamp};

use super::{ByDay, Frequency, Recurrence, RecurrenceEnd, Rule};

/// Days one walk looks at, more than a century of them; a rule that has found nothing by then finds nothing.
const MAX_DAYS: usize = 40_000;
/// Dates one walk finds at most; later ones are found by a later walk.
pub(super) const MAX_DATES: usize = 500;
/// The walk ends with this year, far from where calendars end.
const LAST_YEAR: i16 = 2300;

impl Recurrence {
    /// The first `limit` dates from `from` to `to` (exclusive), earliest first, without duplicates.
    pub fn occurrences(&self, from: Timestamp, to: Timestamp, limit: usize) -> Vec<Timestamp> {
        let mut found: Vec<Timestamp> = Vec::new();
        let mut latest = None;
        let mut counted = 0;
        // One more day, because a clock that is set forward may move a date into the next one.
        let last_day = self.day_of(to).saturating_add(Span::new().days(1));
        for day in self.days(from) {
            if day > last_day || found.len() >= limit {
                break;
            }
            if day < self.start.date() || !self.rule.is_allowed(day) {
                continue;
            }
            // RFC 5545 3.3.5: a time skipped by a forward clock change uses the offset before it; a repeated time means
            // the first. 3.3.10 would drop the former, but a nightly stream happens that night too.
            let Ok(at) = self.zone.to_timestamp(day.to_datetime(self.start.time())) else {
                break;
            };
            // Where a place crosses the date line, two days have the same moment.
            if latest.is_some_and(|latest| at <= latest) {
                continue;
            }
            latest = Some(at);
            counted += 1;
            let is_over = match self.rule.end {
                RecurrenceEnd::Never => false,
                RecurrenceEnd::Count(count) => counted > count,
                RecurrenceEnd::Until(until) => at > until,
            };
            if is_over || at >= to {
                break;
            }
            if at >= from {
                found.push(at);
            }
        }
        found
    }

    /// The days of all periods, starting with the one before `from`; a rule with a count starts with its first period,
    /// because each date counts.
    fn days(&self, from: Timestamp) -> impl Iterator<Item = Date> + '_ {
        let first = match self.rule.end {
            RecurrenceEnd::Count(_) => 0,
            RecurrenceEnd::Never | RecurrenceEnd::Until(_) => self.period_near(self.day_of(from)),
        };
        let periods = (first..).map_while(|number| self.period(number));
        let days = periods.flat_map(|(first, last)| {
            std::iter::successors(Some(first), move |day| {
                day.tomorrow().ok().filter(|next| *next <= last)
            })
        });
        days.take(MAX_DAYS)
    }

    /// First and last day of a period; `None` at the end of the walk.
    fn period(&self, number: i32) -> Option<(Date, Date)> {
        let steps = number.checked_mul(self.rule.interval)?;
        let start = self.start.date();
        let (first, last) = match self.rule.frequency {
            Frequency::Daily => {
                let day = later(start, steps)?;
                (day, day)
            }
            Frequency::Weekly => {
                let first = later(self.first_week(), steps.checked_mul(7)?)?;
                (first, later(first, 6)?)
            }
            Frequency::Monthly => {
                let month = month_number(start).checked_add(steps)?;
                let year = i16::try_from(month.div_euclid(12)).ok()?;
                let first =
                    Date::new(year, i8::try_from(month.rem_euclid(12)).ok()? + 1, 1).ok()?;
                (first, first.last_of_month())
            }
            Frequency::Yearly => {
                let year = i32::from(start.year()).checked_add(steps)?;
                let first = Date::new(i16::try_from(year).ok()?, 1, 1).ok()?;
                (first, first.last_of_year())
            }
        };
        (first.year() <= LAST_YEAR).then_some((first, last))
    }

    /// A period that begins before `day`, but not long before.
    fn period_near(&self, day: Date) -> i32 {
        let start = self.start.date();
        let days = days_between(start, day) - 1;
        let steps = match self.rule.frequency {
            Frequency::Daily => days,
            Frequency::Weekly => days.div_euclid(7),
            Frequency::Monthly => month_number(day) - month_number(start) - 1,
            Frequency::Yearly => i32::from(day.year()) - i32::from(start.year()) - 1,
        };
        (steps / self.rule.interval).max(0)
    }

    /// The first day of the week in which the rule begins.
    fn first_week(&self) -> Date {
        let start = self.start.date();
        let into_week = start.weekday().since(self.rule.week_start);
        start.saturating_sub(Span::new().days(into_week))
    }

    fn day_of(&self, at: Timestamp) -> Date {
        self.zone.to_datetime(at).date()
    }
}

fn later(day: Date, days: i32) -> Option<Date> {
    // A span that is too long for the calendar panics.
    let limit = 366 * i32::from(LAST_YEAR);
    let span = (days <= limit).then(|| Span::new().days(days))?;
    day.checked_add(span).ok()
}

fn days_between(from: Date, to: Date) -> i32 {
    let hours = to.duration_since(from).as_hours();
    i32::try_from(hours / 24).unwrap_or(i32::MAX)
}

fn month_number(day: Date) -> i32 {
    i32::from(day.year()) * 12 + i32::from(day.month()) - 1
}

impl Rule {
    /// Whether all conditions hold on a day.
    pub(super) fn is_allowed(&self, day: Date) -> bool {
        let from_end = day.day() - day.days_in_month() - 1;
        let is_month = self.months.is_empty() || self.months.contains(&day.month());
        let is_month_day = self.month_days.is_empty()
            || self.month_days.contains(&day.day())
            || self.month_days.contains(&from_end);
        let is_day = self.days.is_empty() || self.days.iter().any(|one| one.falls_on(day));
        is_month && is_month_day && is_day
    }
}

impl ByDay {
    fn falls_on(self, day: Date) -> bool {
        let from_start = (day.day() - 1) / 7 + 1;
        let from_end = -((day.days_in_month() - day.day()) / 7 + 1);
        let is_counted = |ordinal| ordinal == from_start || ordinal == from_end;
        day.weekday() == self.weekday && self.ordinal.is_none_or(is_counted)
    }
}
