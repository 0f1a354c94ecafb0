//! `GET /ws`: the chat's socket.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chat::{Ear, Farewell, Guest, Refusal, Silence, Speaker, Transport};
use futures_util::{SinkExt, StreamExt};
use http::{HeaderMap, StatusCode, Uri, header};
use model::MessageId;
use model::settings::table::chat::DISABLED;
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::caller::{ChatCaller, by_token, parameter, token_of};
use super::handshake::{Handshake, NoSocket, Socket};
use super::pulse::Pulse;
use super::straight::{Pipe, Wire};
use super::wire::{self, MAX_PAYLOAD_BYTES};
use crate::app::App;
use crate::client::{Client, text};
use crate::listener::Lease;
use crate::problem::Problem;

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
const USER_DISABLED: &str = r#"{"type":"ERROR_USER_DISABLED"}"#;

pub(crate) async fn open(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    lease: Option<Extension<Arc<Lease>>>,
    uri: Uri,
    headers: HeaderMap,
    handshake: Result<Handshake, NoSocket>,
) -> Result<Response, Problem> {
    if *app.settings.now().get(&DISABLED) {
        return Ok("CHAT_DISABLED".into_response());
    }
    if app.chat.is_banned(client.address) {
        return Ok(StatusCode::FORBIDDEN.into_response());
    }
    let (Ok(handshake), Some(Extension(lease))) = (handshake, lease) else {
        app.upgrades.note(&headers, app.clock.now());
        let text = "This address is for WebSockets. If a browser sent you here, a proxy removes the Upgrade header.\n";
        return Ok((StatusCode::UPGRADE_REQUIRED, text).into_response());
    };
    app.upgrades.mended();
    let Some(token) = token_of(&app, &uri, &headers).await else {
        return Ok(handshake.accept(move |socket| send_away(socket, None, lease)));
    };
    let caller = match by_token(&app, &token).await? {
        Some(caller) if caller.user.disabled_at.is_none() => caller,
        refused => {
            let word = match refused {
                Some(_) => USER_DISABLED,
                None => NEEDS_REGISTRATION,
            };
            return Ok(handshake.accept(move |socket| send_away(socket, Some(word), lease)));
        }
    };
    let guest = guest(caller, &client, &headers, &uri, Transport::WebSocket);
    match app.chat.enter(guest).await {
        Ok((speaker, ear)) => {
            app.registration_queue.remember(client.address);
            Ok(handshake.accept(move |socket| {
                Box::pin(Conversation::new(socket, speaker, ear).hold(lease))
            }))
        }
        Err(Refusal::Banned) => {
            let word = Some(USER_DISABLED);
            Ok(handshake.accept(move |socket| send_away(socket, word, lease)))
        }
        Err(refusal) => refused(refusal),
    }
}

/// Somebody at the door of the room.
pub(super) fn guest(
    caller: ChatCaller,
    client: &Client,
    headers: &HeaderMap,
    uri: &Uri,
    transport: Transport,
) -> Guest {
    let agent = text(headers, header::USER_AGENT);
    let last_heard = parameter(uri, "lastId");
    Guest {
        user: caller.user,
        token_id: caller.token_id,
        address: client.address,
        user_agent: agent.chars().take(MAX_AGENT_CHARS).collect(),
        transport,
        last_heard: last_heard.and_then(|id| MessageId::parse(id).ok()),
    }
}

/// What somebody is told for whom there is no room.
pub(super) fn refused(refusal: Refusal) -> Result<Response, Problem> {
    match refusal {
        Refusal::Full | Refusal::TooManyFromThere => {
            Ok("ERROR_MAX_CONNECTIONS_EXCEEDED".into_response())
        }
        Refusal::Banned => Ok(StatusCode::FORBIDDEN.into_response()),
        Refusal::Stopping => Err(Problem::Unavailable("the server is stopping".into())),
    }
}

async fn send_away(socket: Socket, word: Option<&'static str>, _lease: Arc<Lease>) {
    let mut stream = socket.stream;
    let last = async {
        if let Some(word) = word {
            // Whoever is gone does not need to hear it.
            stream.send(Message::Text(word.into())).await.ok();
        }
        close(&mut stream, Farewell::Removed).await;
    };
    tokio::time::timeout(FAREWELL_TIMEOUT, last).await.ok();
}

async fn close(socket: &mut WebSocketStream<Pipe>, farewell: Farewell) {
    let frame = CloseFrame {
        code: farewell.code().into(),
        reason: farewell.to_string().into(),
    };
    socket.send(Message::Close(Some(frame))).await.ok();
    // The peer answers with the same; only then everything we said has arrived.
    for _ in 0..LAST_WORDS {
        if !matches!(socket.next().await, Some(Ok(_))) {
            return;
        }
    }
}

/// The socket and both ends of a place in the room.
struct Conversation {
    socket: WebSocketStream<Pipe>,
    /// Where the room can write by itself.
    wire: Option<Arc<Wire>>,
    /// Whether it does.
    is_straight: bool,
    speaker: Speaker,
    ear: Ear,
    pulse: Pulse,
    /// Frames since then.
    frames: (Instant, u32),
}

