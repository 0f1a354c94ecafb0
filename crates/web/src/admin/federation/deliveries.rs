//! Pending deliveries and the state of other servers.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::federation::{
    Delivery, DeliveryFilter, DeliveryState, Host, HostState, QueueSummary, RefusingHost,
};
use utoipa::ToSchema;

use crate::federation::PageQuery;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

/// Deliveries that can be sent again or dropped in one call; more are refused.
const MAX_IDS: usize = 1_000;
/// Servers shown at most: those that failed last.
const MAX_HOSTS: u32 = 500;
/// A server that refused everything for so long is shown, if it was at least [`LEAST_REFUSALS`] things.
const REFUSALS_OF: Duration = Duration::from_secs(24 * 3600);
/// See [`REFUSALS_OF`].
const LEAST_REFUSALS: u32 = 3;

/// Which deliveries are asked for; what is empty or absent does not matter.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DeliveriesQuery {
    state: Option<String>,
    host: Option<String>,
}

/// Deliveries, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FediverseDeliveries)]
pub(crate) struct Deliveries {
    total: i64,
    results: Vec<WireDelivery>,
}

/// Something on its way to one inbox.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FediverseDelivery)]
pub(crate) struct WireDelivery {
    id: i64,
    inbox: String,
    host: String,
    kind: &'static str,
    state: &'static str,
    attempts: i64,
    next_at: Timestamp,
    expires_at: Timestamp,
    created_at: Timestamp,
    /// `null` until it was tried.
    #[schema(required = true)]
    last_at: Option<Timestamp>,
    /// What the inbox answered last.
    #[schema(required = true)]
    status: Option<i64>,
    /// Why the last attempt failed.
    #[schema(required = true)]
    error: Option<String>,
}

impl From<Delivery> for WireDelivery {
    fn from(delivery: Delivery) -> Self {
        Self {
            id: delivery.id,
            inbox: delivery.inbox,
            host: delivery.host,
            kind: delivery.kind.as_str(),
            state: delivery.state.as_str(),
            attempts: delivery.attempts,
            next_at: delivery.next_at,
            expires_at: delivery.expires_at,
            created_at: delivery.created_at,
            last_at: delivery.last_at,
            status: delivery.status,
            error: delivery.error,
        }
    }
}

/// `GET /api/admin/federation/deliveries`
pub(crate) async fn list(
    State(app): State<App>,
    part: Result<Query<PageQuery>, QueryRejection>,
    query: Result<Query<DeliveriesQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (offset, limit) = PageQuery::read(part)?;
    let Query(which) = query.map_err(|error| Problem::BadRequest(error.body_text()))?;
    let state = match which.state.as_deref() {
        None | Some("") => None,
        Some(word) => Some(DeliveryState::parse(word).map_err(|_| {
            let words = "pending, in_flight, delivered and failed";
            Problem::BadRequest(format!("there is no such state; use {words}"))
        })?),
    };
    let filter = DeliveryFilter {
        state,
        host: which.host.filter(|host| !host.is_empty()),
    };
    let tables = app.store.federation();
    let (found, total) = tables.deliveries_page(filter, offset, limit).await?;
    let results = found.into_iter().map(WireDelivery::from).collect();
    Ok((NO_CACHE, Json(Deliveries { total, results })).into_response())
}

/// The queue in a few numbers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FediverseQueue {
    /// To be sent.
    waiting: i64,
    /// Of these, was tried before.
    retrying: i64,
    in_flight: i64,
    /// Of the last week.
    delivered: i64,
    /// Of the last week.
    failed: i64,
    /// When the oldest of those that wait was queued.
    #[schema(required = true)]
    oldest: Option<Timestamp>,
    /// Servers that get nothing for a while.
    held_hosts: i64,
}

impl From<QueueSummary> for FediverseQueue {
    fn from(summary: QueueSummary) -> Self {
        Self {
            waiting: summary.waiting,
            retrying: summary.retrying,
            in_flight: summary.in_flight,
            delivered: summary.delivered,
            failed: summary.failed,
            oldest: summary.oldest,
            held_hosts: summary.held_hosts,
        }
    }
}

/// `GET /api/admin/federation/deliveries/summary`
pub(crate) async fn summary(State(app): State<App>) -> Result<Response, Problem> {
    let tables = app.store.federation();
    let summary = tables.queue_summary(app.clock.now()).await?;
    Ok((NO_CACHE, Json(FediverseQueue::from(summary))).into_response())
}

