//! `/healthz`: the process runs. `/readyz`: it can serve, reads and writes included.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

use crate::app::App;
use crate::client::Client;

/// A write costs an fsync, and anybody may ask: one answer serves this long.
const REMEMBERED_FOR: Duration = Duration::from_secs(1);
/// A database that has not answered by then is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// Tells callers how we see them, so that an operator can find a proxy that hides its clients.
pub(crate) async fn healthz(Extension(client): Extension<Client>) -> Response {
    ([("x-rillcast-client", client.address.to_string())], "ok\n").into_response()
}

/// The last answer and when it was found (uptime).
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<Option<(Duration, bool)>>);

impl Readiness {
    fn known(&self, now: Duration) -> Option<bool> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .filter(|(at, _)| now.saturating_sub(*at) < REMEMBERED_FOR)
            .map(|(_, is_ready)| is_ready)
    }

    fn remember(&self, now: Duration, is_ready: bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, is_ready));
    }
}

pub(crate) async fn readyz(State(app): State<App>) -> Response {
    let now = app.clock.uptime();
    let is_ready = match app.readiness.known(now) {
        Some(is_ready) => is_ready,
        None => {
            let is_ready = probe(&app).await;
            app.readiness.remember(now, is_ready);
            is_ready
        }
    };
    if is_ready {
        return "ready\n".into_response();
    }
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "not ready: the database does not take writes\n",
    )
        .into_response()
}

async fn probe(app: &App) -> bool {
    let both = async { app.store.ping().await.and(app.store.ping_writer().await) };
    match tokio::time::timeout(PATIENCE, both).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::warn!(%error, "not ready");
            false
        }
        Err(_) => {
            tracing::warn!("not ready: the database does not answer");
            false
        }
    }
}
