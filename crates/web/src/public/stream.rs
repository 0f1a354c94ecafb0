//! Small documents around the player.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::{HeaderMap, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use super::NO_CACHE;
use crate::app::App;
use crate::client::Client;

/// `GET /api/ping`: the caller is watching. Behind a cache this is how a player is seen at all.
pub(crate) async fn ping(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
) -> Response {
    let agent = headers.get(header::USER_AGENT);
    let agent = agent.map(|value| value.as_bytes()).unwrap_or_default();
    app.live.note_viewer(client.address, agent);
    (NO_CACHE, StatusCode::OK).into_response()
}

/// A quality that viewers can choose.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Variant {
    name: &'static str,
    index: u32,
}

/// `GET /api/video/variants`: the qualities there are, best first.
pub(crate) async fn variants() -> Response {
    let source = Variant {
        name: "Source",
        index: 0,
    };
    (NO_CACHE, Json([source])).into_response()
}
