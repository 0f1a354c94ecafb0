//! Whether sockets get through to us, for the operator behind a proxy.

use std::sync::{Mutex, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chat::Transport;
use http::{HeaderMap, header};
use jiff::Timestamp;
use serde_json::json;

use crate::app::App;
use crate::client::text;

/// Upgrades that something between us and a browser broke.
#[derive(Debug, Default)]
pub(crate) struct Upgrades(Mutex<Broken>);

#[derive(Clone, Copy, Debug, Default)]
struct Broken {
    count: u64,
    last: Option<(Timestamp, &'static str)>,
}

impl Upgrades {
    /// A request for a socket came without what makes it one.
    pub(super) fn note(&self, headers: &HeaderMap, at: Timestamp) {
        // Only a browser that asked for a socket sends these; anybody else just opened the address.
        if !headers.contains_key(header::SEC_WEBSOCKET_KEY)
            && !headers.contains_key(header::SEC_WEBSOCKET_VERSION)
        {
            return;
        }
        let is_upgrade = text(headers, header::UPGRADE).eq_ignore_ascii_case("websocket");
        let missing = if is_upgrade { "Connection" } else { "Upgrade" };
        let mut broken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if broken.count == 0 {
            tracing::warn!(
                "a proxy in front of this server removes the header {missing}: chat falls back to slower connections"
            );
        }
        broken.count += 1;
        broken.last = Some((at, missing));
    }

    /// A socket came through: whatever was wrong is mended.
    pub(super) fn mended(&self) {
        let mut broken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        broken.last = None;
    }
}

/// `GET /api/admin/chat/connection`
pub(crate) async fn report(State(app): State<App>) -> Response {
    let connections = app.chat.connections().await;
    let by_socket = connections.iter();
    let by_socket = by_socket.filter(|one| one.transport == Transport::WebSocket);
    let sockets = by_socket.count();
    let broken = *app
        .upgrades
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    Json(json!({
        "websockets": sockets,
        "fallbacks": connections.len() - sockets,
        "brokenUpgrades": broken.count,
        "missingHeader": broken.last.map(|(_, header)| header),
        "lastBrokenAt": broken.last.map(|(at, _)| at),
    }))
    .into_response()
}
