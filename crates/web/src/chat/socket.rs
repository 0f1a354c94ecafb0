//! `GET /ws`: the chat's socket.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chat::{
    ClientReceiver, ClientSender, CloseReason, JoinRejection, JoinRequest, RecvError, Transport,
};
use futures_util::{SinkExt, StreamExt};
use http::{HeaderMap, StatusCode, Uri, header};
use http_server::Lease;
use http_server::client::{ClientInfo, text};
use jiff::Timestamp;
use model::MessageId;
use model::settings::table::chat::DISABLED;
use serde_json::json;
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::caller::{ChatCaller, by_token, parameter, token_of};
use super::direct_socket::{DirectTcp, SocketIo};
use super::handshake::{Handshake, NoSocket, Socket};
use super::keep_alive::KeepAlive;
use super::wire::{self, MAX_PAYLOAD_BYTES};
use crate::problem::Problem;
use crate::sentences;
use crate::state::App;

/// Frames written before they are pushed out together.
const BATCH: usize = 32;
/// What we have to say last is given up after this long.
const FAREWELL_TIMEOUT: Duration = Duration::from_secs(5);
/// Frames that are still taken from a peer we say farewell to.
const LAST_WORDS: usize = 32;
/// Frames a peer may send in a second, of whatever kind; a person sends one or two.
const FRAMES_PER_SECOND: u32 = 30;
/// What is kept of what a browser says it is.
const MAX_AGENT_CHARS: usize = 300;

const NEEDS_REGISTRATION: &str = r#"{"type":"ERROR_NEEDS_REGISTRATION"}"#;

pub(crate) async fn open(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    lease: Option<Extension<Arc<Lease>>>,
    uri: Uri,
    headers: HeaderMap,
    handshake: Result<Handshake, NoSocket>,
) -> Result<Response, Problem> {
    if *app.settings.now().get(&DISABLED) {
        return Ok("CHAT_DISABLED".into_response());
    }
    if app.chat.room.is_banned(client.address) {
        return Ok(StatusCode::FORBIDDEN.into_response());
    }
    let (Ok(handshake), Some(Extension(lease))) = (handshake, lease) else {
        app.chat.upgrades.note(&headers, app.clock.now());
        let text = "This address is for WebSockets. If a browser sent you here, a proxy removes the Upgrade header.\n";
        return Ok((StatusCode::UPGRADE_REQUIRED, text).into_response());
    };
    app.chat.upgrades.mended();
    let Some(token) = token_of(&app, &uri, &headers).await else {
        return Ok(handshake.accept(move |socket| send_away(socket, None, lease)));
    };
    let caller = match by_token(&app, &token).await? {
        Some(caller) if caller.user.disabled_at.is_none() => caller,
        refused => {
            let word = match refused {
                Some(banned) => user_disabled(
                    banned.user.disabled_reason.as_deref(),
                    banned.user.disabled_until,
                ),
                None => NEEDS_REGISTRATION.to_owned(),
            };
            return Ok(handshake.accept(move |socket| send_away(socket, Some(word), lease)));
        }
    };
    let join_request = join_request(caller, &client, &headers, &uri, Transport::WebSocket);
    match app.chat.room.enter(join_request).await {
        Ok((sender, receiver)) => {
            app.chat.registration_queue.remember(client.address);
            Ok(handshake.accept(move |socket| {
                Box::pin(ChatConnection::new(socket, sender, receiver).hold(lease))
            }))
        }
        Err(JoinRejection::Banned) => {
            let word = Some(user_disabled(None, None));
            Ok(handshake.accept(move |socket| send_away(socket, word, lease)))
        }
        Err(refusal) => refused(refusal),
    }
}

/// A client's request to join the room.
pub(super) fn join_request(
    caller: ChatCaller,
    client: &ClientInfo,
    headers: &HeaderMap,
    uri: &Uri,
    transport: Transport,
) -> JoinRequest {
    let agent = text(headers, header::USER_AGENT);
    let last_event_id = parameter(uri, "lastId");
    JoinRequest {
        user: caller.user,
        token_id: caller.token_id,
        address: client.address,
        user_agent: agent.chars().take(MAX_AGENT_CHARS).collect(),
        transport,
        last_event_id: last_event_id.and_then(|id| MessageId::parse(id).ok()),
    }
}

