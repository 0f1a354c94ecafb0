//! Access tokens of bots and overlays, for the operator.

use access::IssueError;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use jiff::Timestamp;
use model::Scope;
use serde::{Deserialize, Serialize};
use store::{MAX_ACCESS_TOKENS, Token, User};
use utoipa::ToSchema;

use crate::openapi::words;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::{BotState, ChatState, Shared};

/// A token as lists show it, or with its secret right after it was made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccessToken {
    id: String,
    /// The secret once, when it was made; its first characters from then on.
    access_token: String,
    display_name: String,
    display_color: i64,
    #[schema(schema_with = words::scopes)]
    scopes: Vec<&'static str>,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_used_at: Option<Timestamp>,
    is_bot: bool,
}

impl AccessToken {
    fn new(token: &Token, user: User, access_token: String) -> Self {
        Self {
            id: token.id.to_string(),
            access_token,
            display_name: user.display_name,
            display_color: user.display_color,
            scopes: token.scopes.iter().map(|scope| scope.as_str()).collect(),
            created_at: token.created_at,
            last_used_at: token.last_used_at,
            is_bot: true,
        }
    }
}

/// A token to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AccessTokenWish)]
pub(crate) struct CreateTokenRequest {
    name: String,
    #[schema(schema_with = words::scopes)]
    scopes: Vec<String>,
}

/// `POST /api/admin/accesstokens/create`
pub(crate) async fn create(
    State(bots): State<Shared<BotState>>,
    ApiJson(request): ApiJson<CreateTokenRequest>,
) -> Result<Response, Problem> {
    let mut scopes: Vec<Scope> = Vec::new();
    for name in &request.scopes {
        let scope = name
            .parse()
            .map_err(|error: model::UnknownScope| Problem::BadRequest(error.to_string()))?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    let name = chat::names::clean(&request.name);
    let issued = bots
        .tokens
        .issue(name, chat::random_color(), scopes)
        .await?;
    let secret = issued.secret.expose().to_owned();
    let name = issued.user.display_name.clone();
    tracing::info!(name, id = %issued.token.id, "access token made");
    let token = AccessToken::new(&issued.token, issued.user, secret);
    Ok((NO_CACHE, Json(token)).into_response())
}

/// `GET /api/admin/accesstokens`
pub(crate) async fn list(State(bots): State<Shared<BotState>>) -> Result<Response, Problem> {
    let tokens = bots.tokens.list().await?.into_iter();
    let tokens: Vec<AccessToken> = tokens
        .map(|(token, user)| {
            let shown = format!("{}…", token.prefix);
            AccessToken::new(&token, user, shown)
        })
        .collect();
    Ok((NO_CACHE, Json(tokens)).into_response())
}

/// A token to be revoked, named by its secret, as existing tools do it, or by its id.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AccessTokenRevocation)]
pub(crate) struct Revocation {
    #[serde(default)]
    token: String,
    #[serde(default)]
    id: String,
}

/// `POST /api/admin/accesstokens/delete`
pub(crate) async fn delete(
    State(bots): State<Shared<BotState>>,
    State(chat): State<Shared<ChatState>>,
    ApiJson(body): ApiJson<Revocation>,
) -> Result<Response, Problem> {
    let named = if body.id.is_empty() {
        body.token
    } else {
        body.id
    };
    if named.is_empty() {
        let text = "say which token: its \"id\", or the secret as \"token\"";
        return Err(Problem::BadRequest(text.into()));
    }
    let Some(id) = bots.tokens.revoke(&named).await? else {
        let problem = Problem::BadRequest("there is no such access token".into());
        return Err(problem.worded(sentences::TOKEN_UNKNOWN.plain()));
    };
    tracing::info!(%id, "access token revoked");
    chat.room.revoke(id).await;
    Ok(done("deleted token"))
}

impl From<IssueError> for Problem {
    fn from(error: IssueError) -> Self {
        match error {
            IssueError::NoName => {
                Problem::BadRequest(error.to_string()).worded(sentences::TOKEN_NO_NAME.plain())
            }
            IssueError::NoScopes => {
                Problem::BadRequest(error.to_string()).worded(sentences::TOKEN_NO_SCOPES.plain())
            }
            IssueError::TooMany => {
                let most = MAX_ACCESS_TOKENS.unsigned_abs();
                let sentence = sentences::TOKENS_FULL.with([most.into()]);
                Problem::BadRequest(error.to_string()).worded(sentence)
            }
            IssueError::Store(error) => error.into(),
        }
    }
}
