//! The least that can be called a chat: whatever anybody says is sent to everybody, in one order. No names, no store, no
//! filters, no limits. What is said goes out in a document as long as ours, so that both move the same bytes: what this
//! needs is what the machine and the libraries need.
//!
//! Usage: bare PORT

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use tokio::sync::broadcast;

/// Lines that a listener may be behind; the rest is skipped.
const BEHIND: usize = 1024;
/// As ours: the library's default takes 128 KiB for each socket.
const BUFFER_BYTES: usize = 4096;
/// What a page gets when it is opened: as many lines as ours.
const HISTORY: usize = 50;
const USER: &str = r#"{"authenticated":false,"createdAt":"2026-01-01T12:00:00.000Z","displayColor":6,"displayName":"chatter 17","id":"AAAAAAAAAAAA","isBot":false,"previousNames":["chatter 17"]}"#;

static LAST: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    let Some(port) = std::env::args().nth(1).and_then(|port| port.parse().ok()) else {
        eprintln!("usage: bare PORT");
        return ExitCode::from(2);
    };
    match serve(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bare: {error}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn serve(port: u16) -> std::io::Result<()> {
    let (lines, _) = broadcast::channel(BEHIND);
    let history: Vec<String> = (0..HISTORY)
        .map(|_| document("some line of a busy evening"))
        .collect();
    let history = format!("[{}]", history.join(","));
    let app = Router::new()
        .route("/ws", get(open))
        .route("/api/chat", get(move || async move { history }))
        .route("/api/status", get(async || "{}"))
        .with_state(lines);
    let socket = tokio::net::TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from(([127, 0, 0, 1], port)))?;
    let listener = socket.listen(4096)?.tap_io(|stream| {
        // As ours; without it lines wait for the acknowledgement of those before.
        stream.set_nodelay(true).ok();
    });
    axum::serve(listener, app).await
}

async fn open(
    upgrade: WebSocketUpgrade,
    State(lines): State<broadcast::Sender<Utf8Bytes>>,
) -> Response {
    upgrade
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .on_upgrade(move |socket| hold(socket, lines))
        .into_response()
}

async fn hold(mut socket: WebSocket, lines: broadcast::Sender<Utf8Bytes>) {
    let mut ear = lines.subscribe();
    let greeting = Message::Text(document("welcome").into());
    if socket.send(greeting).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            line = ear.recv() => match line {
                Ok(line) => {
                    if socket.send(Message::Text(line)).await.is_err() {
                        return;
                    }
                }
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return,
            },
            said = socket.recv() => match said {
                Some(Ok(Message::Text(text))) => {
                    // Nobody who listens is no trouble.
                    lines.send(document(body_of(&text)).into()).ok();
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            },
        }
    }
}

fn body_of(text: &str) -> &str {
    let body = text.split_once("\"body\":\"").map_or("", |(_, rest)| rest);
    body.split_once('"').map_or("", |(body, _)| body)
}

fn document(body: &str) -> String {
    let id = LAST.fetch_add(1, Ordering::Relaxed);
    format!(
        r#"{{"body":"<p>{body}</p>","id":"{id:012}","timestamp":"2026-01-01T12:00:00.000000000Z","type":"CHAT","user":{USER},"visible":true}}"#
    )
}