/// The answer to a client that may not join.
pub(super) fn refused(refusal: JoinRejection) -> Result<Response, Problem> {
    match refusal {
        JoinRejection::Full | JoinRejection::TooManyFromThere => {
            Ok("ERROR_MAX_CONNECTIONS_EXCEEDED".into_response())
        }
        JoinRejection::Banned => Ok(StatusCode::FORBIDDEN.into_response()),
        JoinRejection::Stopping => {
            let problem = Problem::Unavailable("the server is stopping".into());
            Err(problem.worded(sentences::STOPPING.plain()))
        }
    }
}

/// The last word to a banned person, with what the moderator wrote about the ban.
fn user_disabled(reason: Option<&str>, until: Option<Timestamp>) -> String {
    let mut word = json!({ "type": "ERROR_USER_DISABLED" });
    if let Some(reason) = reason {
        word["reason"] = json!(reason);
    }
    if let Some(until) = until {
        word["until"] = json!(until);
    }
    word.to_string()
}

async fn send_away(socket: Socket, word: Option<String>, _lease: Arc<Lease>) {
    let mut stream = socket.stream;
    let last = async {
        if let Some(word) = word {
            // If the peer is gone, this need not arrive.
            stream.send(Message::Text(word.into())).await.ok();
        }
        close(&mut stream, CloseReason::Removed).await;
    };
    tokio::time::timeout(FAREWELL_TIMEOUT, last).await.ok();
}

async fn close(socket: &mut WebSocketStream<SocketIo>, close_reason: CloseReason) {
    let frame = CloseFrame {
        code: close_reason.code().into(),
        reason: close_reason.to_string().into(),
    };
    socket.send(Message::Close(Some(frame))).await.ok();
    // The peer echoes the close frame; only then has everything we sent arrived.
    for _ in 0..LAST_WORDS {
        if !matches!(socket.next().await, Some(Ok(_))) {
            return;
        }
    }
}

/// The socket and both ends of the membership in the room.
struct ChatConnection {
    socket: WebSocketStream<SocketIo>,
    /// Set where the room can write directly.
    wire: Option<Arc<DirectTcp>>,
    /// Whether the room writes directly.
    is_direct: bool,
    sender: ClientSender,
    receiver: ClientReceiver,
    keep_alive: KeepAlive,
    /// A time, and the number of frames since then.
    frames: (Instant, u32),
}

enum DisconnectReason {
    /// The peer is gone.
    Gone,
    /// The peer sent a close frame and waits for ours.
    Closed,
    /// We close.
    Dismissed(CloseReason),
    /// We close and say why.
    Flood,
}

impl ChatConnection {
    fn new(
        Socket { stream, wire }: Socket,
        sender: ClientSender,
        receiver: ClientReceiver,
    ) -> Self {
        let keep_alive = KeepAlive::new(Instant::now(), sender.client_id());
        Self {
            socket: stream,
            wire,
            is_direct: false,
            sender,
            receiver,
            keep_alive,
            frames: (Instant::now(), 0),
        }
    }

    async fn hold(mut self, lease: Arc<Lease>) {
        let end = tokio::select! {
            () = lease.cut() => DisconnectReason::Gone,
            end = self.talk() => end,
        };
        let Self {
            mut socket,
            wire,
            sender,
            receiver,
            ..
        } = self;
        drop(receiver);
        let last = async {
            match end {
                DisconnectReason::Gone => {}
                // The close frame is written but not flushed.
                DisconnectReason::Closed => drop(socket.flush().await),
                DisconnectReason::Flood => {
                    let why = wire::encode(&sender.last_warning());
                    if let Ok(why) = Utf8Bytes::try_from(why) {
                        socket.send(Message::Text(why)).await.ok();
                    }
                    close(&mut socket, CloseReason::Removed).await;
                }
                DisconnectReason::Dismissed(close_reason) => {
                    if let (Some(wire), CloseReason::TooSlow) = (wire, close_reason) {
                        wire.forget();
                    }
                    close(&mut socket, close_reason).await;
                }
            }
        };
        tokio::time::timeout(FAREWELL_TIMEOUT, last).await.ok();
    }

