//! What bots do and read in the chat.

use access::Bearer;
use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use http_server::json::ApiJson;
use serde::Deserialize;
use store::{Actor, PostResult};
use utoipa::ToSchema;

use crate::chat::{
    VisibilityRequest, change_visibility, clients_without_addresses, past_lines, user_details_of,
};
use crate::problem::{Problem, done};
use crate::state::{App, ChatState, Shared};

/// Limit (clients): characters of a chat message from a bot; a longer one is refused.
const MAX_TEXT_CHARS: usize = 10_000;

/// Something to be said, in Markdown.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct BotText {
    /// What to say.
    body: String,
}

impl BotText {
    fn checked(self) -> Result<String, Problem> {
        let count = self.body.chars().count();
        if count > MAX_TEXT_CHARS {
            let text =
                format!("\"body\" has {count} characters, at most {MAX_TEXT_CHARS} are allowed");
            return Err(Problem::BadRequest(text));
        }
        if self.body.contains('\0') {
            let text = "\"body\" must not contain NUL characters";
            return Err(Problem::BadRequest(text.into()));
        }
        Ok(self.body)
    }
}

/// `POST /api/integrations/chat/system`
pub(crate) async fn say_system(
    State(chat): State<Shared<ChatState>>,
    ApiJson(text): ApiJson<BotText>,
) -> Result<Response, Problem> {
    chat.room.say_system(text.checked()?).await?;
    Ok(done("sent"))
}

/// `POST /api/integrations/chat/action`
pub(crate) async fn say_action(
    State(chat): State<Shared<ChatState>>,
    ApiJson(text): ApiJson<BotText>,
) -> Result<Response, Problem> {
    chat.room.say_action(text.checked()?).await?;
    Ok(done("sent"))
}

/// `POST /api/integrations/chat/send`
pub(crate) async fn say_as_bot(
    State(chat): State<Shared<ChatState>>,
    Extension(bearer): Extension<Bearer>,
    ApiJson(text): ApiJson<BotText>,
) -> Result<Response, Problem> {
    let posting = chat.room.say_as(bearer.user, text.checked()?).await?;
    match posting {
        Some(PostResult::Posted(_)) => Ok(done("sent")),
        None => Err(Problem::BadRequest("invalid message".into())),
        Some(_) => {
            let text = "the user of this token has been muted or banned";
            Err(Problem::BadRequest(text.into()))
        }
    }
}

/// `POST /api/integrations/chat/system/client/{clientId}`: whoever is not there does not hear it.
pub(crate) async fn say_to_client(
    State(chat): State<Shared<ChatState>>,
    client_id: Result<Path<u64>, PathRejection>,
    ApiJson(text): ApiJson<BotText>,
) -> Result<Response, Problem> {
    let Path(client_id) = client_id.map_err(|_| {
        Problem::BadRequest("the client id in the path must be a whole number".into())
    })?;
    chat.room.say_to(client_id, text.checked()?).await;
    Ok(done("sent"))
}

/// `POST /api/integrations/chat/messagevisibility`
pub(crate) async fn set_visibility(
    State(app): State<App>,
    Extension(bearer): Extension<Bearer>,
    ApiJson(body): ApiJson<VisibilityRequest>,
) -> Result<Response, Problem> {
    let actor = Actor {
        id: bearer.user.id.to_string(),
        name: bearer.user.display_name,
    };
    change_visibility(&app, body, actor).await
}

/// `POST /api/integrations/chat/user`, which old bots may still know.
pub(crate) async fn was_removed() -> Problem {
    let text = "this endpoint is gone: send messages with POST /api/integrations/chat/send";
    Problem::BadRequest(text.into())
}

/// `GET /api/integrations/chat`
pub(crate) async fn history(State(app): State<App>) -> Response {
    past_lines(&app)
}

/// `GET /api/integrations/clients`
pub(crate) async fn clients(State(app): State<App>) -> Response {
    clients_without_addresses(&app).await
}

/// `GET /api/integrations/moderation/chat/user/{userId}`
pub(crate) async fn user_details(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    user_details_of(&app, id).await
}
