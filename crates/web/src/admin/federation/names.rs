//! Former names of the account.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

/// A name the account had.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FormerName {
    name: String,
    /// When it got another one.
    until: Timestamp,
}

/// `GET /api/admin/federation/former-names`
pub(crate) async fn former_names(State(app): State<App>) -> Result<Response, Problem> {
    let former = app.store.federation().former_usernames().await?;
    let former: Vec<FormerName> = former
        .into_iter()
        .map(|former| FormerName {
            name: former.name,
            until: former.at,
        })
        .collect();
    Ok((NO_CACHE, Json(former)).into_response())
}

/// `DELETE /api/admin/federation/former-names/{name}`
pub(crate) async fn forget_former_name(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    match app.federation.forget_former_username(&name).await? {
        true => Ok(done("the name is forgotten")),
        false => Err(Problem::NotFound),
    }
}

/// A server that has moved somebody away from a name ignores, for ever, whoever goes back to it.
pub(crate) async fn check_new_name(app: &App, name: &str) -> Result<(), Problem> {
    let former = app.store.federation().former_usernames().await?;
    if former.iter().any(|former| former.name == name) {
        let problem = Problem::Conflict(format!(
            "the account had the name {name} before: servers such as GoToSocial have moved its followers away from it, and ignore it for good when it comes back; choose another name, or send \"confirmed\": true"
        ));
        return Err(problem.worded(sentences::FORMER_NAME.with([name.into()])));
    }
    Ok(())
}
