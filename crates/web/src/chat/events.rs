//! `/api/chat/events`: the chat for clients whose sockets do not get through: events arrive over HTTP, messages are
//! sent by POST.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chat::{ClientReceiver, Transport};
use futures_util::stream;
use http::{HeaderMap, StatusCode, Uri, header};
use http_server::client::ClientInfo;
use model::settings::table::chat::DISABLED;
use serde::Deserialize;
use serde_json::json;

use super::caller::{ChatCaller, parameter};
use super::socket::{join_request, refused};
use super::wire::{self, MAX_PAYLOAD_BYTES};
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::{App, ClusterView, Fallbacks, ForwardedSaying};

/// Between two keep-alive comments: proxies close what stays silent for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// One listener; it is removed when the response ends, however it ends.
struct ChatEventStream {
    session: String,
    fallbacks: Fallbacks,
    receiver: ClientReceiver,
    is_new: bool,
}

impl Drop for ChatEventStream {
    fn drop(&mut self) {
        self.fallbacks.remove(&self.session);
    }
}

impl ChatEventStream {
    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_new) {
            let data = json!({ "session": self.session });
            return Some(Bytes::from(format!("event: ready\ndata: {data}\n\n")));
        }
        match tokio::time::timeout(KEEP_ALIVE, self.receiver.next()).await {
            Ok(Ok(frame)) => Some(event(&frame)),
            Ok(Err(_)) => None,
            Err(_) => Some(Bytes::from_static(b": still here\n\n")),
        }
    }
}

#[derive(Deserialize)]
struct EventIdFields<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: Option<&'a str>,
}

impl<'a> EventIdFields<'a> {
    /// The id, if it can be resumed from; private messages are not stored.
    fn resume_id(self) -> Option<&'a str> {
        let is_remembered = matches!(self.kind, "CHAT" | "NAME_CHANGE" | "VISIBILITY-UPDATE");
        self.id.filter(|_| is_remembered)
    }
}

fn event(frame: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(frame.len() + 64);
    let id = serde_json::from_slice::<EventIdFields<'_>>(frame).ok();
    if let Some(id) = id.and_then(EventIdFields::resume_id) {
        event.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    event.extend_from_slice(b"data: ");
    // One document, and JSON contains no bare line breaks.
    event.extend_from_slice(frame);
    event.extend_from_slice(b"\n\n");
    Bytes::from(event)
}

/// `GET`: subscribes.
pub(crate) async fn listen(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if *app.settings.now().get(&DISABLED) {
        return Ok("CHAT_DISABLED".into_response());
    }
    let mut join_request = join_request(caller, &client, &headers, &uri, Transport::Events);
    if join_request.last_event_id.is_none() {
        let last = http_server::client::text(&headers, "last-event-id");
        join_request.last_event_id = model::MessageId::parse(last).ok();
    }
    let (sender, receiver) = match app.chat.room.enter(join_request).await {
        Ok(entered) => entered,
        Err(refusal) => return refused(refusal),
    };
    app.chat.registration_queue.remember(client.address);
    let machine = app.cluster.as_ref().map(|cluster| cluster.own_number());
    let listening = ChatEventStream {
        session: app.chat.fallbacks.add(sender, machine),
        fallbacks: app.chat.fallbacks.clone(),
        receiver,
        is_new: true,
    };
    let events = stream::unfold(listening, |mut listening| async move {
        let event = listening.next().await?;
        Some((Ok::<_, Infallible>(event), listening))
    });
    let kind = [
        (header::CONTENT_TYPE, "text/event-stream"),
        // nginx would otherwise buffer the events.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((NO_CACHE, kind, Body::from_stream(events)).into_response())
}

/// `POST`: sends a message.
pub(crate) async fn say(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    uri: Uri,
    body: Bytes,
) -> Result<Response, Problem> {
    let text = std::str::from_utf8(&body).ok();
    let text = text.filter(|text| text.len() <= MAX_PAYLOAD_BYTES);
    let said = ForwardedSaying {
        session: parameter(&uri, "session").unwrap_or_default(),
        user: caller.user.id,
        text: text.map(str::to_owned),
    };
    if say_here(&app, &said).await {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let is_heard = match listener_elsewhere(&app, &said.session) {
        None => false,
        Some((cluster, number)) => {
            let answer = cluster.forward(number, said).await;
            let away = || Problem::Unavailable("the machine you listen to does not answer".into());
            answer.ok_or_else(away)?
        }
    };
    match is_heard {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Problem::NotFound),
    }
}

/// The machine that a session is at, if it is another one.
fn listener_elsewhere<'a>(app: &'a App, session: &str) -> Option<(&'a dyn ClusterView, i64)> {
    let cluster = app.cluster.as_deref()?;
    let number = Fallbacks::machine_of(session)?;
    (number != cluster.own_number()).then_some((cluster, number))
}

/// Takes what somebody said who listens to this machine; false if nobody does with this session.
pub async fn say_here(app: &App, said: &ForwardedSaying) -> bool {
    let sender = app.chat.fallbacks.find(&said.session);
    let Some(sender) = sender.filter(|sender| sender.user().id == said.user) else {
        return false;
    };
    match &said.text {
        Some(text) => {
            for message in wire::read(text) {
                sender.say(message).await;
            }
        }
        None => sender.too_long().await,
    }
    true
}
