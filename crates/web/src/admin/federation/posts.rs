//! Posts that others wrote to the stream's account, and their reports. Only the operator reads them.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use model::fediverse::RemotePost;
use serde::Serialize;
use store::federation::{AbuseReport, InboundPost};
use utoipa::ToSchema;

use crate::federation::PageQuery;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::state::App;

/// Replies and mentions, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InboundPosts {
    total: i64,
    results: Vec<WirePost>,
}

/// A reply or a mention.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InboundPost)]
pub(crate) struct WirePost {
    /// For deleting it here.
    id: i64,
    /// `reply` or `mention`
    kind: &'static str,
    received_at: Timestamp,
    actor: WireActor,
    /// Sanitised HTML.
    content: String,
    content_text: String,
    url: String,
    #[schema(required = true)]
    posted_at: Option<Timestamp>,
    #[schema(required = true)]
    in_reply_to: Option<String>,
    attachments: Vec<WireAttachment>,
    #[schema(required = true)]
    language: Option<String>,
    /// `public`, `unlisted`, `followers` or `direct`
    visibility: &'static str,
}

/// Who wrote it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InboundPostActor)]
pub(crate) struct WireActor {
    #[serde(rename = "actorIRI")]
    iri: String,
    name: String,
    handle: String,
    #[schema(required = true)]
    url: Option<String>,
    #[schema(required = true)]
    image: Option<String>,
}

/// What hangs on it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InboundPostAttachment)]
pub(crate) struct WireAttachment {
    url: String,
    #[schema(required = true)]
    media_type: Option<String>,
    #[schema(required = true)]
    alt: Option<String>,
}

impl From<InboundPost> for WirePost {
    fn from(inbound: InboundPost) -> Self {
        let RemotePost {
            actor,
            content,
            content_text,
            url,
            posted_at,
            in_reply_to,
            attachments,
            language,
            visibility,
        } = inbound.post;
        let attachments = attachments.into_iter().map(|attachment| WireAttachment {
            url: attachment.url,
            media_type: attachment.media_type,
            alt: attachment.alt,
        });
        Self {
            id: inbound.id,
            kind: inbound.kind.as_str(),
            received_at: inbound.created_at,
            actor: WireActor {
                iri: actor.iri,
                name: actor.name,
                handle: actor.handle,
                url: actor.url,
                image: actor.image,
            },
            content,
            content_text,
            url,
            posted_at,
            in_reply_to,
            attachments: attachments.collect(),
            language,
            visibility: visibility.as_str(),
        }
    }
}

/// `GET /api/admin/federation/inbox`
pub(crate) async fn list(
    State(app): State<App>,
    part: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (offset, limit) = PageQuery::read(part)?;
    let tables = app.store.federation();
    let (found, total) = tables.inbound_posts_page(offset, limit).await?;
    let results = found.into_iter().map(WirePost::from).collect();
    Ok((NO_CACHE, Json(InboundPosts { total, results })).into_response())
}

/// `DELETE /api/admin/federation/inbox/{id}`
pub(crate) async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let id = id.parse().map_err(|_| Problem::NotFound)?;
    match app.store.federation().dismiss_inbound_post(id).await? {
        true => Ok(done("post deleted")),
        false => Err(Problem::NotFound),
    }
}

/// Complaints of other servers, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reports {
    total: i64,
    results: Vec<WireReport>,
}

/// A complaint about the stream's account or its posts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FediverseReport)]
pub(crate) struct WireReport {
    /// For deleting it here.
    id: i64,
    received_at: Timestamp,
    /// Who complains, most often a server.
    #[serde(rename = "actorIRI")]
    actor_iri: String,
    /// Why, in plain text.
    content: String,
    /// What about.
    objects: Vec<String>,
}

impl From<AbuseReport> for WireReport {
    fn from(stored: AbuseReport) -> Self {
        let report = stored.report;
        Self {
            id: stored.id,
            received_at: stored.created_at,
            actor_iri: report.actor,
            content: report.content,
            objects: report.objects,
        }
    }
}

/// `GET /api/admin/federation/reports`
pub(crate) async fn reports(
    State(app): State<App>,
    part: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (offset, limit) = PageQuery::read(part)?;
    let tables = app.store.federation();
    let (found, total) = tables.reports_page(offset, limit).await?;
    let results = found.into_iter().map(WireReport::from).collect();
    Ok((NO_CACHE, Json(Reports { total, results })).into_response())
}

/// `DELETE /api/admin/federation/reports/{id}`
pub(crate) async fn delete_report(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let id = id.parse().map_err(|_| Problem::NotFound)?;
    match app.store.federation().dismiss_report(id).await? {
        true => Ok(done("report deleted")),
        false => Err(Problem::NotFound),
    }
}
