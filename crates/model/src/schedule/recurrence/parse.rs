//! Parses a recurrence. Anything unknown is rejected.

use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;

use super::{ByDay, Frequency, Recurrence, RecurrenceEnd, RecurrenceError, Rule};
use crate::schedule::time_zone;

/// Longest recurrence that is read; one with every part has about 300 characters. A longer one is refused.
const MAX_TEXT_BYTES: usize = 1000;
/// Years a series may begin in; others are typing errors and are refused.
const START_YEARS: std::ops::RangeInclusive<i16> = 2000..=2199;
/// Largest `INTERVAL`; a larger one is refused.
const MAX_INTERVAL: i32 = 1000;
/// Largest `COUNT`; a larger one is refused, because what counts is walked through from its first date.
const MAX_COUNT: u32 = 1000;

fn refused<T>(why: impl Into<String>) -> Result<T, RecurrenceError> {
    Err(RecurrenceError(why.into()))
}

impl Recurrence {
    /// Reads `DTSTART` and `RRULE`. A start without a time zone is in `zone`, or in UTC.
    pub fn parse(text: &str, zone: Option<&str>) -> Result<Self, RecurrenceError> {
        if text.len() > MAX_TEXT_BYTES {
            return refused(format!(
                "the recurrence is too long: at most {MAX_TEXT_BYTES} bytes"
            ));
        }
        let (mut begin, mut rule) = (None, None);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for line in lines {
            let (head, value) = line.split_once(':').unwrap_or((line, ""));
            let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
            let before = match name.to_ascii_uppercase().as_str() {
                "DTSTART" => begin.replace((parameters, value)).is_some(),
                "RRULE" if parameters.is_empty() => rule.replace(value).is_some(),
                _ => {
                    return refused(format!(
                        "the recurrence has a line {name:?}; only DTSTART and RRULE are supported"
                    ));
                }
            };
            if before {
                return refused(format!("the recurrence has more than one {name}"));
            }
        }
        let Some((parameters, value)) = begin else {
            return refused(
                "the recurrence needs a DTSTART line, such as DTSTART;TZID=Europe/Berlin:20300131T200000",
            );
        };
        let Some(rule) = rule else {
            return refused(
                "the recurrence needs an RRULE line, such as RRULE:FREQ=WEEKLY;BYDAY=FR",
            );
        };
        let begin = DtStart::parse(parameters, value, zone)?;
        let text = format!("{}\nRRULE:{rule}", begin.line);
        let rule = Rule::parse(rule, begin.at, &begin.zone)?;
        Ok(Self {
            text,
            start: begin.at,
            zone: begin.zone,
            zone_name: begin.zone_name,
            rule,
        })
    }
}

struct DtStart {
    /// The line, in a form that can be parsed again.
    line: String,
    at: DateTime,
    zone: TimeZone,
    zone_name: String,
}

impl DtStart {
    fn parse(parameters: &str, value: &str, given: Option<&str>) -> Result<Self, RecurrenceError> {
        let mut named = None;
        for parameter in parameters.split(';').filter(|one| !one.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match name.to_ascii_uppercase().as_str() {
                "TZID" => named = Some(value.trim_matches('"')),
                "VALUE" if value.eq_ignore_ascii_case("DATE-TIME") => {}
                _ => {
                    return refused(format!("DTSTART has {parameter:?}; only TZID is supported"));
                }
            }
        }
        let is_utc = value.ends_with(['Z', 'z']);
        if is_utc && named.is_some() {
            return refused("DTSTART has a TZID and a time in UTC; give one of them");
        }
        let Some(at) = local(value.trim_end_matches(['Z', 'z'])) else {
            return refused(format!(
                "DTSTART {value:?} is not a time such as 20300131T200000"
            ));
        };
        if !START_YEARS.contains(&at.year()) {
            return refused(format!(
                "DTSTART must be from {} to {}",
                START_YEARS.start(),
                START_YEARS.end()
            ));
        }
        let own = if is_utc { Some("UTC") } else { named };
        let wanted = own.or(given).unwrap_or("UTC");
        let Some((zone, zone_name)) = time_zone(wanted) else {
            return refused(format!("unknown timezone {wanted:?}"));
        };
        if let Some(given) = given.and_then(time_zone)
            && given.1 != zone_name
        {
            return refused(format!(
                "the timezone is {}, but DTSTART says {zone_name}",
                given.1
            ));
        }
        let line = match (parameters, is_utc) {
            ("", false) => format!("DTSTART;TZID={zone_name}:{value}"),
            ("", true) => format!("DTSTART:{value}"),
            _ => format!("DTSTART;{parameters}:{value}"),
        };
        Ok(Self {
            line,
            at,
            zone,
            zone_name,
        })
    }
}

