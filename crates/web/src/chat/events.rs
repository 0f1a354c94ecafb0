//! `/api/chat/events`: the chat for those whose sockets are broken on the way: events come by HTTP, words go by POST.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chat::{Ear, Speaker, Transport};
use futures_util::stream;
use http::{HeaderMap, StatusCode, Uri, header};
use model::settings::table::chat::DISABLED;
use serde::Deserialize;
use serde_json::json;

use super::caller::{ChatCaller, parameter};
use super::socket::{guest, refused};
use super::wire::{self, MAX_PAYLOAD_BYTES};
use crate::app::App;
use crate::client::Client;
use crate::problem::Problem;
use crate::public::NO_CACHE;

/// Proxies close what stays silent for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Who listens this way, by the secret they speak with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fallbacks(Arc<Mutex<HashMap<String, Arc<Speaker>>>>);

impl Fallbacks {
    fn add(&self, speaker: Speaker) -> String {
        let session = access::random_token().expose().to_owned();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(session.clone(), Arc::new(speaker));
        session
    }

    fn find(&self, session: &str) -> Option<Arc<Speaker>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(session).cloned()
    }

    fn remove(&self, session: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(session);
    }
}

/// One listener; it is forgotten when the answer ends, however it ends.
struct Listening {
    session: String,
    fallbacks: Fallbacks,
    ear: Ear,
    is_new: bool,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.fallbacks.remove(&self.session);
    }
}

impl Listening {
    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_new) {
            let data = json!({ "session": self.session });
            return Some(Bytes::from(format!("event: ready\ndata: {data}\n\n")));
        }
        match tokio::time::timeout(KEEP_ALIVE, self.ear.next()).await {
            Ok(Ok(frame)) => Some(event(&frame)),
            Ok(Err(_)) => None,
            Err(_) => Some(Bytes::from_static(b": still here\n\n")),
        }
    }
}

#[derive(Deserialize)]
struct Identified<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: Option<&'a str>,
}

impl<'a> Identified<'a> {
    /// The id, if one can go on from there: what was said in private is not remembered.
    fn resume_id(self) -> Option<&'a str> {
        let is_remembered = matches!(self.kind, "CHAT" | "NAME_CHANGE" | "VISIBILITY-UPDATE");
        self.id.filter(|_| is_remembered)
    }
}

fn event(frame: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(frame.len() + 64);
    let id = serde_json::from_slice::<Identified<'_>>(frame).ok();
    if let Some(id) = id.and_then(Identified::resume_id) {
        event.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    event.extend_from_slice(b"data: ");
    // One document, and JSON has no bare line breaks.
    event.extend_from_slice(frame);
    event.extend_from_slice(b"\n\n");
    Bytes::from(event)
}

/// `GET`: listens.
pub(crate) async fn listen(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    Extension(client): Extension<Client>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if *app.settings.now().get(&DISABLED) {
        return Ok("CHAT_DISABLED".into_response());
    }
    let mut guest = guest(caller, &client, &headers, &uri, Transport::Events);
    if guest.last_heard.is_none() {
        let last = crate::client::text(&headers, "last-event-id");
        guest.last_heard = model::MessageId::parse(last).ok();
    }
    let (speaker, ear) = match app.chat.enter(guest).await {
        Ok(entered) => entered,
        Err(refusal) => return refused(refusal),
    };
    app.registration_queue.remember(client.address);
    let listening = Listening {
        session: app.fallbacks.add(speaker),
        fallbacks: app.fallbacks.clone(),
        ear,
        is_new: true,
    };
    let events = stream::unfold(listening, |mut listening| async move {
        let event = listening.next().await?;
        Some((Ok::<_, Infallible>(event), listening))
    });
    let kind = [
        (header::CONTENT_TYPE, "text/event-stream"),
        // nginx would keep the events until it has a buffer full of them.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((NO_CACHE, kind, Body::from_stream(events)).into_response())
}

/// `POST`: says something.
pub(crate) async fn say(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    uri: Uri,
    body: Bytes,
) -> Result<Response, Problem> {
    let session = parameter(&uri, "session").unwrap_or_default();
    let speaker = app.fallbacks.find(&session);
    let Some(speaker) = speaker.filter(|speaker| speaker.user().id == caller.user.id) else {
        return Err(Problem::NotFound);
    };
    let text = std::str::from_utf8(&body);
    match text {
        Ok(text) if text.len() <= MAX_PAYLOAD_BYTES => {
            for said in wire::read(text) {
                speaker.say(said).await;
            }
        }
        _ => speaker.too_long().await,
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}
