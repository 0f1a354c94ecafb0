//! `GET /api/integrations/events`: events as they happen, over a WebSocket or as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use access::{AccessTokens, Bearer};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{SinkExt, stream};
use http::{HeaderMap, Uri, header};
use http_server::Lease;
use http_server::client::text;
use model::{Scope, TokenId};
use notify::{EVENT_NAMES, known_event};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::chat::{KeepAlive, parameter};
use crate::event_payload::{SOCKET_KINDS, is_for_admins};
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::{App, FeedCursor, FeedEvent, ListenerSlot};

/// Bytes a listener may send in a frame; it has nothing to say here.
const MAX_FRAME_BYTES: usize = 1024;
/// Frames a listener may send in a second; more end the connection.
const FRAMES_PER_SECOND: u32 = 30;
/// A listener that takes nothing for this long is given up.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// What we have to say last is given up after this long.
const FAREWELL_TIMEOUT: Duration = Duration::from_secs(2);
/// Limit (clients): how far back a token without `HAS_ADMIN_ACCESS` can resume the event stream; older events are left
/// out.
const REACH: Duration = Duration::from_secs(5 * 60);
/// Proxies close what stays silent for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

struct EventListener {
    cursor: FeedCursor,
    /// The requested kinds; all when empty.
    kinds: Vec<&'static str>,
    /// Also gets events for the operator only.
    is_admin: bool,
    tokens: AccessTokens,
    token_id: TokenId,
    doubts: watch::Receiver<u64>,
    /// Whether to check the token again; also true at first, because it may have been revoked meanwhile.
    is_doubted: bool,
    /// Sent first: the listener's position, and whether events are missing.
    greeting: Option<Arc<FeedEvent>>,
    _slot: ListenerSlot,
}

/// Why listening ended.
enum ListenEnd {
    /// The token is no longer valid.
    Revoked,
    /// The server is stopping, or cannot read its log.
    Stopping,
}

impl ListenEnd {
    fn frame(&self) -> CloseFrame {
        let (code, reason) = match self {
            ListenEnd::Revoked => (1008, "the access token is no longer valid"),
            ListenEnd::Stopping => (1001, "the server is stopping"),
        };
        CloseFrame {
            code,
            reason: reason.into(),
        }
    }
}

pub(crate) async fn open(
    State(app): State<App>,
    Extension(bearer): Extension<Bearer>,
    lease: Option<Extension<Arc<Lease>>>,
    uri: Uri,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let is_admin = bearer.token.scopes.contains(&Scope::Admin);
    let kinds = wanted_kinds(&uri, is_admin)?;
    let last = last_event_id(&uri, &headers)?;
    let slot = app.bots.listeners.take(&bearer.token.id)?;
    let doubts = app.bots.tokens.doubts();
    let since = match is_admin {
        true => None,
        false => Some(app.clock.now() - REACH),
    };
    let (cursor, has_gap) = app.bots.feed.enter(last, since).await?;
    let listener = EventListener {
        greeting: Some(greeting(cursor.seq(), has_gap)),
        cursor,
        kinds,
        is_admin,
        tokens: app.bots.tokens.clone(),
        token_id: bearer.token.id,
        doubts,
        is_doubted: true,
        _slot: slot,
    };
    if let (Ok(upgrade), Some(Extension(lease))) = (upgrade, lease) {
        let upgrade = upgrade
            .read_buffer_size(MAX_FRAME_BYTES)
            .write_buffer_size(MAX_FRAME_BYTES)
            .max_message_size(MAX_FRAME_BYTES)
            .max_frame_size(MAX_FRAME_BYTES);
        return Ok(upgrade.on_upgrade(move |socket| hold(socket, listener, lease)));
    }
    let events = stream::unfold(listener, |mut listener| async move {
        let event = match tokio::time::timeout(KEEP_ALIVE, listener.next()).await {
            Ok(Ok(feed_event)) => server_sent(&feed_event),
            Ok(Err(_)) => return None,
            Err(_) => Bytes::from_static(b": still here\n\n"),
        };
        Some((Ok::<_, Infallible>(event), listener))
    });
    let kind = [
        (header::CONTENT_TYPE, "text/event-stream"),
        // nginx would otherwise buffer the events.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((NO_CACHE, kind, Body::from_stream(events)).into_response())
}

fn greeting(seq: i64, has_gap: bool) -> Arc<FeedEvent> {
    let data = json!({ "lastEventId": seq.to_string(), "complete": !has_gap });
    let document = json!({ "type": "READY", "eventId": seq.to_string(), "eventData": data });
    Arc::new(FeedEvent {
        seq,
        kind: "READY",
        is_for_admins: false,
        document: Bytes::from(document.to_string()),
    })
}

/// `types=CHAT,STREAM_STARTED`
fn wanted_kinds(uri: &Uri, is_admin: bool) -> Result<Vec<&'static str>, Problem> {
    let wanted = parameter(uri, "types").unwrap_or_default();
    let names = wanted
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let kinds = names.map(|name| match known_kind(name) {
        Some(kind) if is_for_admins(kind) && !is_admin => Err(Problem::BadRequest(format!(
            "\"types\" has {kind}, for which the access token needs HAS_ADMIN_ACCESS"
        ))),
        Some(kind) => Ok(kind),
        None => {
            let name: String = name.chars().take(40).collect();
            let known = [EVENT_NAMES.as_slice(), &SOCKET_KINDS].concat().join(", ");
            Err(Problem::BadRequest(format!(
                "\"types\" has {name:?}, but there are: {known}"
            )))
        }
    });
    kinds.take(EVENT_NAMES.len() * 2).collect()
}

