//! The documents about announced streams.

use jiff::Timestamp;
use model::StreamState;
use model::schedule::{ScheduledEvent, Series};
use model::settings::Layers;
use model::settings::table::schedule::{CHAT_OPEN_MINUTES, ENABLED, SHOW_COUNTDOWN};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::words;
use crate::state::App;

/// A stream that is announced.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduledEvent)]
pub(crate) struct WireEvent {
    id: String,
    name: String,
    description: String,
    start_time: Timestamp,
    duration_minutes: u32,
    timezone: String,
    #[schema(schema_with = words::event_status)]
    status: &'static str,
    /// Absent for a single one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    series_id: Option<String>,
}

impl From<ScheduledEvent> for WireEvent {
    fn from(event: ScheduledEvent) -> Self {
        Self {
            id: event.id.into(),
            name: event.name,
            description: event.description,
            start_time: event.starts_at,
            duration_minutes: event.duration_minutes,
            timezone: event.timezone,
            status: if event.is_cancelled {
                "cancelled"
            } else {
                "scheduled"
            },
            series_id: event.series_id.map(String::from),
        }
    }
}

/// Streams that come again.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduleSeries)]
pub(crate) struct WireSeries {
    id: String,
    name: String,
    description: String,
    recurrence: String,
    duration_minutes: u32,
    active: bool,
}

impl From<Series> for WireSeries {
    fn from(series: Series) -> Self {
        Self {
            id: series.id.into(),
            name: series.name,
            description: series.description,
            recurrence: series.recurrence,
            duration_minutes: series.duration_minutes,
            active: series.is_active,
        }
    }
}

/// `schedule` of `/api/config`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScheduleConfig {
    enabled: bool,
    show_countdown: bool,
    chat_open_minutes_before: u32,
}

impl ScheduleConfig {
    pub(crate) fn of(settings: &Layers) -> Self {
        Self {
            enabled: *settings.get(&ENABLED),
            show_countdown: *settings.get(&SHOW_COUNTDOWN),
            chat_open_minutes_before: *settings.get(&CHAT_OPEN_MINUTES),
        }
    }
}

/// `scheduledEvent` of `/api/status`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NextScheduledEvent)]
pub(crate) struct NextEvent {
    id: String,
    name: String,
    description: String,
    start_time: Timestamp,
    duration_minutes: u32,
    /// People can talk because of it, although nothing is on.
    chat_open: bool,
}

impl NextEvent {
    /// The stream people wait for: the next one, or while nothing is on the one that should be on.
    pub(crate) fn of(app: &App, settings: &Layers, state: StreamState) -> Option<Self> {
        if !*settings.get(&ENABLED) {
            return None;
        }
        let (agenda, now) = (app.schedule.now(), app.clock.now());
        let due = match state {
            StreamState::Offline => agenda.due(now),
            StreamState::Live | StreamState::Waiting => None,
        };
        let next = due.or_else(|| agenda.upcoming(now))?;
        Some(Self {
            id: next.id.to_string(),
            name: next.name.clone(),
            description: next.description.clone(),
            start_time: next.starts_at,
            duration_minutes: next.duration_minutes,
            chat_open: next.opens_chat(*settings.get(&CHAT_OPEN_MINUTES), now),
        })
    }
}
