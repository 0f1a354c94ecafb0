//! Actions of an author on a plugin: chat lines and events.

use ::plugin_tools::dev_server::{EventError, LineOutcome};
use ::plugins::host::wire::{ChatMessage, User};
use axum::Json;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::{DevServerState, named};

/// Bytes of a line or an event with all that is around it. A larger body is answered by 413.
pub(super) const MAX_INPUT_BYTES: usize = 256 * 1024;

/// Characters of one line. A server takes fewer; a plugin may be tried with more, but not with anything.
const MAX_LINE_CHARS: usize = 5000;

/// Characters of a name or an event's type. A longer one is refused.
const MAX_NAME_CHARS: usize = 200;

/// The answer when an action is rejected, with the reason.
type ErrorReply = (StatusCode, String);

/// Who says something when nobody is named.
const SOMEBODY: &str = "dev-user";

/// The author of a line.
#[derive(Deserialize)]
#[serde(untagged)]
enum LineAuthor {
    Named(String),
    Known(Box<User>),
}

#[derive(Deserialize)]
struct ChatInput {
    user: Option<LineAuthor>,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
struct EventInput {
    #[serde(default, rename = "type")]
    event: String,
    payload: Option<Box<RawValue>>,
}

/// The outcome of a line; the field order is the wire order.
#[derive(Serialize)]
struct ChatVerdict {
    allowed: bool,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Box<ChatMessage>>,
}

/// The chat, serialized directly so that its fields keep their order.
#[derive(Serialize)]
struct Messages {
    messages: Vec<ChatMessage>,
}

/// `GET /_dev/chat`
pub(super) async fn chat(State(server): State<DevServerState>) -> Response {
    let messages = server.0.dev_server.sample_server().chat();
    Json(Messages { messages }).into_response()
}

/// `POST /_dev/chat`
pub(super) async fn say(
    State(server): State<DevServerState>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ErrorReply> {
    let line: ChatInput = read(body)?;
    within("body", &line.body, MAX_LINE_CHARS)?;
    let user = match line.user {
        Some(LineAuthor::Known(user)) if *user != User::default() => *user,
        Some(LineAuthor::Named(name)) if !name.trim().is_empty() => named(name.clone(), name),
        _ => named(SOMEBODY.to_owned(), SOMEBODY.to_owned()),
    };
    within("user.id", &user.id, MAX_NAME_CHARS)?;
    within("user.displayName", &user.display_name, MAX_NAME_CHARS)?;
    let judged = match server.0.dev_server.say(user, &line.body).await {
        LineOutcome::Allowed(message) => ChatVerdict {
            allowed: true,
            reason: String::new(),
            message: Some(message),
        },
        LineOutcome::Dropped(reason) => ChatVerdict {
            allowed: false,
            reason,
            message: None,
        },
    };
    Ok(Json(judged).into_response())
}

/// `POST /_dev/event`
pub(super) async fn tell(
    State(server): State<DevServerState>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ErrorReply> {
    let happening: EventInput = read(body)?;
    let event = happening.event.trim();
    if event.is_empty() {
        return Err(refused(
            "type is missing: name an event, such as stream.started",
        ));
    }
    within("type", event, MAX_NAME_CHARS)?;
    let nothing = RawValue::from_string("{}".to_owned()).ok();
    let payload = happening.payload.or(nothing);
    let payload = payload.ok_or_else(|| refused("the payload cannot be read"))?;
    match server.0.dev_server.tell(event, &payload).await {
        Ok(()) => Ok(Json(json!({ "dispatched": event })).into_response()),
        Err(error) => {
            let status = match error {
                EventError::NoMessage(_) => StatusCode::BAD_REQUEST,
                EventError::NotRunning => StatusCode::SERVICE_UNAVAILABLE,
            };
            Err((status, format!("{error}\n")))
        }
    }
}

fn read<T: DeserializeOwned>(body: Result<Bytes, BytesRejection>) -> Result<T, ErrorReply> {
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let why = format!("the body is larger than {} KiB\n", MAX_INPUT_BYTES / 1024);
            (StatusCode::PAYLOAD_TOO_LARGE, why)
        }
        status => (status, format!("{}\n", rejection.body_text())),
    })?;
    serde_json::from_slice(&body).map_err(|error| refused(&format!("invalid JSON body: {error}")))
}

fn within(name: &str, text: &str, most: usize) -> Result<(), ErrorReply> {
    match text.chars().count() {
        count if count > most => Err(refused(&format!(
            "{name} has {count} characters, at most {most} are allowed"
        ))),
        _ => Ok(()),
    }
}

fn refused(why: &str) -> ErrorReply {
    (StatusCode::BAD_REQUEST, format!("{why}\n"))
}
