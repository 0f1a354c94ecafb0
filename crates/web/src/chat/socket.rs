//! `GET /ws`: the chat's socket.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chat::{Ear, Farewell, Guest, Refusal, Speaker, Transport};
use futures_util::SinkExt;
use http::{HeaderMap, StatusCode, Uri, header};
use model::MessageId;
use model::settings::table::chat::DISABLED;
use tokio::time::Instant;

use super::caller::{ChatCaller, by_token, parameter};
use super::pulse::Pulse;
use super::wire::{self, MAX_FRAME_BYTES, MAX_PAYLOAD_BYTES};
use crate::app::App;
use crate::client::{Client, text};
use crate::listener::Lease;
use crate::problem::Problem;

/// Read buffer of a socket: with the library's default ten thousand sockets would take more than a gigabyte.
const READ_BUFFER: usize = 4096;
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
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    if *app.settings.now().get(&DISABLED) {
        return Ok("CHAT_DISABLED".into_response());
    }
    if app.chat.is_banned(client.address) {
        return Ok(StatusCode::FORBIDDEN.into_response());
    }
    let (Ok(upgrade), Some(Extension(lease))) = (upgrade, lease) else {
        app.upgrades.note(&headers, app.clock.now());
        let text = "This address is for WebSockets. If a browser sent you here, a proxy removes the Upgrade header.\n";
        return Ok((StatusCode::UPGRADE_REQUIRED, text).into_response());
    };
    app.upgrades.mended();
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(READ_BUFFER)
        .max_message_size(MAX_FRAME_BYTES)
        .max_frame_size(MAX_FRAME_BYTES);
    let Some(token) = parameter(&uri, "accessToken") else {
        return Ok(upgrade.on_upgrade(move |socket| send_away(socket, None, lease)));
    };
    let caller = match by_token(&app, &token).await? {
        Some(caller) if caller.user.disabled_at.is_none() => caller,
        refused => {
            let word = match refused {
                Some(_) => USER_DISABLED,
                None => NEEDS_REGISTRATION,
            };
            return Ok(upgrade.on_upgrade(move |socket| send_away(socket, Some(word), lease)));
        }
    };
    let guest = guest(caller, &client, &headers, &uri, Transport::WebSocket);
    match app.chat.enter(guest).await {
        Ok((speaker, ear)) => Ok(upgrade.on_upgrade(move |socket| {
            Box::pin(Conversation::new(socket, speaker, ear).hold(lease))
        })),
        Err(Refusal::Banned) => {
            let word = Some(USER_DISABLED);
            Ok(upgrade.on_upgrade(move |socket| send_away(socket, word, lease)))
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

async fn send_away(mut socket: WebSocket, word: Option<&'static str>, _lease: Arc<Lease>) {
    let last = async {
        if let Some(word) = word {
            // Whoever is gone does not need to hear it.
            socket.send(Message::Text(word.into())).await.ok();
        }
        close(&mut socket, Farewell::Removed).await;
    };
    tokio::time::timeout(FAREWELL_TIMEOUT, last).await.ok();
}

async fn close(socket: &mut WebSocket, farewell: Farewell) {
    let frame = CloseFrame {
        code: farewell.code(),
        reason: farewell.to_string().into(),
    };
    socket.send(Message::Close(Some(frame))).await.ok();
    // The peer answers with the same; only then everything we said has arrived.
    for _ in 0..LAST_WORDS {
        if !matches!(socket.recv().await, Some(Ok(_))) {
            return;
        }
    }
}

/// The socket and both ends of a place in the room.
struct Conversation {
    socket: WebSocket,
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
    /// We say farewell.
    Farewell(Farewell),
}

impl Conversation {
    fn new(socket: WebSocket, speaker: Speaker, ear: Ear) -> Self {
        let pulse = Pulse::new(Instant::now(), speaker.client_id());
        Self {
            socket,
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
            mut socket, ear, ..
        } = self;
        drop(ear);
        if let End::Farewell(farewell) = end {
            let saying = close(&mut socket, farewell);
            tokio::time::timeout(FAREWELL_TIMEOUT, saying).await.ok();
        }
    }

    async fn talk(&mut self) -> End {
        loop {
            let silence = tokio::time::sleep_until(self.pulse.due());
            let step = tokio::select! {
                frame = self.ear.next() => match frame {
                    Ok(frame) => self.pass_on(frame).await,
                    Err(farewell) => Err(End::Farewell(farewell)),
                },
                message = self.socket.recv() => match message {
                    Some(Ok(message)) => self.take(message).await,
                    Some(Err(_)) | None => Err(End::Gone),
                },
                () = silence => self.ask().await,
            };
            if let Err(end) = step {
                return end;
            }
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
            () = ear.given_up() => Err(End::Farewell(Farewell::TooSlow)),
        }
    }

    /// Takes what the peer sends.
    async fn take(&mut self, message: Message) -> Result<(), End> {
        let now = Instant::now();
        self.pulse.heard(now);
        if now - self.frames.0 >= Duration::from_secs(1) {
            self.frames = (now, 0);
        }
        self.frames.1 += 1;
        if self.frames.1 > FRAMES_PER_SECOND {
            return Err(End::Farewell(Farewell::Removed));
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
            Message::Close(_) => return Err(End::Gone),
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) => {}
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
            () = self.ear.given_up() => Err(End::Farewell(Farewell::TooSlow)),
        }
    }
}
