//! `/healthz`: the process is running. `/readyz`: it can serve, including reads and writes.

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_server::client::ClientInfo;

use crate::state::App;

/// Tells clients how we see them, so that an operator can spot a proxy that hides its clients.
pub(crate) async fn healthz(Extension(client): Extension<ClientInfo>) -> Response {
    ([("x-rillcast-client", client.address.to_string())], "ok\n").into_response()
}

pub(crate) async fn readyz(State(app): State<App>) -> Response {
    if app.readiness.is_ready(&app.store, &*app.clock).await {
        return "ready\n".into_response();
    }
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "not ready: the database does not accept writes\n",
    )
        .into_response()
}
