//! Tests whether WebSockets reach the server, for operators behind a proxy.

use std::sync::{Mutex, PoisonError};

use axum::Json;
use axum::extract::State;
use chat::Transport;
use http::{HeaderMap, header};
use http_server::client::text;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;

/// Upgrades that something between us and a browser broke.
#[derive(Debug, Default)]
pub(crate) struct Upgrades(Mutex<BrokenUpgrades>);

#[derive(Clone, Copy, Debug, Default)]
struct BrokenUpgrades {
    count: u64,
    last: Option<(Timestamp, &'static str)>,
}

impl Upgrades {
    /// A request for a socket came without what makes it one.
    pub(super) fn note(&self, headers: &HeaderMap, at: Timestamp) {
        // Only a browser that opens a socket sends these; anybody else just visited the address.
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

/// How people are connected to the chat.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConnectionReport {
    websockets: usize,
    /// Those who could not have a socket.
    fallbacks: usize,
    /// Requests for a socket that something on the way broke.
    broken_upgrades: u64,
    /// The header that a proxy removes, while it does.
    #[schema(required = true)]
    missing_header: Option<&'static str>,
    #[schema(required = true)]
    last_broken_at: Option<Timestamp>,
}

/// `GET /api/admin/chat/connection`
pub(crate) async fn report(State(app): State<App>) -> Json<ConnectionReport> {
    let connections = app.chat.connections().await;
    let by_socket = connections.iter();
    let by_socket = by_socket.filter(|one| one.transport == Transport::WebSocket);
    let sockets = by_socket.count();
    let broken = *app
        .upgrades
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    Json(ConnectionReport {
        websockets: sockets,
        fallbacks: connections.len() - sockets,
        broken_upgrades: broken.count,
        missing_header: broken.last.map(|(_, header)| header),
        last_broken_at: broken.last.map(|(at, _)| at),
    })
}
