//! Quotes of the stream's posts, and revoking them.

use ::federation::quotes::QuoteError;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use store::federation::QuoteAuthorization;
use utoipa::ToSchema;

use crate::federation::PageQuery;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::state::App;

impl From<QuoteError> for Problem {
    fn from(error: QuoteError) -> Self {
        match error {
            QuoteError::Unknown => Problem::NotFound,
            QuoteError::Store(error) => error.into(),
            QuoteError::Unready(unready) => unready.into(),
        }
    }
}

/// Who quotes, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Quotes {
    total: i64,
    results: Vec<Quote>,
}

/// A post that may quote one of ours.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Quote {
    /// For taking it back: the last part of `stamp`.
    id: String,
    /// The address of the grant.
    stamp: String,
    /// Who quotes.
    #[serde(rename = "actorIRI")]
    actor_iri: String,
    /// Their post.
    quote_post: String,
    /// Ours.
    quoted_post: String,
    timestamp: Timestamp,
    /// Taken back since.
    #[schema(required = true)]
    revoked_at: Option<Timestamp>,
}

impl From<QuoteAuthorization> for Quote {
    fn from(stored: QuoteAuthorization) -> Self {
        let grant = stored.grant;
        let id = grant.iri.rsplit('/').next().unwrap_or_default();
        Self {
            id: id.to_owned(),
            actor_iri: grant.requester,
            quote_post: grant.quote_post,
            quoted_post: grant.quoted_post,
            timestamp: stored.created_at,
            revoked_at: stored.revoked_at,
            stamp: grant.iri,
        }
    }
}

/// `GET /api/admin/federation/quotes`
pub(crate) async fn list(
    State(app): State<App>,
    part: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (offset, limit) = PageQuery::read(part)?;
    let tables = app.store.federation();
    let (found, total) = tables.quote_authorizations_page(offset, limit).await?;
    let results = found.into_iter().map(Quote::from).collect();
    Ok((NO_CACHE, Json(Quotes { total, results })).into_response())
}

/// `DELETE /api/admin/federation/quotes/{stamp}`
pub(crate) async fn revoke(
    State(app): State<App>,
    Path(stamp): Path<String>,
) -> Result<Response, Problem> {
    app.federation.revoke_quote(&stamp).await?;
    Ok(done("quote revoked"))
}
