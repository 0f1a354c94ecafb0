//! What people do with their own lines.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http_server::json::ApiJson;
use model::MessageId;
use model::sentence::Sentence;
use serde::Deserialize;
use store::OwnDeletion;
use utoipa::ToSchema;

use super::caller::ChatCaller;
use crate::problem::{Problem, done};
use crate::sentences;
use crate::state::{ChatState, Shared};

/// A message of one's own to be deleted.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = OwnMessage)]
pub(crate) struct DeleteOwnRequest {
    #[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    id: Option<String>,
}

/// `POST /api/chat/messages/delete`
pub(crate) async fn delete_own(
    State(chat): State<Shared<ChatState>>,
    Extension(caller): Extension<ChatCaller>,
    ApiJson(body): ApiJson<DeleteOwnRequest>,
) -> Result<Response, Problem> {
    let admitted = chat.room.admit_own_deletion(&caller.user.id);
    admitted.map_err(|retry_after| {
        let sentence = sentences::DELETING_HASTY.plain();
        let problem = Problem::TooMany {
            message: sentence.english(),
            retry_after,
        };
        problem.worded(sentence)
    })?;
    let id = body
        .id
        .ok_or_else(|| Problem::BadRequest("the body has no \"id\"".into()))?;
    let id = MessageId::parse(id).map_err(|error| Problem::BadRequest(error.to_string()))?;
    let refused =
        |text: &str, sentence: Sentence| Err(Problem::BadRequest(text.into()).worded(sentence));
    match chat.room.delete_own(&caller.user.id, id).await? {
        OwnDeletion::Deleted => Ok(done("deleted")),
        OwnDeletion::TooLate => {
            let sentence = sentences::TOO_OLD_TO_DELETE.plain();
            refused("this message is too old to be deleted by you", sentence)
        }
        OwnDeletion::Unknown => {
            refused("you have no such message", sentences::NOT_READABLE.plain())
        }
    }
}
