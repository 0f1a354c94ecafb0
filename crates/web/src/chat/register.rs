//! `POST /api/chat/register`: a name and a token for a newcomer.

use access::{random_access_token, sha256};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::HeaderMap;
use http_server::client::{ClientInfo, text};
use model::{Secret, TokenId, UserId};
use serde::{Deserialize, Serialize};
use store::{NewUser, Token, UserKind};
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Characters of the token that lists show.
pub(super) const PREFIX_CHARS: usize = 6;

/// How a newcomer wants to be called.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Registration)]
pub(crate) struct RegisterRequest {
    /// Without it, or when it is taken or forbidden, the server chooses one.
    display_name: Option<String>,
}

/// A newcomer's name and token.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Registered)]
pub(crate) struct RegisterResponse {
    #[schema(value_type = String)]
    id: UserId,
    /// Shown this once.
    access_token: String,
    display_name: String,
}

impl RegisterResponse {
    pub(super) fn new(id: UserId, secret: &Secret, display_name: String) -> Self {
        Self {
            id,
            access_token: secret.expose().to_owned(),
            display_name,
        }
    }
}

pub(crate) async fn register(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let limiter = &app.rate_limits.registrations;
    let admitted = limiter.admit(client.address, app.clock.uptime());
    admitted.map_err(|retry_after| Problem::TooMany {
        message: "too many new chatters from your address, please try again later".into(),
        retry_after,
    })?;
    let is_viewer = app.live.stream.is_watched_from(client.address);
    let turn = app
        .chat
        .registration_queue
        .admit(client.address, is_viewer)
        .await;
    turn.map_err(|retry_after| {
        model::stranger_line!(
            warn,
            "registrations",
            "more people are joining than the chat lets in; some were told to try again"
        );
        Problem::TooMany {
            message: "too many people are joining right now, please try again in a moment".into(),
            retry_after,
        }
    })?;
    // A body that cannot be parsed is no reason to turn anybody away.
    let request: RegisterRequest = serde_json::from_slice(&body).unwrap_or_default();
    let forwarded = text(&headers, "x-forwarded-user");
    let wanted = match forwarded {
        "" => request.display_name.unwrap_or_default(),
        name => name.to_owned(),
    };
    let secret = random_access_token();
    let user = NewUser {
        id: chat::new_user_id(),
        kind: UserKind::Standard,
        display_name: app.chat.room.name_for(&wanted),
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
    let suffix = chat::short_id()[..4].to_owned();
    let user = app.store.register_user(user, suffix, token, hash).await?;
    let answer = RegisterResponse::new(user.id, &secret, user.display_name);
    Ok((NO_CACHE, Json(answer)).into_response())
}
