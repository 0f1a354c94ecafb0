//! One broadcast of the history, with everything that is kept of it.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use model::settings::table::chat::LOG_EXPORT;
use serde::Serialize;
use store::{AudiencePoint, AudienceStep, StreamRecord, StreamTotals};
use utoipa::ToSchema;

use super::audience::{WireAudiencePoint, hundredths};
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

/// A broadcast as a whole. What was not counted yet when it was on is `null`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamSummary {
    id: String,
    title: String,
    started_at: Timestamp,
    /// `null` while it is on.
    #[schema(required = true)]
    ended_at: Option<Timestamp>,
    peak_viewers: u32,
    #[schema(required = true)]
    average_viewers: Option<f64>,
    /// The time all viewers have watched, in seconds.
    #[schema(required = true)]
    watch_seconds: Option<u64>,
    /// Most connections to the chat at once.
    #[schema(required = true)]
    peak_chat_clients: Option<u32>,
    /// Lines that people wrote.
    #[schema(required = true)]
    messages: Option<u32>,
    /// People who wrote at least one.
    #[schema(required = true)]
    chatters: Option<u32>,
}

impl StreamSummary {
    pub(super) fn new(record: StreamRecord, totals: Option<StreamTotals>) -> Self {
        Self {
            id: record.id,
            title: record.title,
            started_at: record.started_at,
            ended_at: record.ended_at,
            peak_viewers: record.peak_viewers,
            average_viewers: totals.map(|totals| hundredths(totals.average_viewers)),
            watch_seconds: totals.map(|totals| totals.watch_time.as_secs()),
            peak_chat_clients: totals.map(|totals| totals.peak_chat_clients),
            messages: totals.map(|totals| totals.messages),
            chatters: totals.map(|totals| totals.chatters),
        }
    }

    /// What an exported list says of it, in the order of the columns there.
    pub(super) fn cells(&self) -> [String; 10] {
        fn known<T: ToString>(value: Option<T>) -> String {
            value.map_or_else(String::new, |value| value.to_string())
        }
        [
            self.id.clone(),
            self.title.clone(),
            self.started_at.to_string(),
            known(self.ended_at),
            self.peak_viewers.to_string(),
            known(self.average_viewers),
            known(self.watch_seconds),
            known(self.peak_chat_clients),
            known(self.messages),
            known(self.chatters),
        ]
    }
}

/// What went wrong during a broadcast, or was well again.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StreamIncident)]
pub(crate) struct WireIncident {
    at: Timestamp,
    /// A stable name, such as `publisher-lost`.
    code: String,
    /// What is known beyond that; may be empty.
    message: String,
}

/// Visits of the page that came from one host.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StreamReferrer)]
pub(crate) struct WireReferrer {
    /// Empty if the browser did not say, `*` for all hosts beyond the hundredth.
    host: String,
    visits: u32,
}

/// Everything that is kept of a broadcast.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamDetail {
    #[serde(flatten)]
    summary: StreamSummary,
    /// The length of the periods in `points`.
    step_seconds: i64,
    points: Vec<WireAudiencePoint>,
    /// Oldest first, at most 200.
    incidents: Vec<WireIncident>,
    /// Most visits first, at most 101.
    referrers: Vec<WireReferrer>,
    /// Whether the log of the chat can be exported.
    is_chat_log_exported: bool,
}

/// A broadcast with its viewers over time.
#[derive(Debug)]
pub(super) struct StreamAudience {
    pub(super) record: StreamRecord,
    pub(super) step: AudienceStep,
    pub(super) points: Vec<AudiencePoint>,
}

/// Reads a broadcast and its viewers over time.
pub(super) async fn read(app: &App, id: &str) -> Result<StreamAudience, Problem> {
    let record = app.store.stream(id).await?;
    let record = record.ok_or_else(|| {
        let problem = Problem::Missing("there is no such stream".into());
        problem.worded(sentences::NO_SUCH_STREAM.plain())
    })?;
    let now = app.clock.now();
    let until = record.ended_at.unwrap_or(now);
    let step = AudienceStep::choose(record.started_at, until, now);
    let points = app.store.audience(step, record.started_at, until).await?;
    Ok(StreamAudience {
        record,
        step,
        points,
    })
}

/// `GET /api/admin/streams/{id}`
pub(crate) async fn past_stream(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let audience = read(&app, &id).await?;
    let totals = app.store.stream_totals(&id).await?;
    let incidents = app.store.incidents(&id).await?.into_iter();
    let referrers = app.store.referrers(&id).await?.into_iter();
    let detail = StreamDetail {
        summary: StreamSummary::new(audience.record, totals),
        step_seconds: audience.step.seconds(),
        points: audience.points.into_iter().map(Into::into).collect(),
        incidents: incidents
            .map(|incident| WireIncident {
                at: incident.at,
                code: incident.code,
                message: incident.message,
            })
            .collect(),
        referrers: referrers
            .map(|referrer| WireReferrer {
                host: referrer.host,
                visits: referrer.visits,
            })
            .collect(),
        is_chat_log_exported: *app.settings.now().get(&LOG_EXPORT),
    };
    Ok((NO_CACHE, Json(detail)).into_response())
}
