//! The operator's changes to announced streams. Every change is answered with the whole document.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use http_server::json::ApiJson;
use jiff::Timestamp;
use model::ScheduleId;
use model::schedule::{NewSchedule, Recurrence, ScheduleProblem, ScheduleRequest};
use serde::{Deserialize, Serialize};
use store::schedule::{LAID_OUT, MAX_SERIES, MAX_SINGLE_EVENTS};
use utoipa::ToSchema;

use super::wire::{WireEvent, WireSeries};
use crate::problem::Problem;
use crate::state::App;

/// What the operator sees of the past.
const SHOWN_PAST: Duration = Duration::from_secs(92 * 24 * 3600);
/// What the operator sees of the future.
const SHOWN_FUTURE: Duration = Duration::from_secs(62 * 24 * 3600);
/// Streams in the operator's document: more than all series and single ones together can have in that time.
const MAX_SHOWN: u32 = 5000;
/// Dates of a rule that are shown before it is kept.
const PREVIEWED_DATES: usize = 5;
/// How far ahead they are looked for.
const PREVIEWED: Duration = Duration::from_secs(365 * 24 * 3600);

/// Every series, and the streams around now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduleOverview)]
pub(crate) struct Overview {
    series: Vec<WireSeries>,
    events: Vec<WireEvent>,
}

/// `GET /api/admin/schedule`
pub(crate) async fn overview(State(app): State<App>) -> Result<Json<Overview>, Problem> {
    document(&app).await
}

async fn document(app: &App) -> Result<Json<Overview>, Problem> {
    let now = app.clock.now();
    let series = app.store.series().await?;
    let events = app
        .store
        .scheduled_events(now - SHOWN_PAST, now + SHOWN_FUTURE, MAX_SHOWN)
        .await?;
    Ok(Json(Overview {
        series: series.into_iter().map(WireSeries::from).collect(),
        events: events.into_iter().map(WireEvent::from).collect(),
    }))
}

/// A stream or a series to be made, or with an id to be changed; what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduleWish)]
pub(crate) struct SaveEventRequest {
    id: Option<String>,
    name: Option<String>,
    description: Option<String>,
    start: Option<String>,
    timezone: Option<String>,
    duration_minutes: Option<i64>,
    recurrence: Option<String>,
}

/// `POST /api/admin/schedule/event`: something new without an id, a change with one.
pub(crate) async fn save(
    State(app): State<App>,
    ApiJson(body): ApiJson<SaveEventRequest>,
) -> Result<Json<Overview>, Problem> {
    let now = app.clock.now();
    let request = ScheduleRequest {
        name: body.name,
        description: body.description,
        start: body.start,
        timezone: body.timezone,
        duration_minutes: body.duration_minutes,
        recurrence: body.recurrence,
    };
    let turn = app.schedule.turn().await;
    match body.id.filter(|id| !id.is_empty()) {
        None => create(&app, request, now).await?,
        Some(id) => change(&app, &parse(&id)?, request, now).await?,
    }
    app.schedule.refresh(now).await?;
    drop(turn);
    document(&app).await
}

async fn create(app: &App, request: ScheduleRequest, now: Timestamp) -> Result<(), Problem> {
    let id = ScheduleId::parse(chat::short_id()).map_err(|_| Problem::Internal)?;
    let (is_kept, what, most) = match request.plan(id, now)? {
        NewSchedule::Single(event) => {
            let is_kept = app.store.add_scheduled_event(event, now).await?;
            (is_kept, "streams", MAX_SINGLE_EVENTS)
        }
        NewSchedule::Series(series, recurrence) => {
            let occurrences = recurrence.expand(now, now + LAID_OUT);
            let is_kept = app.store.add_series(series, occurrences, now).await?;
            (is_kept, "series", MAX_SERIES)
        }
    };
    if !is_kept {
        let text = format!("there are already {most} {what}, which is the limit");
        return Err(Problem::BadRequest(text));
    }
    Ok(())
}

async fn change(
    app: &App,
    id: &ScheduleId,
    request: ScheduleRequest,
    now: Timestamp,
) -> Result<(), Problem> {
    let is_kept = if let Some(event) = app.store.scheduled_event(id).await? {
        let event = request.change_event(&event, now)?;
        app.store.change_scheduled_event(event).await?
    } else if let Some(series) = app.store.one_series(id).await? {
        let (series, recurrence) = request.change_series(&series, now)?;
        let occurrences = recurrence.map(|recurrence| recurrence.expand(now, now + LAID_OUT));
        app.store.change_series(series, occurrences, now).await?
    } else {
        false
    };
    if is_kept { Ok(()) } else { Err(unknown()) }
}

/// A stream or a series to be taken back.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ScheduleRemoval)]
pub(crate) struct DeleteEventRequest {
    id: String,
    /// People are told that it does not happen.
    #[serde(default)]
    cancel: bool,
}

/// `POST /api/admin/schedule/event/delete`: one stream or a whole series.
pub(crate) async fn delete(
    State(app): State<App>,
    ApiJson(body): ApiJson<DeleteEventRequest>,
) -> Result<Json<Overview>, Problem> {
    let now = app.clock.now();
    let id = parse(&body.id)?;
    let turn = app.schedule.turn().await;
    let store = &app.store;
    let is_done = match body.cancel {
        true => store.cancel_scheduled_event(&id).await? || store.cancel_series(&id, now).await?,
        false => store.delete_scheduled_event(&id).await? || store.delete_series(&id, now).await?,
    };
    if !is_done {
        return Err(unknown());
    }
    app.schedule.refresh(now).await?;
    drop(turn);
    document(&app).await
}

/// A rule to be looked at.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = RecurrenceRule)]
pub(crate) struct Preview {
    /// As in RFC 5545, with DTSTART.
    #[serde(default)]
    recurrence: String,
}

/// The next dates of a rule.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RecurrenceDates {
    occurrences: Vec<Timestamp>,
}

/// `POST /api/admin/schedule/preview`: the next dates of a rule.
pub(crate) async fn preview(
    State(app): State<App>,
    ApiJson(body): ApiJson<Preview>,
) -> Result<Json<RecurrenceDates>, Problem> {
    let now = app.clock.now();
    let recurrence =
        Recurrence::parse(&body.recurrence, None).map_err(ScheduleProblem::Recurrence)?;
    Ok(Json(RecurrenceDates {
        occurrences: recurrence.occurrences(now, now + PREVIEWED, PREVIEWED_DATES),
    }))
}

fn parse(id: &str) -> Result<ScheduleId, Problem> {
    ScheduleId::parse(id).map_err(|_| unknown())
}

fn unknown() -> Problem {
    Problem::BadRequest("there is no announced stream and no series with this id".into())
}

impl From<ScheduleProblem> for Problem {
    fn from(problem: ScheduleProblem) -> Self {
        Problem::BadRequest(problem.to_string())
    }
}
