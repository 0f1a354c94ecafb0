//! Signing in to the chat with a Fediverse account: a code is sent to the account and entered here.

use ::federation::codes::CodeProblem;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http_server::client::ClientInfo;
use http_server::json::ApiJson;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::chat::ChatCaller;
use crate::federation::follow::not_found;
use crate::problem::{Problem, done};
use crate::sentences;
use crate::state::App;

/// As the store and lists call it.
const PROVIDER: &str = "Fediverse";

impl From<CodeProblem> for Problem {
    fn from(problem: CodeProblem) -> Self {
        tracing::debug!(error = ?problem, "a chat sign-in code was refused");
        let text = problem.to_string();
        let too_many = |message| Problem::TooMany {
            message,
            retry_after: ::federation::codes::CODE_LENGTH,
        };
        let (problem, sentence) = match problem {
            CodeProblem::Store(error) => return error.into(),
            CodeProblem::Unready(unready) => return unready.into(),
            CodeProblem::Lookup(error) => return not_found(&error),
            CodeProblem::Busy => (Problem::Unavailable(text), &sentences::SIGN_INS_BUSY),
            CodeProblem::Unreached => (Problem::Unavailable(text), &sentences::CODE_UNREACHED),
            CodeProblem::Enough => (too_many(text), &sentences::CODE_ENOUGH),
            CodeProblem::Hasty => (too_many(text), &sentences::CODE_HASTY),
            CodeProblem::Wrong => (Problem::Forbidden(text), &sentences::CODE_WRONG),
            CodeProblem::Void => (Problem::Forbidden(text), &sentences::CODE_VOID),
            CodeProblem::Unknown => (Problem::Forbidden(text), &sentences::CODE_UNKNOWN),
            CodeProblem::NobodyThere => (Problem::BadRequest(text), &sentences::CODE_NOBODY),
        };
        problem.worded(sentence.plain())
    }
}

/// Where a code is to be sent.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = CodeWish)]
pub(crate) struct SignInCodeRequest {
    /// `@name@server.example`
    account: String,
}

/// `POST /api/auth/fediverse`
pub(crate) async fn begin(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    Extension(client): Extension<ClientInfo>,
    ApiJson(request): ApiJson<SignInCodeRequest>,
) -> Result<Response, Problem> {
    let limiter = &app.rate_limits.codes;
    let admitted = limiter.admit(client.address, app.clock.uptime());
    admitted.map_err(Problem::too_many_from_address)?;
    let sending = app.federation.send_code(&request.account, &caller.user.id);
    let handle = sending.await?;
    Ok(done(&format!("a code was sent to {handle}")))
}

/// What came.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Code)]
pub(crate) struct SignInCode {
    /// Six digits.
    code: String,
}

/// `POST /api/auth/fediverse/verify`
pub(crate) async fn finish(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    ApiJson(body): ApiJson<SignInCode>,
) -> Result<Response, Problem> {
    let user = &caller.user.id;
    let proven = app.federation.prove_code(user, &body.code).await?;
    let (hash, at) = (caller.token_hash.to_vec(), app.clock.now());
    let attached = app
        .store
        .attach_identity(PROVIDER, proven.actor, user, hash, at);
    let Some(attached) = attached.await? else {
        let text = "the chat user you started with no longer exists";
        return Err(Problem::BadRequest(text.into()));
    };
    app.chat
        .room
        .identified(user, attached.token, attached.user)
        .await;
    Ok(done(&format!("you are signed in as {}", proven.handle)))
}
