//! How many watched and chatted, for as long as the server remembers.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{AudiencePoint, AudienceStep};
use utoipa::{IntoParams, ToSchema};

use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = HOUR.saturating_mul(24);

/// Which time; the last day if nothing is said.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct AudienceQuery {
    /// The time until now, instead of `from` and `to`: `1h`, `24h`, `7d`, `30d` or `all`.
    #[serde(default)]
    #[param(required = false, pattern = "^(1h|24h|7d|30d|all)?$")]
    range: String,
    /// Unix seconds; from the first period on, if only `to` is given.
    #[serde(default)]
    #[param(required = false, minimum = 0, maximum = 253_402_207_200_i64)]
    from: i64,
    /// Unix seconds; now, if it is left out.
    #[serde(default)]
    #[param(required = false, minimum = 0, maximum = 253_402_207_200_i64)]
    to: i64,
}

/// A period of which something is known.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AudiencePoint)]
pub(crate) struct WireAudiencePoint {
    /// Its beginning.
    time: Timestamp,
    /// On average.
    viewers: f64,
    peak_viewers: u32,
    /// Connections to the chat, on average.
    chat_clients: f64,
    peak_chat_clients: u32,
    /// Lines that people wrote.
    messages: u32,
}

impl From<AudiencePoint> for WireAudiencePoint {
    fn from(point: AudiencePoint) -> Self {
        Self {
            time: point.at,
            viewers: hundredths(point.viewers),
            peak_viewers: point.peak_viewers,
            chat_clients: hundredths(point.chat_clients),
            peak_chat_clients: point.peak_chat_clients,
            messages: point.messages,
        }
    }
}

/// Rounded to two digits after the point: more of an average says nothing.
pub(super) fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// How many watched and chatted. Time in which the stream was off and nobody was in the chat has no points.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AudienceHistory {
    from: Timestamp,
    to: Timestamp,
    /// The length of the periods.
    step_seconds: i64,
    /// When the first of all periods begins; `null` before there is one.
    #[schema(required = true)]
    since: Option<Timestamp>,
    points: Vec<WireAudiencePoint>,
}

/// `GET /api/admin/viewers/history`
pub(crate) async fn audience_history(
    State(app): State<App>,
    query: Result<Query<AudienceQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let now = app.clock.now();
    let since = app.store.audience_since().await?;
    let Query(query) = query.map_err(|_| invalid())?;
    let (from, to) = query.read(now, since)?;
    let step = AudienceStep::choose(from, to, now);
    let points = app.store.audience(step, from, to).await?;
    let history = AudienceHistory {
        from,
        to,
        step_seconds: step.seconds(),
        since,
        points: points.into_iter().map(Into::into).collect(),
    };
    Ok((NO_CACHE, Json(history)).into_response())
}

impl AudienceQuery {
    fn read(
        &self,
        now: Timestamp,
        since: Option<Timestamp>,
    ) -> Result<(Timestamp, Timestamp), Problem> {
        let first = since.unwrap_or(now);
        let range = match self.range.as_str() {
            "" if self.from == 0 && self.to == 0 => DAY,
            "" => return self.read_times(first, now),
            "1h" => HOUR,
            "24h" => DAY,
            "7d" => DAY.saturating_mul(7),
            "30d" => DAY.saturating_mul(30),
            "all" => return Ok((first, now)),
            _ => return Err(invalid()),
        };
        Ok((now - range, now))
    }

    fn read_times(
        &self,
        first: Timestamp,
        now: Timestamp,
    ) -> Result<(Timestamp, Timestamp), Problem> {
        let read = |seconds: i64, otherwise: Timestamp| match seconds {
            0 => Ok(otherwise),
            _ => Timestamp::from_second(seconds).map_err(|_| invalid()),
        };
        Ok((read(self.from, first)?, read(self.to, now)?))
    }
}

fn invalid() -> Problem {
    Problem::BadRequest(
        "\"range\" must be 1h, 24h, 7d, 30d or all; \"from\" and \"to\" must be times in seconds since 1970"
            .into(),
    )
}
