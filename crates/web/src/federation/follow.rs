//! Remote follow: finds the address where a visitor's own server lets them follow this one.

use ::federation::Unready;
use ::federation::lookup::{FollowFromError, LookupError};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http_server::client::ClientInfo;
use http_server::json::ApiJson;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

impl From<Unready> for Problem {
    fn from(unready: Unready) -> Self {
        let sentence = match unready {
            Unready::Off => &sentences::FEDERATION_OFF,
            Unready::NoAddress => &sentences::FEDERATION_NO_ADDRESS,
            Unready::Insecure => &sentences::FEDERATION_INSECURE,
            Unready::Identity(_) => return Problem::Internal,
        };
        Problem::BadRequest(unready.to_string()).worded(sentence.plain())
    }
}

impl From<FollowFromError> for Problem {
    fn from(error: FollowFromError) -> Self {
        tracing::debug!(?error, "nobody can follow from there");
        let text = error.to_string();
        match error {
            FollowFromError::Unready(unready) => unready.into(),
            FollowFromError::Lookup(error) => not_found(&error),
            FollowFromError::NoPage(address) => {
                let sentence = sentences::NO_FOLLOW_PAGE.with([address.into()]);
                Problem::BadRequest(text).worded(sentence)
            }
        }
    }
}

/// An account or a server that was typed cannot be used.
pub(super) fn not_found(error: &LookupError) -> Problem {
    let sentence = match error {
        LookupError::Account => &sentences::ACCOUNT_INVALID,
        LookupError::Address => &sentences::SERVER_INVALID,
        LookupError::Unreachable(_) => &sentences::SERVER_UNREACHABLE,
        LookupError::Refused => &sentences::ACCOUNT_REFUSED,
        LookupError::Unknown => &sentences::ACCOUNT_UNKNOWN,
        LookupError::Answer(_) => &sentences::SERVER_ANSWER,
    };
    Problem::BadRequest(error.to_string()).worded(sentence.plain())
}

/// Whose server is asked.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = RemoteFollow)]
pub(crate) struct RemoteFollowRequest {
    /// `@name@server.example`
    account: String,
}

/// Where the browser has to go.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RemoteFollowBegun)]
pub(crate) struct RemoteFollowRedirect {
    #[schema(value_type = String)]
    redirect_url: Url,
}

/// `POST /api/remotefollow`
pub(crate) async fn remote_follow(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    ApiJson(request): ApiJson<RemoteFollowRequest>,
) -> Result<Response, Problem> {
    let limiter = &app.rate_limits.follow;
    let admitted = limiter.admit(client.address, app.clock.uptime());
    admitted.map_err(Problem::too_many_from_address)?;
    let redirect_url = app.federation.follow_from(&request.account).await?;
    Ok((NO_CACHE, Json(RemoteFollowRedirect { redirect_url })).into_response())
}