    async fn talk(&mut self) -> DisconnectReason {
        if let Some(wire) = &self.wire {
            let way = Arc::clone(wire);
            self.receiver.go_direct(way).await;
        }
        loop {
            let step = match &self.wire {
                Some(wire) if self.is_direct => {
                    let wire = Arc::clone(wire);
                    self.mind(&wire).await
                }
                _ => self.pass_queue_on().await,
            };
            if let Err(end) = step {
                return end;
            }
        }
    }

    /// One step while the room writes to the peer directly.
    async fn mind(&mut self, wire: &DirectTcp) -> Result<(), DisconnectReason> {
        let silence = tokio::time::sleep_until(self.keep_alive.due());
        tokio::select! {
            close_reason = self.receiver.closed() => Err(DisconnectReason::Dismissed(close_reason)),
            _ = wire.drain() => Err(DisconnectReason::Gone),
            message = self.socket.next() => self.take(message).await,
            () = silence => self.ask().await,
        }
    }

    /// One step while frames arrive through the queue.
    async fn pass_queue_on(&mut self) -> Result<(), DisconnectReason> {
        let silence = tokio::time::sleep_until(self.keep_alive.due());
        tokio::select! {
            frame = self.receiver.next() => match (frame, &self.wire) {
                (Ok(frame), _) => self.pass_on(frame).await,
                (Err(RecvError::Closed(close_reason)), _) => Err(DisconnectReason::Dismissed(close_reason)),
                (Err(RecvError::Direct), Some(wire)) => {
                    wire.open();
                    self.is_direct = true;
                    Ok(())
                }
                (Err(RecvError::Direct), None) => Err(DisconnectReason::Dismissed(CloseReason::Stopping)),
            },
            message = self.socket.next() => self.take(message).await,
            () = silence => self.ask().await,
        }
    }

    /// Sends the peer its pending frames.
    async fn pass_on(&mut self, frame: Bytes) -> Result<(), DisconnectReason> {
        let Self {
            socket, receiver, ..
        } = self;
        let mut frames = vec![frame];
        while frames.len() < BATCH
            && let Some(frame) = receiver.ready()
        {
            frames.push(frame);
        }
        let writing = async {
            for frame in frames {
                let text = Utf8Bytes::try_from(frame).map_err(|_| DisconnectReason::Gone)?;
                let fed = socket.feed(Message::Text(text)).await;
                fed.map_err(|_| DisconnectReason::Gone)?;
            }
            socket.flush().await.map_err(|_| DisconnectReason::Gone)
        };
        tokio::select! {
            written = writing => written,
            close_reason = receiver.closed() => Err(DisconnectReason::Dismissed(close_reason)),
        }
    }

    /// Handles what the peer sends.
    async fn take<E>(
        &mut self,
        message: Option<Result<Message, E>>,
    ) -> Result<(), DisconnectReason> {
        let Some(Ok(message)) = message else {
            return Err(DisconnectReason::Gone);
        };
        let now = Instant::now();
        self.keep_alive.heard(now);
        if now - self.frames.0 >= Duration::from_secs(1) {
            self.frames = (now, 0);
        }
        self.frames.1 += 1;
        if self.frames.1 > FRAMES_PER_SECOND {
            return Err(DisconnectReason::Flood);
        }
        match message {
            Message::Text(text) if text.len() > MAX_PAYLOAD_BYTES => {
                Box::pin(self.sender.too_long()).await;
            }
            Message::Text(text) => {
                for message in wire::read(&text) {
                    Box::pin(self.sender.say(message)).await;
                }
            }
            Message::Close(_) => return Err(DisconnectReason::Closed),
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
        Ok(())
    }

    /// Pings a silent peer.
    async fn ask(&mut self) -> Result<(), DisconnectReason> {
        if !self.keep_alive.ask(Instant::now()) {
            return Err(DisconnectReason::Gone);
        }
        let ping = self.socket.send(Message::Ping(Bytes::new()));
        tokio::select! {
            sent = ping => sent.map_err(|_| DisconnectReason::Gone),
            close_reason = self.receiver.closed() => Err(DisconnectReason::Dismissed(close_reason)),
        }
    }
}
