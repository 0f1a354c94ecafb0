//! `/healthz`: the process is running. `/readyz`: it can serve, including reads and writes.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_server::client::ClientInfo;
use tokio::sync::Semaphore;

use crate::app::App;

/// A write costs an fsync, and anybody may ask: one answer serves this long.
const REMEMBERED_FOR: Duration = Duration::from_secs(1);
/// A database that has not answered by then is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// Tells clients how we see them, so that an operator can spot a proxy that hides its clients.
pub(crate) async fn healthz(Extension(client): Extension<ClientInfo>) -> Response {
    ([("x-rillcast-client", client.address.to_string())], "ok\n").into_response()
}

/// The last answer and its time (uptime); one probe at a time.
#[derive(Debug)]
pub(crate) struct Readiness {
    last: Mutex<Option<(Duration, bool)>>,
    turn: Semaphore,
}

impl Default for Readiness {
    fn default() -> Self {
        Self {
            last: Mutex::new(None),
            turn: Semaphore::new(1),
        }
    }
}

impl Readiness {
    fn known(&self, now: Duration) -> Option<bool> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|(at, _)| now.saturating_sub(*at) < REMEMBERED_FOR)
            .map(|(_, is_ready)| is_ready)
    }

    async fn find_out(&self, app: &App) -> bool {
        let _turn = self.turn.acquire().await;
        // The previous holder of the lock may have found out.
        if let Some(is_ready) = self.known(app.clock.uptime()) {
            return is_ready;
        }
        let is_ready = probe(app).await;
        let found = (app.clock.uptime(), is_ready);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        is_ready
    }
}

pub(crate) async fn readyz(State(app): State<App>) -> Response {
    let is_ready = match app.readiness.known(app.clock.uptime()) {
        Some(is_ready) => is_ready,
        None => app.readiness.find_out(&app).await,
    };
    if is_ready {
        return "ready\n".into_response();
    }
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "not ready: the database does not accept writes\n",
    )
        .into_response()
}

async fn probe(app: &App) -> bool {
    let both = async {
        app.store
            .ping()
            .await
            .and(app.store.ping_writer(app.clock.now()).await)
    };
    match tokio::time::timeout(PATIENCE, both).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            model::stranger_line!(warn, "not_ready", %error, "not ready");
            false
        }
        Err(_) => {
            model::stranger_line!(warn, "not_ready", "not ready: the database does not answer");
            false
        }
    }
}
