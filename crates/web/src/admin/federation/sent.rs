//! Posts of the account: those of the operator and those about the stream.

use ::federation::publishing::{
    MAX_DESCRIPTION_CHARS, MAX_PICTURE_BYTES, MAX_POST_CHARS, NewPost, PostError, PostImage,
    PostImageError,
};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_server::json::ApiJson;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::federation::PublishedPost;
use utoipa::ToSchema;

use crate::federation::PageQuery;
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

/// A picture as a data URI inside JSON, with the text beside it.
pub(crate) const MAX_SEND_BYTES: usize = MAX_PICTURE_BYTES / 3 * 4 + 64 * 1024;

impl From<PostError> for Problem {
    fn from(error: PostError) -> Self {
        match error {
            PostError::Store(error) => error.into(),
            PostError::Identity(error) => {
                tracing::error!(%error, "the Fediverse account cannot post");
                Problem::Internal
            }
            PostError::Unknown => Problem::NotFound,
            refused => {
                let sentence = match refused {
                    PostError::Empty => sentences::POST_EMPTY.plain(),
                    PostError::TooLong => {
                        sentences::POST_TOO_LONG.with([(MAX_POST_CHARS as u64).into()])
                    }
                    PostError::Description => {
                        sentences::POST_DESCRIPTION.with([(MAX_DESCRIPTION_CHARS as u64).into()])
                    }
                    _ => sentences::FEDERATION_SILENT.plain(),
                };
                Problem::BadRequest(refused.to_string()).worded(sentence)
            }
        }
    }
}

/// Something the operator says.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = FediversePost)]
pub(crate) struct NewFediversePost {
    /// In Markdown.
    #[schema(value_type = String)]
    value: Option<String>,
    /// As a data URI such as `data:image/png;base64,…`.
    image: Option<String>,
    /// What the picture shows, for those who cannot see it.
    description: Option<String>,
}

/// `POST /api/admin/federation/send`
pub(crate) async fn send(
    State(app): State<App>,
    ApiJson(body): ApiJson<NewFediversePost>,
) -> Result<Response, Problem> {
    let picture = match body.image.filter(|image| !image.is_empty()) {
        Some(uri) => Some((picture(&uri)?, body.description.unwrap_or_default())),
        None => None,
    };
    let new = NewPost {
        text: body.value.unwrap_or_default(),
        picture,
    };
    app.federation.outbox().post(new).await?;
    Ok(done("it is on its way to your followers"))
}

/// What it is is decided by its content.
fn picture(uri: &str) -> Result<PostImage, Problem> {
    let expected = || {
        let text = "the picture must be a data URI such as data:image/png;base64,…";
        Problem::BadRequest(text.into())
    };
    let (head, data) = uri.split_once(',').ok_or_else(expected)?;
    if !head.starts_with("data:image/") || !head.ends_with(";base64") {
        return Err(expected());
    }
    let bytes = STANDARD.decode(data.trim()).map_err(|_| expected())?;
    PostImage::read(&bytes).map_err(|error| {
        let sentence = match error {
            PostImageError::Heavy => {
                let most = (MAX_PICTURE_BYTES >> 20) as u64;
                sentences::PICTURE_TOO_LARGE.with([most.into()])
            }
            PostImageError::UnknownFormat => sentences::POST_PICTURE_FORMAT.plain(),
            PostImageError::Damaged => sentences::POST_PICTURE_DAMAGED.plain(),
        };
        Problem::BadRequest(error.to_string()).worded(sentence)
    })
}

/// Posts of the account, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OwnPosts)]
pub(crate) struct OwnPosts {
    total: i64,
    results: Vec<OwnPost>,
}

/// A post of the account, and what others did with it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnPost {
    id: String,
    /// Its full address.
    url: String,
    timestamp: Timestamp,
    /// HTML.
    content: String,
    /// It says that the stream is live.
    is_live_notification: bool,
    /// For everybody; else for followers only.
    is_public: bool,
    #[schema(required = true)]
    image: Option<PostPicture>,
    likes: i64,
    reposts: i64,
    replies: i64,
    quotes: i64,
}

/// The picture of a post.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PostPicture {
    url: String,
    description: String,
}

impl From<PublishedPost> for OwnPost {
    fn from(post: PublishedPost) -> Self {
        let note: Value = serde_json::from_str(&post.json).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let image = note.pointer("/attachment/0").map(|image| PostPicture {
            url: text(&image["url"]),
            description: text(&image["name"]),
        });
        let id = post.iri.rsplit('/').next().unwrap_or_default();
        Self {
            id: id.to_owned(),
            content: text(&note["content"]),
            url: post.iri,
            timestamp: post.created_at,
            is_live_notification: post.is_live_notification,
            is_public: post.is_public,
            image,
            likes: post.likes,
            reposts: post.reposts,
            replies: post.replies,
            quotes: post.quotes,
        }
    }
}

/// `GET /api/admin/federation/posts`
pub(crate) async fn list(
    State(app): State<App>,
    part: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (offset, limit) = PageQuery::read(part)?;
    let (found, total) = app.store.federation().published_page(offset, limit).await?;
    let results = found.into_iter().map(OwnPost::from).collect();
    Ok((NO_CACHE, Json(OwnPosts { total, results })).into_response())
}

/// `DELETE /api/admin/federation/posts/{id}`
pub(crate) async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    app.federation.outbox().delete_post(&id).await?;
    Ok(done(
        "it was deleted here, and your followers' servers are being told",
    ))
}
