//! The operator as somebody in the chat.

use access::{random_access_token, sha256};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use model::TokenId;
use store::{NewUser, Token, UserKind};

use super::register::{PREFIX_CHARS, RegisterResponse};
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// `POST /api/admin/chat/operator`: a token for the operator's own user, who has the server's name and moderates.
pub(crate) async fn chat_as_operator(State(app): State<App>) -> Result<Response, Problem> {
    let secret = random_access_token();
    let user = NewUser {
        id: chat::new_user_id(),
        kind: UserKind::Standard,
        display_name: app.chat.room.operator_name(),
        display_color: chat::random_color(),
    };
    let token = Token {
        id: TokenId::parse(chat::short_id()).map_err(|_| Problem::Internal)?,
        user_id: user.id.clone(),
        prefix: secret.expose().chars().take(PREFIX_CHARS).collect(),
        scopes: Vec::new(),
        created_at: app.clock.now(),
        last_used_at: None,
    };
    let hash = sha256(secret.expose()).to_vec();
    let user = app.store.chat_as_operator(user, token, hash).await?;
    // Other browsers of the operator may be in the chat under the name that the server had before.
    app.chat.room.changed(user.clone()).await;
    tracing::info!(user = %user.id, "the operator chats under the name of the server");
    let answer = RegisterResponse::new(user.id, &secret, user.display_name);
    Ok((NO_CACHE, Json(answer)).into_response())
}