/// The parts of a rule as written.
#[derive(Default)]
struct RuleParts<'a> {
    frequency: Option<Frequency>,
    interval: Option<i32>,
    count: Option<u32>,
    until: Option<&'a str>,
    months: Vec<i8>,
    month_days: Vec<i8>,
    days: Vec<ByDay>,
    week_start: Option<Weekday>,
}

impl<'a> RuleParts<'a> {
    fn parse(text: &'a str) -> Result<Self, RecurrenceError> {
        let mut parts = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for part in text.split(';') {
            let Some((name, value)) = part.split_once('=') else {
                return refused(format!("RRULE has a part {part:?} without a value"));
            };
            let name = name.trim().to_ascii_uppercase();
            if seen.contains(&name) {
                return refused(format!("RRULE has {name} twice"));
            }
            parts.read(&name, value.trim())?;
            seen.push(name);
        }
        Ok(parts)
    }

    fn read(&mut self, name: &str, value: &'a str) -> Result<(), RecurrenceError> {
        let wrong = || RecurrenceError(format!("RRULE has {name}={value}, which is not valid"));
        match name {
            "FREQ" => self.frequency = Some(frequency(value)?),
            "INTERVAL" => self.interval = number(value, 1, MAX_INTERVAL),
            "COUNT" => self.count = number(value, 1, MAX_COUNT),
            "UNTIL" => self.until = Some(value),
            "BYMONTH" => self.months = list(value, |one| number(one, 1, 12)).ok_or_else(wrong)?,
            "BYMONTHDAY" => self.month_days = list(value, month_day).ok_or_else(wrong)?,
            "BYDAY" => self.days = list(value, day).ok_or_else(wrong)?,
            "WKST" => self.week_start = weekday(value),
            _ => {
                return refused(format!("RRULE has {name}, which is not supported"));
            }
        }
        let is_read = match name {
            "INTERVAL" => self.interval.is_some(),
            "COUNT" => self.count.is_some(),
            "WKST" => self.week_start.is_some(),
            _ => true,
        };
        if is_read { Ok(()) } else { Err(wrong()) }
    }

    /// Parts that the frequency does not allow (RFC 5545 3.3.10), and parts we do not support.
    fn objection(&self, frequency: Frequency) -> Option<&'static str> {
        let is_by_month = matches!(frequency, Frequency::Monthly | Frequency::Yearly);
        if self.count.is_some() && self.until.is_some() {
            return Some("RRULE has COUNT and UNTIL; give one of them");
        }
        if !is_by_month && self.days.iter().any(|day| day.ordinal.is_some()) {
            return Some("RRULE has a BYDAY with a number; that needs FREQ=MONTHLY");
        }
        if frequency == Frequency::Weekly && !self.month_days.is_empty() {
            return Some("RRULE has BYMONTHDAY, which does not go with FREQ=WEEKLY");
        }
        if frequency == Frequency::Yearly && !self.days.is_empty() && self.months.is_empty() {
            return Some("RRULE has BYDAY, which with FREQ=YEARLY needs a BYMONTH");
        }
        None
    }
}