/// Deliveries by their numbers.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = DeliveryIds)]
pub(crate) struct Ids {
    #[schema(min_items = 1, max_items = 1_000)]
    ids: Vec<i64>,
}

impl Ids {
    fn numbers(self) -> Result<Vec<i64>, Problem> {
        match self.ids.len() {
            0 => Err(Problem::BadRequest("name at least one delivery".into())),
            1..=MAX_IDS => Ok(self.ids),
            _ => Err(Problem::BadRequest(format!(
                "name at most {MAX_IDS} deliveries at once"
            ))),
        }
    }
}

/// `POST /api/admin/federation/deliveries/retry`
pub(crate) async fn retry(
    State(app): State<App>,
    ApiJson(body): ApiJson<Ids>,
) -> Result<Response, Problem> {
    let ids = body.numbers()?;
    let tables = app.store.federation();
    match tables.retry(ids, app.clock.now()).await? {
        0 => {
            let text = "none of these can be sent again: they were delivered, are being sent or are no longer stored";
            let problem = Problem::BadRequest(text.into());
            Err(problem.worded(sentences::NOT_SENT_AGAIN.plain()))
        }
        count => Ok(done(&format!("{count} sent again"))),
    }
}

/// `POST /api/admin/federation/deliveries/drop`
pub(crate) async fn drop_deliveries(
    State(app): State<App>,
    ApiJson(body): ApiJson<Ids>,
) -> Result<Response, Problem> {
    let ids = body.numbers()?;
    let count = app.store.federation().drop_deliveries(ids).await?;
    Ok(done(&format!("{count} dropped")))
}

/// Another server, and how deliveries to it go.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemoteHost {
    host: String,
    /// `well`, `held`, `unavailable`, `gone`, or `refusing` for one that has refused everything for a day.
    state: &'static str,
    /// Until when nothing is sent to it.
    #[schema(required = true)]
    until: Option<Timestamp>,
    /// One after the other.
    failures: i64,
    /// Days on which it failed.
    failing_days: i64,
    #[schema(required = true)]
    last_failure_at: Option<Timestamp>,
    #[schema(required = true)]
    last_error: Option<String>,
    /// Deliveries that wait for it.
    waiting: i64,
}

impl From<Host> for RemoteHost {
    fn from(host: Host) -> Self {
        let (state, until) = match host.state {
            HostState::Well => ("well", None),
            HostState::Held { until } => ("held", Some(until)),
            HostState::Unavailable { probe_at } => ("unavailable", Some(probe_at)),
            HostState::Gone => ("gone", None),
        };
        Self {
            host: host.host,
            state,
            until,
            failures: host.failures,
            failing_days: host.failing_days,
            last_failure_at: host.last_failure_at,
            last_error: host.last_error,
            waiting: host.waiting,
        }
    }
}

impl From<RefusingHost> for RemoteHost {
    fn from(host: RefusingHost) -> Self {
        Self {
            host: host.host,
            state: "refusing",
            until: None,
            failures: host.refused,
            failing_days: 1,
            last_failure_at: Some(host.last_at),
            last_error: host.error,
            waiting: 0,
        }
    }
}

/// `GET /api/admin/federation/hosts`
pub(crate) async fn hosts(State(app): State<App>) -> Result<Response, Problem> {
    let tables = app.store.federation();
    let now = app.clock.now();
    let refusing = tables.refusing_hosts(now - REFUSALS_OF, LEAST_REFUSALS, MAX_HOSTS);
    let mut hosts: Vec<RemoteHost> = refusing.await?.into_iter().map(RemoteHost::from).collect();
    let (troubled, _) = tables.hosts_page(0, MAX_HOSTS, now).await?;
    for host in troubled.into_iter().map(RemoteHost::from) {
        match hosts.iter_mut().find(|known| known.host == host.host) {
            // A rejection is more informative than a state of "well".
            Some(known) if host.state == "well" => known.waiting = host.waiting,
            Some(known) => *known = host,
            None => hosts.push(host),
        }
    }
    hosts.truncate(MAX_HOSTS as usize);
    Ok((NO_CACHE, Json(hosts)).into_response())
}
