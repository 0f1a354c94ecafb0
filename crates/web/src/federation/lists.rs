//! Lists of the Fediverse for pages and programs, and what they can ask for. They are empty.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::problem::Problem;
use crate::public::NO_CACHE;

/// Which part of a list; checked, and of no use to an empty one.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
pub(crate) struct Part {
    offset: u32,
    limit: u32,
}

/// Who follows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Followers {
    total: u32,
    #[schema(value_type = Vec<Follower>)]
    results: [Follower; 0],
}

/// Somebody who follows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Follower {
    link: String,
    name: String,
    username: String,
    image: String,
    timestamp: jiff::Timestamp,
}

/// `GET /api/followers` and `GET /api/admin/followers`
pub(crate) async fn followers(
    part: Result<Query<Part>, QueryRejection>,
) -> Result<Response, Problem> {
    part.map_err(|error| Problem::BadRequest(error.body_text()))?;
    let nobody = Followers {
        total: 0,
        results: [],
    };
    Ok((NO_CACHE, Json(nobody)).into_response())
}

/// `GET /api/admin/followers/pending` and `/blocked`
pub(crate) async fn no_followers() -> Response {
    let nobody: [Follower; 0] = [];
    (NO_CACHE, Json(nobody)).into_response()
}

/// Servers the operator features.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FeaturedServers)]
pub(crate) struct Servers {
    #[schema(value_type = Vec<FeaturedServer>)]
    servers: [FeaturedServer; 0],
}

/// A featured server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FeaturedServer {
    id: i64,
    iri: String,
    is_online: bool,
}

/// `GET /api/federation/servers`
pub(crate) async fn servers() -> Response {
    (NO_CACHE, Json(Servers { servers: [] })).into_response()
}

/// `POST /api/remotefollow`
pub(crate) async fn remote_follow() -> Problem {
    Problem::BadRequest("federation is switched off".into())
}

/// `POST /api/notifications/register`
pub(crate) async fn register_for_notifications() -> Problem {
    Problem::BadRequest("browser notifications are not available on this server".into())
}
