//! What visitors read of announced streams.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{Uri, header};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::schedule::ScheduledEvent;
use model::settings::table::schedule::ENABLED;
use model::settings::table::{NAME, SERVER_URL};
use store::StoreError;

use super::calendar::Calendar;
use super::wire::WireEvent;
use crate::chat::parameter;
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// What is shown of the past when nobody says otherwise.
const PAST: Duration = Duration::from_secs(7 * 24 * 3600);
/// What is shown of the future when nobody says otherwise.
const FUTURE: Duration = Duration::from_secs(90 * 24 * 3600);
/// Longest time one answer covers, in days; a longer one is refused.
const MAX_RANGE_DAYS: u32 = 366;
/// What calendars see of the future: programs fetch them rarely.
const CALENDAR: Duration = Duration::from_secs(366 * 24 * 3600);
/// Streams in one answer; later ones are left out.
const MAX_LISTED: u32 = 1000;

/// `GET /api/schedule`
pub(crate) async fn list(State(app): State<App>, uri: Uri) -> Result<Response, Problem> {
    let (from, to) = range(&uri, app.clock.now()).map_err(Problem::BadRequest)?;
    let events = events(&app, from, to).await?;
    let events: Vec<WireEvent> = events.into_iter().map(WireEvent::from).collect();
    Ok((NO_CACHE, Json(events)).into_response())
}

/// `GET /api/schedule.ics`
pub(crate) async fn calendar(State(app): State<App>) -> Result<Response, Problem> {
    let now = app.clock.now();
    let (from, to) = (now - PAST, now + CALENDAR);
    let events = events(&app, from, to).await?;
    let settings = app.settings.now();
    let calendar = Calendar {
        name: settings.text(&NAME),
        url: settings.text(&SERVER_URL),
        now,
    };
    let kind = [(header::CONTENT_TYPE, "text/calendar; charset=utf-8")];
    Ok((NO_CACHE, kind, calendar.write(&events)).into_response())
}

/// Nothing is announced while the operator has switched the schedule off.
async fn events(
    app: &App,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<ScheduledEvent>, StoreError> {
    if !*app.settings.now().get(&ENABLED) {
        return Ok(Vec::new());
    }
    app.store.scheduled_events(from, to, MAX_LISTED).await
}

/// The requested range; a missing end is a little before or a while after the other one, or after now.
fn range(uri: &Uri, now: Timestamp) -> Result<(Timestamp, Timestamp), String> {
    let from = moment(uri, "from")?;
    let to = moment(uri, "to")?;
    let out_of_reach = |_| "from or to is out of reach".to_owned();
    let (from, to) = match (from, to) {
        (Some(from), Some(to)) => (from, to),
        (Some(from), None) => {
            let to = from.max(now).checked_add(FUTURE);
            (from, to.map_err(out_of_reach)?)
        }
        (None, Some(to)) => {
            let from = to.min(now).checked_sub(PAST);
            (from.map_err(out_of_reach)?, to)
        }
        (None, None) => (now - PAST, now + FUTURE),
    };
    if to <= from {
        return Err("to must be after from".into());
    }
    let longest = jiff::SignedDuration::from_hours(i64::from(MAX_RANGE_DAYS) * 24);
    if to.duration_since(from) > longest {
        return Err(format!(
            "the range is too large: from and to are more than {MAX_RANGE_DAYS} days apart"
        ));
    }
    Ok((from, to))
}

/// A timestamp, or a date in UTC.
fn moment(uri: &Uri, name: &str) -> Result<Option<Timestamp>, String> {
    let Some(text) = parameter(uri, name).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    // An unencoded plus sign arrives as a space.
    let text = text.trim().replace(' ', "+");
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Some(at));
    }
    let midnight =
        |day: Date| TimeZone::UTC.to_timestamp(day.to_datetime(jiff::civil::Time::midnight()));
    let day = text.parse::<Date>().ok().filter(|_| text.len() == 10);
    match day.map(midnight) {
        Some(Ok(at)) => Ok(Some(at)),
        _ => Err(format!("{name} is not a time such as 2030-01-31T20:00:00Z")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(query: &str) -> Result<(String, String), String> {
        let uri: Uri = format!("/api/schedule?{query}").parse().unwrap();
        let (from, to) = range(&uri, "2030-06-01T00:00:00Z".parse().unwrap())?;
        Ok((from.to_string(), to.to_string()))
    }

    #[test]
    fn the_usual_range_is_a_week_back_and_ninety_days_ahead() {
        let usual = ("2030-05-25T00:00:00Z".into(), "2030-08-30T00:00:00Z".into());
        assert_eq!(ask(""), Ok(usual));
        let later = ("2031-01-01T00:00:00Z".into(), "2031-04-01T00:00:00Z".into());
        assert_eq!(ask("from=2031-01-01"), Ok(later));
        let earlier = ("2029-12-25T00:00:00Z".into(), "2030-01-01T00:00:00Z".into());
        assert_eq!(ask("to=2030-01-01T02:00:00+02:00"), Ok(earlier));
    }

    #[test]
    fn ranges_that_make_no_sense_are_refused() {
        assert!(ask("from=2030-01-01&to=2031-01-02").is_ok());
        for query in [
            "from=2030-01-01&to=2031-01-03",
            "from=2030-01-01&to=2030-01-01",
            "from=2030-01-02&to=2030-01-01",
            "from=yesterday",
            "to=1",
            "from=-009999-01-02T02:00:00Z",
            "from=9999-12-30T00:00:00Z",
            "to=-009999-01-03T02:00:00Z",
        ] {
            assert!(ask(query).is_err(), "{query}");
        }
    }
}
