//! Tests whether WebSockets reach the server, for operators behind a proxy.

use axum::Json;
use axum::extract::State;
use chat::Transport;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::state::{ChatState, Shared};

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
pub(crate) async fn report(State(chat): State<Shared<ChatState>>) -> Json<ConnectionReport> {
    let connections = chat.room.connections().await;
    let by_socket = connections.iter();
    let by_socket = by_socket.filter(|one| one.transport == Transport::WebSocket);
    let sockets = by_socket.count();
    let broken = chat.upgrades.broken();
    Json(ConnectionReport {
        websockets: sockets,
        fallbacks: connections.len() - sockets,
        broken_upgrades: broken.count,
        missing_header: broken.last.map(|(_, header)| header),
        last_broken_at: broken.last.map(|(at, _)| at),
    })
}
