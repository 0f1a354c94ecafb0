//! Pins a message above the chat.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http_server::json::ApiJson;
use model::MessageId;
use serde::Deserialize;
use store::Actor;
use utoipa::ToSchema;

use super::caller::ChatCaller;
use crate::problem::{Problem, done};
use crate::sentences;
use crate::state::{ChatState, Shared};

/// A message to stand above the chat, or no longer to.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Pin)]
pub(crate) struct PinRequest {
    #[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    id: Option<String>,
    #[schema(value_type = bool)]
    pinned: Option<bool>,
}

async fn change_pin(chat: &ChatState, body: PinRequest, actor: Actor) -> Result<Response, Problem> {
    let (Some(id), Some(pinned)) = (body.id, body.pinned) else {
        let text = "the body needs \"id\" and \"pinned\"";
        return Err(Problem::BadRequest(text.into()));
    };
    let id = MessageId::parse(id).map_err(|error| Problem::BadRequest(error.to_string()))?;
    if !pinned {
        // Somebody may have been faster.
        chat.room.unpin(id, actor).await?;
        return Ok(done("unpinned"));
    }
    if !chat.room.pin(id, actor).await? {
        let text = "there is no such message that everybody can read";
        let problem = Problem::BadRequest(text.into());
        return Err(problem.worded(sentences::NOT_READABLE.plain()));
    }
    Ok(done("pinned"))
}

/// `POST /api/admin/chat/pin`
pub(crate) async fn pin(
    State(chat): State<Shared<ChatState>>,
    ApiJson(body): ApiJson<PinRequest>,
) -> Result<Response, Problem> {
    change_pin(&chat, body, Actor::operator()).await
}

/// `POST /api/chat/pin`
pub(crate) async fn pin_by_moderator(
    State(chat): State<Shared<ChatState>>,
    Extension(caller): Extension<ChatCaller>,
    ApiJson(body): ApiJson<PinRequest>,
) -> Result<Response, Problem> {
    change_pin(&chat, body, caller.actor()).await
}