/// Kinds that webhooks can request, and those only for listeners.
fn known_kind(name: &str) -> Option<&'static str> {
    let own = || SOCKET_KINDS.into_iter().find(|kind| *kind == name);
    known_event(name).or_else(own)
}

/// The listener's position when it was disconnected: from the query, or from the header that browsers send.
fn last_event_id(uri: &Uri, headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let given = match text(headers, "last-event-id") {
        "" => parameter(uri, "lastEventId").unwrap_or_default(),
        id => id.to_owned(),
    };
    if given.is_empty() {
        return Ok(None);
    }
    let id = given.parse().map_err(|_| {
        Problem::BadRequest("\"lastEventId\" must be the \"eventId\" of an event".into())
    })?;
    Ok(Some(id))
}

fn server_sent(feed_event: &FeedEvent) -> Bytes {
    let mut event = format!("id: {}\ndata: ", feed_event.seq).into_bytes();
    // One document, and JSON contains no bare line breaks.
    event.extend_from_slice(&feed_event.document);
    event.extend_from_slice(b"\n\n");
    Bytes::from(event)
}

impl EventListener {
    fn wants(&self, feed_event: &FeedEvent) -> bool {
        let is_chosen = self.kinds.is_empty() || self.kinds.contains(&feed_event.kind);
        is_chosen && (self.is_admin || !feed_event.is_for_admins)
    }

    async fn next(&mut self) -> Result<Arc<FeedEvent>, ListenEnd> {
        loop {
            // The future may be dropped during this; the flag stays set until the check is complete.
            if self.is_doubted {
                match self.tokens.is_still_valid(&self.token_id).await {
                    Ok(true) => self.is_doubted = false,
                    Ok(false) => return Err(ListenEnd::Revoked),
                    Err(_) => return Err(ListenEnd::Stopping),
                }
            }
            if let Some(greeting) = self.greeting.take() {
                return Ok(greeting);
            }
            tokio::select! {
                feed_event = self.cursor.next() => match feed_event {
                    Ok(feed_event) if self.wants(&feed_event) => return Ok(feed_event),
                    Ok(_) => {}
                    Err(_) => return Err(ListenEnd::Stopping),
                },
                // The sender lives as long as the server.
                _ = self.doubts.changed() => self.is_doubted = true,
            }
        }
    }
}

async fn hold(mut socket: WebSocket, mut listener: EventListener, lease: Arc<Lease>) {
    let talk = listen(&mut socket, &mut listener);
    let initiator = tokio::select! {
        () = lease.cut() => None,
        initiator = talk => initiator,
    };
    let last = async {
        match initiator {
            None => {}
            // Our close frame is written but not flushed.
            Some(CloseInitiator::Theirs) => drop(socket.flush().await),
            Some(CloseInitiator::Ours(end)) => {
                socket.send(Message::Close(Some(end.frame()))).await.ok();
                // The peer echoes the close frame.
                while let Some(Ok(_)) = socket.recv().await {}
            }
        }
    };
    tokio::time::timeout(FAREWELL_TIMEOUT, last).await.ok();
}

/// Which side closes the socket first.
enum CloseInitiator {
    Ours(ListenEnd),
    Theirs,
}

/// Returns how it ended, or `None` when the peer is gone.
async fn listen(socket: &mut WebSocket, listener: &mut EventListener) -> Option<CloseInitiator> {
    let mut keep_alive = KeepAlive::new(Instant::now(), listener.cursor.seq().unsigned_abs());
    let mut frames = (Instant::now(), 0);
    loop {
        tokio::select! {
            feed_event = listener.next() => {
                let feed_event = match feed_event {
                    Ok(feed_event) => feed_event,
                    Err(end) => return Some(CloseInitiator::Ours(end)),
                };
                let text = Utf8Bytes::try_from(feed_event.document.clone()).ok()?;
                let sent = socket.send(Message::Text(text));
                tokio::time::timeout(WRITE_TIMEOUT, sent).await.ok()?.ok()?;
            }
            message = socket.recv() => {
                let message = message?.ok()?;
                let now = Instant::now();
                keep_alive.heard(now);
                if now - frames.0 >= Duration::from_secs(1) {
                    frames = (now, 0);
                }
                frames.1 += 1;
                if frames.1 > FRAMES_PER_SECOND {
                    return None;
                }
                if matches!(message, Message::Close(_)) {
                    return Some(CloseInitiator::Theirs);
                }
            }
            () = tokio::time::sleep_until(keep_alive.due()) => {
                if !keep_alive.ask(Instant::now()) {
                    return None;
                }
                let ping = socket.send(Message::Ping(Bytes::new()));
                tokio::time::timeout(WRITE_TIMEOUT, ping).await.ok()?.ok()?;
            }
        }
    }
}
