//! The key the stream's account signs with.

use ::federation::{KeyStatus, RotationCause, RotationProblem};
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::json;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

impl From<RotationProblem> for Problem {
    fn from(problem: RotationProblem) -> Self {
        match problem {
            RotationProblem::Unready(unready) => unready.into(),
            RotationProblem::UnderWay(left) => {
                let count = u64::try_from(left).unwrap_or_default();
                let sentence = sentences::KEY_UNDER_WAY.with([count.into()]);
                Problem::Conflict(problem.to_string()).worded(sentence)
            }
            RotationProblem::NothingToTakeBack => {
                Problem::Conflict(problem.to_string()).worded(sentences::NO_OLD_KEY.plain())
            }
        }
    }
}

/// Why there is to be another key.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewKey {
    /// Somebody else may know the present one: it is deleted and not even used to tell other servers of the new one,
    /// which some of them (GoToSocial, snac) then do not believe until their operators act.
    #[serde(default)]
    compromised: bool,
}

/// The key of the account, and how far the newest one has come.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountKey {
    /// Servers that may know a key of the account: those of followers, and those that were sent something in the last
    /// 30 days.
    known_to: i64,
    /// Until when servers that have not answered get what is signed with the key before; `null` when there is none.
    #[schema(required = true)]
    handover_until: Option<Timestamp>,
    /// Servers that know the key before, and have not answered yet; at most 100 of them.
    waiting_for: Vec<String>,
    /// For how many of them something is still under way.
    under_way: i64,
    /// The last change can be taken back.
    can_take_back: bool,
}

impl From<KeyStatus> for AccountKey {
    fn from(status: KeyStatus) -> Self {
        let KeyStatus {
            previous_until,
            can_take_back,
            progress,
        } = status;
        Self {
            known_to: progress.known_to,
            handover_until: previous_until,
            waiting_for: progress.waiting,
            under_way: progress.under_way,
            can_take_back,
        }
    }
}

/// `GET /api/admin/federation/key`
pub(crate) async fn key(State(app): State<App>) -> Result<Response, Problem> {
    let status = app.federation.key_status().await;
    let status = status.map_err(|error| Problem::from(::federation::Unready::from(error)))?;
    Ok((NO_CACHE, Json(AccountKey::from(status))).into_response())
}

/// `POST /api/admin/federation/rotate-key`
pub(crate) async fn rotate_key(State(app): State<App>, body: Bytes) -> Result<Response, Problem> {
    let new: NewKey = match body.trim_ascii().is_empty() {
        true => NewKey::default(),
        false => json::read(&body)?,
    };
    if new.compromised {
        app.federation
            .rotate_key(RotationCause::Compromised)
            .await?;
        let tables = app.store.federation();
        let known_to = tables.known_host_count(app.clock.now()).await?;
        return Ok(done(&format!(
            "the account has a new key, and the old one is deleted; {known_to} servers may know it, and those that do \
             not ask again (GoToSocial, snac) refuse what you send until their operators act"
        )));
    }
    app.federation.rotate_key(RotationCause::Planned).await?;
    Ok(done(
        "the account has a new key; other servers are being told, one after the other",
    ))
}

/// `POST /api/admin/federation/take-back-key`
pub(crate) async fn take_back_key(State(app): State<App>) -> Result<Response, Problem> {
    app.federation.take_back_key().await?;
    Ok(done(
        "the account has its previous key again; servers that knew the other one are being told",
    ))
}