impl Rule {
    fn parse(text: &str, start: DateTime, zone: &TimeZone) -> Result<Self, RecurrenceError> {
        let mut parts = RuleParts::parse(text)?;
        let Some(frequency) = parts.frequency else {
            return refused("RRULE needs a FREQ, such as FREQ=WEEKLY");
        };
        if let Some(why) = parts.objection(frequency) {
            return refused(why);
        }
        // What a rule leaves open follows from its start.
        let leaves_day_open = parts.days.is_empty() && parts.month_days.is_empty();
        match frequency {
            Frequency::Weekly if leaves_day_open => parts.days.push(ByDay {
                ordinal: None,
                weekday: start.weekday(),
            }),
            Frequency::Monthly if leaves_day_open => parts.month_days.push(start.day()),
            Frequency::Yearly if leaves_day_open => {
                parts.month_days.push(start.day());
                if parts.months.is_empty() {
                    parts.months.push(start.month());
                }
            }
            _ => {}
        }
        let end = match (parts.count, parts.until) {
            (Some(count), _) => RecurrenceEnd::Count(count),
            (None, Some(until)) => RecurrenceEnd::Until(until_moment(until, zone)?),
            (None, None) => RecurrenceEnd::Never,
        };
        Ok(Self {
            frequency,
            interval: parts.interval.unwrap_or(1),
            end,
            months: parts.months,
            month_days: parts.month_days,
            days: parts.days,
            week_start: parts.week_start.unwrap_or(Weekday::Monday),
        })
    }
}

/// A date counts until the end of the day; a time without `Z` is in the rule's time zone.
fn until_moment(text: &str, zone: &TimeZone) -> Result<Timestamp, RecurrenceError> {
    let is_utc = text.ends_with(['Z', 'z']);
    let text_of_time = text.trim_end_matches(['Z', 'z']);
    let whole_day = || Some(date(text_of_time)?.at(23, 59, 59, 0));
    let zone = if is_utc { &TimeZone::UTC } else { zone };
    let moment = local(text_of_time)
        .or_else(whole_day)
        .and_then(|at| zone.to_timestamp(at).ok());
    moment.ok_or_else(|| {
        RecurrenceError(format!(
            "UNTIL {text:?} is not a time such as 20300131T190000Z"
        ))
    })
}

fn frequency(text: &str) -> Result<Frequency, RecurrenceError> {
    match text.to_ascii_uppercase().as_str() {
        "DAILY" => Ok(Frequency::Daily),
        "WEEKLY" => Ok(Frequency::Weekly),
        "MONTHLY" => Ok(Frequency::Monthly),
        "YEARLY" => Ok(Frequency::Yearly),
        _ => refused(format!(
            "FREQ is {text:?}, but must be DAILY, WEEKLY, MONTHLY or YEARLY"
        )),
    }
}

fn list<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    text.split(',').map(|one| read(one.trim())).collect()
}

fn number<T: FromStr + PartialOrd + Copy>(text: &str, min: T, max: T) -> Option<T> {
    let number: T = text.parse().ok()?;
    (min <= number && number <= max).then_some(number)
}

fn month_day(text: &str) -> Option<i8> {
    number(text, -31, 31).filter(|day| *day != 0)
}

fn day(text: &str) -> Option<ByDay> {
    let (ordinal, name) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let weekday = weekday(name)?;
    if ordinal.is_empty() {
        return Some(ByDay {
            ordinal: None,
            weekday,
        });
    }
    let ordinal = number(ordinal, -5, 5).filter(|ordinal| *ordinal != 0)?;
    Some(ByDay {
        ordinal: Some(ordinal),
        weekday,
    })
}

fn weekday(text: &str) -> Option<Weekday> {
    match text.to_ascii_uppercase().as_str() {
        "MO" => Some(Weekday::Monday),
        "TU" => Some(Weekday::Tuesday),
        "WE" => Some(Weekday::Wednesday),
        "TH" => Some(Weekday::Thursday),
        "FR" => Some(Weekday::Friday),
        "SA" => Some(Weekday::Saturday),
        "SU" => Some(Weekday::Sunday),
        _ => None,
    }
}

/// `20300131T200000`
fn local(text: &str) -> Option<DateTime> {
    let (day, time) = text.split_once(['T', 't'])?;
    let [hour, minute, second] = pairs(time)?;
    Some(date(day)?.to_datetime(Time::new(hour, minute, second, 0).ok()?))
}

/// `20300131`
fn date(text: &str) -> Option<Date> {
    let [century, year, month, day] = pairs(text)?;
    Date::new(i16::from(century) * 100 + i16::from(year), month, day).ok()
}

/// Numbers of two digits each.
fn pairs<const N: usize>(text: &str) -> Option<[i8; N]> {
    let is_whole = text.len() == 2 * N && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut numbers = [0; N];
    for (place, number) in numbers.iter_mut().enumerate() {
        *number = is_whole.then(|| text[2 * place..2 * place + 2].parse().ok())??;
    }
    Some(numbers)
}
