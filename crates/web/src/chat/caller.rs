//! Authenticates chat users and moderators by their chat token.

use std::time::Duration;

use access::sha256;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, Uri};
use http_server::client::ClientInfo;
use model::TokenId;
use plugins::host::wire::User as WireUser;
use store::{Actor, StoreError, Token, User};
use url::form_urlencoded;

use crate::access_rule::Access;
use crate::plugins::session_token;
use crate::problem::Problem;
use crate::state::App;

/// Longest token that is looked at; ours are 44 characters.
const MAX_TOKEN_CHARS: usize = 128;

/// How often the use of a token is noted.
const NOTED_EVERY: Duration = Duration::from_secs(24 * 3600);

/// The owner of a valid token.
#[derive(Clone, Debug)]
pub(crate) struct ChatCaller {
    pub(crate) user: User,
    pub(crate) token_id: TokenId,
    /// The hash under which the store knows the token, however the token was sent.
    pub(crate) token_hash: [u8; 32],
}

impl ChatCaller {
    /// The actor for the moderation log.
    pub(crate) fn actor(&self) -> Actor {
        Actor {
            id: self.user.id.to_string(),
            name: self.user.display_name.clone(),
        }
    }
}

/// A decoded query parameter.
pub(crate) fn parameter(uri: &Uri, name: &str) -> Option<String> {
    let query = uri.query()?;
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (_, value) = pairs.find(|(key, _)| key == name)?;
    Some(value.into_owned())
}

/// The chat token of a request: from the query, or else from the session of a plugin's sign-in.
pub(crate) async fn token_of(app: &App, uri: &Uri, headers: &HeaderMap) -> Option<String> {
    if let Some(token) = parameter(uri, "accessToken") {
        return Some(token);
    }
    let token = session_token(app, headers).await?;
    Some(token.expose().to_owned())
}

/// The requesting user as plugins see them; `None` when banned or when the lookup fails.
pub(crate) async fn viewer(app: &App, uri: &Uri, headers: &HeaderMap) -> Option<WireUser> {
    let token = token_of(app, uri, headers).await?;
    viewer_by_token(app, &token).await
}

/// The same for a known token.
pub(crate) async fn viewer_by_token(app: &App, token: &str) -> Option<WireUser> {
    is_possible(token).then_some(())?;
    viewer_by_hash(app, &sha256(token)).await
}

/// The same for a token of which only the hash is known.
pub(crate) async fn viewer_by_hash(app: &App, token_hash: &[u8; 32]) -> Option<WireUser> {
    let caller = by_hash(app, *token_hash).await;
    let caller = caller.inspect_err(|error| {
        model::stranger_line!(warn, "viewer", %error, "cannot look up a chat user");
    });
    let user = caller.ok()??.user;
    (user.disabled_at.is_none()).then(|| WireUser::from(&user.public()))
}

/// The owner of a token.
pub(crate) async fn by_token(app: &App, token: &str) -> Result<Option<ChatCaller>, StoreError> {
    match is_possible(token) {
        true => by_hash(app, sha256(token)).await,
        false => Ok(None),
    }
}

fn is_possible(token: &str) -> bool {
    !token.is_empty() && token.len() <= MAX_TOKEN_CHARS
}

async fn by_hash(app: &App, token_hash: [u8; 32]) -> Result<Option<ChatCaller>, StoreError> {
    let mut found = app.store.user_by_token(&token_hash).await?;
    if let Some((_, user)) = &found
        && user.disabled_at.is_some()
        && !user.is_banned(app.clock.now())
    {
        // Their ban is over, and they are the first to notice.
        app.chat.room.lift_ended_bans().await?;
        found = app.store.user_by_token(&token_hash).await?;
    }
    if let Some((token, _)) = &found {
        note_use(app, token);
    }
    Ok(found.map(|(token, user)| ChatCaller {
        user,
        token_id: token.id,
        token_hash,
    }))
}

/// Records that a user was active, the first time and then once a day: users who never connect, or never return, are
/// deleted.
fn note_use(app: &App, token: &Token) {
    let now = app.clock.now();
    if token
        .last_used_at
        .is_some_and(|last| now < last + NOTED_EVERY)
    {
        return;
    }
    let (store, id) = (app.store.clone(), token.id.clone());
    tokio::spawn(async move {
        if let Err(error) = store.touch_token(&id, now).await {
            tracing::debug!(%error, "cannot record the use of a token");
        }
    });
}

/// A chat user who may speak.
pub(crate) async fn caller(
    app: &App,
    client: &ClientInfo,
    token: Option<String>,
) -> Option<ChatCaller> {
    let caller = by_token(app, &token?).await.ok()??;
    let is_welcome = caller.user.disabled_at.is_none() && !app.chat.room.is_banned(client.address);
    is_welcome.then_some(caller)
}

/// The access rules for routes of chat users and moderators.
pub(crate) async fn check(app: App, access: Access, mut request: Request, next: Next) -> Response {
    let token = token_of(&app, request.uri(), request.headers()).await;
    let token = token.unwrap_or_default();
    let caller = match by_token(&app, &token).await {
        Ok(caller) => caller,
        Err(error) => return Problem::from(error).into_response(),
    };
    let Some(caller) = caller.filter(|caller| caller.user.disabled_at.is_none()) else {
        return unauthorized();
    };
    let client = request.extensions().get::<ClientInfo>();
    let is_kept_out = client.is_some_and(|client| app.chat.room.is_banned(client.address));
    let may = match access {
        Access::Moderator => caller.user.is_moderator,
        _ => !is_kept_out,
    };
    if !may {
        return unauthorized();
    }
    request.extensions_mut().insert(caller);
    next.run(request).await
}

/// The answer to every request whose token is not good enough.
fn unauthorized() -> Response {
    (StatusCode::UNAUTHORIZED, "unauthorized").into_response()
}
