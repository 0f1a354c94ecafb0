//! Featured servers: list, add, remove and reorder.

use ::federation::featured::FeatureError;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_server::json::ApiJson;
use jiff::Timestamp;
use model::sentence::SentenceParams;
use serde::{Deserialize, Serialize};
use store::federation::{Direction, Server};
use utoipa::ToSchema;

use crate::federation::MAX_LIMIT;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::state::App;

/// Every server that is known, those that agreed first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AllServers {
    servers: Vec<KnownServer>,
}

/// A server the operator wants to feature, or that told us of itself.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownServer {
    #[serde(flatten)]
    shown: crate::federation::FeaturedServer,
    /// `pending`, `accepted`, `rejected`, or `none` for one nobody asked.
    follow_status: &'static str,
    /// It told us of itself; viewers do not see it.
    is_unsolicited: bool,
    /// It was asked a week ago and has not answered.
    is_silent: bool,
    added_at: Timestamp,
    #[schema(required = true)]
    followed_at: Option<Timestamp>,
    #[schema(required = true)]
    last_seen_online: Option<Timestamp>,
    #[schema(required = true)]
    last_status_update: Option<Timestamp>,
    /// Where its account says it has moved to.
    #[schema(required = true)]
    moved_to: Option<String>,
}

impl KnownServer {
    fn new(server: Server, now: Timestamp) -> Self {
        Self {
            follow_status: server.follow_status.as_str(),
            is_unsolicited: server.is_unsolicited,
            is_silent: ::federation::featured::is_silent(&server, now),
            added_at: server.added_at,
            followed_at: server.followed_at,
            last_seen_online: server.last_seen_online,
            last_status_update: server.last_status_update,
            moved_to: server.moved_to.clone(),
            shown: server.into(),
        }
    }
}

/// `GET /api/admin/federation/servers`
pub(crate) async fn list(State(app): State<App>) -> Result<Response, Problem> {
    let tables = app.store.federation();
    let wanted = tables.servers().await?;
    let (unsolicited, _) = tables.unsolicited_servers(0, MAX_LIMIT).await?;
    let now = app.clock.now();
    let servers = wanted.into_iter().chain(unsolicited);
    let servers = servers.map(|server| KnownServer::new(server, now));
    let servers = servers.collect();
    Ok((NO_CACHE, Json(AllServers { servers })).into_response())
}

/// A server to be featured.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = FeatureWish)]
pub(crate) struct FeatureServerRequest {
    /// `https://server.example`
    url: String,
}

/// Why a server is not featured: the envelope of every error, and a word for programs.
#[derive(Debug, Serialize)]
struct FeatureErrorBody {
    success: bool,
    message: String,
    error: String,
    code: &'static str,
    /// No gaps in any of these sentences.
    params: SentenceParams,
}

fn refused(error: FeatureError) -> Response {
    tracing::debug!(?error, "a server is not featured");
    if let FeatureError::Store(error) = error {
        return Problem::from(error).into_response();
    }
    let status = match error {
        FeatureError::Unknown => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    };
    let message = error.to_string();
    let body = FeatureErrorBody {
        success: false,
        error: message.clone(),
        message,
        code: error.code(),
        params: SentenceParams::new(),
    };
    (status, Json(body)).into_response()
}

/// `POST /api/admin/federation/servers`
pub(crate) async fn feature(
    State(app): State<App>,
    ApiJson(request): ApiJson<FeatureServerRequest>,
) -> Response {
    match app.federation.feature(&request.url).await {
        Ok(server) => {
            let server = KnownServer::new(server, app.clock.now());
            (NO_CACHE, Json(server)).into_response()
        }
        Err(error) => refused(error),
    }
}

fn number(id: &str) -> Result<i64, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}

/// `DELETE /api/admin/federation/servers/{id}`
pub(crate) async fn unfeature(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let unfeatured = app.federation.unfeature(number(&id)?).await;
    Ok(match unfeatured {
        Ok(()) => done("server removed"),
        Err(error) => refused(error),
    })
}

/// Where a server goes in the list.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ServerMove)]
pub(crate) struct Move {
    /// `up` or `down`
    #[schema(pattern = "^(up|down)$")]
    direction: String,
}

/// `POST /api/admin/federation/servers/{id}/reorder`
pub(crate) async fn reorder(
    State(app): State<App>,
    Path(id): Path<String>,
    ApiJson(body): ApiJson<Move>,
) -> Result<Response, Problem> {
    let id = number(&id)?;
    let direction = match body.direction.as_str() {
        "up" => Direction::Up,
        "down" => Direction::Down,
        _ => {
            let text = "\"direction\" must be \"up\" or \"down\"";
            return Err(Problem::BadRequest(text.into()));
        }
    };
    Ok(match app.federation.move_featured(id, direction).await {
        Ok(()) => done("server moved"),
        Err(error) => refused(error),
    })
}
