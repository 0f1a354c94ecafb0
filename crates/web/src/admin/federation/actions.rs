//! What others did: follows, likes, boosts, quotes, replies, mentions.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use store::federation::LoggedEngagement;
use utoipa::ToSchema;

use crate::federation::PageQuery;
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// What others did, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FediverseActions)]
pub(crate) struct Actions {
    total: i64,
    results: Vec<FediverseAction>,
}

/// Something that somebody did.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FediverseAction {
    timestamp: Timestamp,
    /// With what.
    iri: String,
    /// Who.
    #[serde(rename = "actorIRI")]
    actor_iri: String,
    #[serde(rename = "type")]
    kind: &'static str,
    /// They have taken it back since.
    #[schema(required = true)]
    undone_at: Option<Timestamp>,
}

impl From<LoggedEngagement> for FediverseAction {
    fn from(logged: LoggedEngagement) -> Self {
        let engagement = logged.engagement;
        Self {
            timestamp: engagement.at,
            iri: engagement.object,
            actor_iri: engagement.actor,
            kind: engagement.kind.as_str(),
            undone_at: logged.undone_at,
        }
    }
}

/// `GET /api/admin/federation/actions`
pub(crate) async fn list(
    State(app): State<App>,
    part: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (offset, limit) = PageQuery::read(part)?;
    let (found, total) = app.store.federation().actions_page(offset, limit).await?;
    let results = found.into_iter().map(FediverseAction::from).collect();
    Ok((NO_CACHE, Json(Actions { total, results })).into_response())
}
