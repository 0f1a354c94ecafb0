//! Turns an HTTP request into a WebSocket (RFC 6455 §4.2).

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header};
use http_server::client::text;
use http_server::{OnUpgrade, UpgradedStream, downcast_tcp};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::direct_socket::{DirectTcp, SocketIo};
use super::wire::MAX_FRAME_BYTES;

/// Read and write buffer of a socket: with the library's default ten thousand sockets would take more than a gigabyte.
const SOCKET_BUFFER: usize = 4096;
/// The one version of the protocol there is.
const VERSION: &str = "13";

/// A socket, and its wire where the room can write to it directly.
pub(super) struct Socket {
    pub(super) stream: WebSocketStream<SocketIo>,
    pub(super) wire: Option<Arc<DirectTcp>>,
}

/// A valid request for a socket.
pub(crate) struct Handshake {
    key: HeaderValue,
    upgrade: OnUpgrade,
}

/// The request does not ask for a socket, or cannot have one.
#[derive(Debug)]
pub(crate) struct NoSocket;

impl IntoResponse for NoSocket {
    fn into_response(self) -> Response {
        StatusCode::UPGRADE_REQUIRED.into_response()
    }
}

impl<S: Sync> FromRequestParts<S> for Handshake {
    type Rejection = NoSocket;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, NoSocket> {
        let headers = &parts.headers;
        let is_asked = parts.version == Version::HTTP_11
            && has_token(headers, header::CONNECTION, "upgrade")
            && has_token(headers, header::UPGRADE, "websocket")
            && text(headers, header::SEC_WEBSOCKET_VERSION) == VERSION;
        let key = headers.get(header::SEC_WEBSOCKET_KEY).cloned();
        match (key, parts.extensions.remove::<OnUpgrade>()) {
            (Some(key), Some(upgrade)) if is_asked => Ok(Self { key, upgrade }),
            _ => Err(NoSocket),
        }
    }
}

/// Whether a header's list contains a token.
fn has_token(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).into_iter();
    let mut words = values.flat_map(|value| value.to_str().unwrap_or_default().split(','));
    words.any(|one| one.trim().eq_ignore_ascii_case(word))
}

impl Handshake {
    /// Accepts the upgrade; `talk` then gets the socket.
    pub(super) fn accept<F>(self, talk: impl FnOnce(Socket) -> F + Send + 'static) -> Response
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let accept = derive_accept_key(self.key.as_bytes());
        let upgrade = self.upgrade;
        tokio::spawn(async move {
            match upgrade.await {
                Ok(upgraded) => {
                    let socket = open(downcast_tcp(upgraded)).await;
                    talk(socket).await;
                }
                Err(error) => tracing::debug!(%error, "gone before it was a socket"),
            }
        });
        let headers = [
            (header::CONNECTION, "upgrade"),
            (header::UPGRADE, "websocket"),
            (header::SEC_WEBSOCKET_ACCEPT, accept.as_str()),
        ];
        (StatusCode::SWITCHING_PROTOCOLS, headers, Body::empty()).into_response()
    }
}

async fn open(connection: Result<(TcpStream, Bytes), UpgradedStream>) -> Socket {
    let (pipe, wire) = match connection {
        Ok((tcp, read)) => {
            let wire = Arc::new(DirectTcp::new(tcp));
            (SocketIo::direct(Arc::clone(&wire), read), Some(wire))
        }
        Err(other) => (SocketIo::Other(Box::new(other)), None),
    };
    let config = WebSocketConfig::default()
        .read_buffer_size(SOCKET_BUFFER)
        .write_buffer_size(SOCKET_BUFFER)
        .max_message_size(Some(MAX_FRAME_BYTES))
        .max_frame_size(Some(MAX_FRAME_BYTES));
    Socket {
        stream: WebSocketStream::from_raw_socket(pipe, Role::Server, Some(config)).await,
        wire,
    }
}