/// Why a conversation is over.
enum End {
    /// The peer is gone.
    Gone,
    /// The peer said farewell, and waits for ours.
    Closed,
    /// We say farewell.
    Farewell(Farewell),
    /// We say why, and farewell.
    Flood,
}

impl Conversation {
    fn new(Socket { stream, wire }: Socket, speaker: Speaker, ear: Ear) -> Self {
        let pulse = Pulse::new(Instant::now(), speaker.client_id());
        Self {
            socket: stream,
            wire,
            is_straight: false,
            speaker,
            ear,
            pulse,
            frames: (Instant::now(), 0),
        }
    }

    async fn hold(mut self, lease: Arc<Lease>) {
        let end = tokio::select! {
            () = lease.cut() => End::Gone,
            end = self.talk() => end,
        };
        let Self {
            mut socket,
            wire,
            speaker,
            ear,
            ..
        } = self;
        drop(ear);
        let last = async {
            match end {
                End::Gone => {}
                // It is written, but not pushed out.
                End::Closed => drop(socket.flush().await),
                End::Flood => {
                    let why = wire::encode(&speaker.last_warning());
                    if let Ok(why) = Utf8Bytes::try_from(why) {
                        socket.send(Message::Text(why)).await.ok();
                    }
                    close(&mut socket, Farewell::Removed).await;
                }
                End::Farewell(farewell) => {
                    if let (Some(wire), Farewell::TooSlow) = (wire, farewell) {
                        wire.forget();
                    }
                    close(&mut socket, farewell).await;
                }
            }
        };
        tokio::time::timeout(FAREWELL_TIMEOUT, last).await.ok();
    }

    async fn talk(&mut self) -> End {
        if let Some(wire) = &self.wire {
            let way = Arc::clone(wire);
            self.ear.go_straight(way).await;
        }
        loop {
            let step = match &self.wire {
                Some(wire) if self.is_straight => {
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

    /// One step while the room writes to the peer by itself.
    async fn mind(&mut self, wire: &Wire) -> Result<(), End> {
        let silence = tokio::time::sleep_until(self.pulse.due());
        tokio::select! {
            farewell = self.ear.over() => Err(End::Farewell(farewell)),
            _ = wire.settle() => Err(End::Gone),
            message = self.socket.next() => self.take(message).await,
            () = silence => self.ask().await,
        }
    }

    /// One step while frames come by the queue.
    async fn pass_queue_on(&mut self) -> Result<(), End> {
        let silence = tokio::time::sleep_until(self.pulse.due());
        tokio::select! {
            frame = self.ear.next() => match (frame, &self.wire) {
                (Ok(frame), _) => self.pass_on(frame).await,
                (Err(Silence::Over(farewell)), _) => Err(End::Farewell(farewell)),
                (Err(Silence::Straight), Some(wire)) => {
                    wire.open();
                    self.is_straight = true;
                    Ok(())
                }
                (Err(Silence::Straight), None) => Err(End::Farewell(Farewell::Stopping)),
            },
            message = self.socket.next() => self.take(message).await,
            () = silence => self.ask().await,
        }
    }

    /// Gives the peer what there is for it.
    async fn pass_on(&mut self, frame: Bytes) -> Result<(), End> {
        let Self { socket, ear, .. } = self;
        let mut frames = vec![frame];
        while frames.len() < BATCH
            && let Some(frame) = ear.ready()
        {
            frames.push(frame);
        }
        let writing = async {
            for frame in frames {
                let text = Utf8Bytes::try_from(frame).map_err(|_| End::Gone)?;
                let fed = socket.feed(Message::Text(text)).await;
                fed.map_err(|_| End::Gone)?;
            }
            socket.flush().await.map_err(|_| End::Gone)
        };
        tokio::select! {
            written = writing => written,
            farewell = ear.over() => Err(End::Farewell(farewell)),
        }
    }

    /// Takes what the peer sends.
    async fn take<E>(&mut self, message: Option<Result<Message, E>>) -> Result<(), End> {
        let Some(Ok(message)) = message else {
            return Err(End::Gone);
        };
        let now = Instant::now();
        self.pulse.heard(now);
        if now - self.frames.0 >= Duration::from_secs(1) {
            self.frames = (now, 0);
        }
        self.frames.1 += 1;
        if self.frames.1 > FRAMES_PER_SECOND {
            return Err(End::Flood);
        }
        match message {
            Message::Text(text) if text.len() > MAX_PAYLOAD_BYTES => {
                Box::pin(self.speaker.too_long()).await;
            }
            Message::Text(text) => {
                for said in wire::read(&text) {
                    Box::pin(self.speaker.say(said)).await;
                }
            }
            Message::Close(_) => return Err(End::Closed),
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
        Ok(())
    }

    /// Asks a silent peer whether it is still there.
    async fn ask(&mut self) -> Result<(), End> {
        if !self.pulse.ask(Instant::now()) {
            return Err(End::Gone);
        }
        let ping = self.socket.send(Message::Ping(Bytes::new()));
        tokio::select! {
            sent = ping => sent.map_err(|_| End::Gone),
            farewell = self.ear.over() => Err(End::Farewell(farewell)),
        }
    }
}
