//! Links by which the operator makes somebody a moderator.

use std::time::Duration;

use access::{random_token, sha256};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http_server::client::ClientInfo;
use http_server::json::ApiJson;
use jiff::Timestamp;
use model::{Secret, TokenId};
use serde::{Deserialize, Serialize};
use store::{Actor, MAX_INVITATIONS, ModeratorInvitation};
use utoipa::ToSchema;

use super::caller::ChatCaller;
use super::lists::list as listed;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

/// Limit (operators): how long a link that makes somebody a moderator can be used; afterwards it is refused.
const INVITATION_LENGTH: Duration = Duration::from_secs(24 * 3600);

/// An invitation that nobody has accepted yet.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ModeratorInvitation)]
pub(crate) struct OpenInvitation {
    id: String,
    created_at: Timestamp,
    expires_at: Timestamp,
}

impl From<&ModeratorInvitation> for OpenInvitation {
    fn from(invitation: &ModeratorInvitation) -> Self {
        Self {
            id: invitation.id.to_string(),
            created_at: invitation.created_at,
            expires_at: invitation.expires_at,
        }
    }
}

/// A new invitation, with what belongs behind the `#` of its link.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewModeratorInvitation)]
pub(crate) struct NewInvitation {
    #[serde(flatten)]
    invitation: OpenInvitation,
    /// Shown this once.
    token: String,
}

/// `POST /api/admin/chat/invitations/create`
pub(crate) async fn invite(State(app): State<App>) -> Result<Response, Problem> {
    let secret = random_token();
    let now = app.clock.now();
    let invitation = ModeratorInvitation {
        id: TokenId::parse(chat::short_id()).map_err(|_| Problem::Internal)?,
        created_at: now,
        expires_at: now + INVITATION_LENGTH,
    };
    let answer = NewInvitation {
        invitation: OpenInvitation::from(&invitation),
        token: secret.expose().to_owned(),
    };
    let hash = sha256(secret.expose()).to_vec();
    let actor = Actor::operator();
    let adding = app.store.add_moderator_invitation(invitation, hash, actor);
    if !adding.await? {
        let text = format!("there are {MAX_INVITATIONS} open invitations: take one back first");
        let count = MAX_INVITATIONS.unsigned_abs();
        let sentence = sentences::INVITATIONS_FULL.with([count.into()]);
        return Err(Problem::Conflict(text).worded(sentence));
    }
    Ok((NO_CACHE, Json(answer)).into_response())
}

/// `GET /api/admin/chat/invitations`
pub(crate) async fn list(State(app): State<App>) -> Result<Response, Problem> {
    let open = app.store.moderator_invitations(app.clock.now()).await?;
    Ok(listed(open.iter().map(OpenInvitation::from)))
}

/// An invitation to be taken back.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ModeratorInvitationRevocation)]
pub(crate) struct RevokeInvitationRequest {
    id: String,
}

/// `POST /api/admin/chat/invitations/revoke`
pub(crate) async fn revoke(
    State(app): State<App>,
    ApiJson(body): ApiJson<RevokeInvitationRequest>,
) -> Result<Response, Problem> {
    let id = TokenId::parse(body.id).map_err(|error| Problem::BadRequest(error.to_string()))?;
    let (actor, at) = (Actor::operator(), app.clock.now());
    let revoking = app.store.revoke_moderator_invitation(id, actor, at);
    if !revoking.await? {
        let text = "this invitation was accepted, has expired or never existed";
        let problem = Problem::BadRequest(text.into());
        return Err(problem.worded(sentences::INVITATION_GONE.plain()));
    }
    Ok(done("taken back"))
}

/// What was behind the `#` of a link.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ModeratorInvitationAcceptance)]
pub(crate) struct Acceptance {
    #[schema(value_type = String)]
    token: Secret,
}

/// `POST /api/chat/invitations/accept`
pub(crate) async fn accept(
    State(app): State<App>,
    Extension(caller): Extension<ChatCaller>,
    Extension(client): Extension<ClientInfo>,
    ApiJson(body): ApiJson<Acceptance>,
) -> Result<Response, Problem> {
    let limiter = &app.rate_limits.invitations;
    let admitted = limiter.admit(client.address, app.clock.uptime());
    admitted.map_err(Problem::too_many_from_address)?;
    // Without an identity the role would be lost with the browser's storage. Nothing is said about the link itself.
    if caller.user.authenticated_at.is_none() {
        let text = "sign in with your own page or your Fediverse account first";
        let problem = Problem::Conflict(text.into());
        return Err(problem.worded(sentences::INVITATION_SIGN_IN.plain()));
    }
    let (hash, now) = (sha256(body.token.expose()), app.clock.now());
    let user = &caller.user.id;
    let accepting = app.store.accept_moderator_invitation(&hash, user, now);
    let Some(moderator) = accepting.await? else {
        // The same words whether it never existed, was used or is too old.
        let text = "this invitation is not valid, or no longer";
        let problem = Problem::Forbidden(text.into());
        return Err(problem.worded(sentences::INVITATION_VOID.plain()));
    };
    app.chat.room.appointed(moderator).await;
    Ok(done("you are a moderator now"))
}
