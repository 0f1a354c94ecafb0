//! Followers and follow requests, and the operator's decisions about them.

use ::federation::followers::FollowerError;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use serde::{Deserialize, Serialize};
use store::federation::FollowerFilter;
use utoipa::ToSchema;

use crate::federation::{Follower, Followers, MAX_LIMIT, PageQuery};
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

impl From<FollowerError> for Problem {
    fn from(error: FollowerError) -> Self {
        match error {
            FollowerError::Store(error) => error.into(),
            FollowerError::Unready(unready) => unready.into(),
            FollowerError::Unknown => {
                let problem = Problem::BadRequest(FollowerError::Unknown.to_string());
                problem.worded(sentences::FOLLOWER_UNKNOWN.plain())
            }
        }
    }
}

/// `GET /api/admin/followers`
pub(crate) async fn list(
    State(app): State<App>,
    part: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (offset, limit) = PageQuery::read(part)?;
    let tables = app.store.federation();
    let page = tables.followers_page(FollowerFilter::Accepted, offset, limit);
    Ok((NO_CACHE, Json(Followers::new(page.await?))).into_response())
}

/// The newest of one sort.
async fn newest(app: &App, filter: FollowerFilter) -> Result<Vec<Follower>, Problem> {
    let tables = app.store.federation();
    let (found, _) = tables.followers_page(filter, 0, MAX_LIMIT).await?;
    Ok(found.into_iter().map(Follower::from).collect())
}

/// `GET /api/admin/followers/pending`
pub(crate) async fn pending(State(app): State<App>) -> Result<Response, Problem> {
    let found = newest(&app, FollowerFilter::Pending).await?;
    Ok((NO_CACHE, Json(found)).into_response())
}

/// `GET /api/admin/followers/blocked`
pub(crate) async fn blocked(State(app): State<App>) -> Result<Response, Problem> {
    let found = newest(&app, FollowerFilter::Blocked).await?;
    Ok((NO_CACHE, Json(found)).into_response())
}

/// `GET /api/admin/followers/directory`
pub(crate) async fn directories(State(app): State<App>) -> Result<Response, Problem> {
    let found = newest(&app, FollowerFilter::Directories).await?;
    Ok((NO_CACHE, Json(found)).into_response())
}

/// Directories that want to list the stream.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FeatureRequests)]
pub(crate) struct Requests {
    requests: Vec<Follower>,
}

/// `GET /api/admin/federation/feature-requests`
pub(crate) async fn feature_requests(State(app): State<App>) -> Result<Response, Problem> {
    let requests = newest(&app, FollowerFilter::FeatureRequests).await?;
    Ok((NO_CACHE, Json(Requests { requests })).into_response())
}

/// What the operator decides about somebody.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = FollowerDecision)]
pub(crate) struct Decision {
    /// Their `link`.
    #[serde(rename = "actorIRI")]
    actor_iri: String,
    /// They may follow; else they are refused, and blocked until they are approved.
    approved: bool,
}

/// `POST /api/admin/followers/approve`
pub(crate) async fn approve(
    State(app): State<App>,
    ApiJson(decision): ApiJson<Decision>,
) -> Result<Response, Problem> {
    if decision.approved {
        app.federation.approve_follower(&decision.actor_iri).await?;
        return Ok(done("follower approved"));
    }
    app.federation.block_follower(&decision.actor_iri).await?;
    Ok(done("follower blocked"))
}

/// Somebody by their account.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ByActor)]
pub(crate) struct ByActor {
    /// Their `link`.
    #[serde(rename = "actorIRI")]
    actor_iri: String,
}

/// `POST /api/admin/followers/remove`
pub(crate) async fn remove(
    State(app): State<App>,
    ApiJson(who): ApiJson<ByActor>,
) -> Result<Response, Problem> {
    app.federation.remove_follower(&who.actor_iri).await?;
    Ok(done("follower removed"))
}
