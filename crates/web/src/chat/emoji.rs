//! Custom emoji: the list, the images, and the operator's changes.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chat::emoji::EmojiError;
use http::{HeaderMap, StatusCode, header};
use http_server::client::text;
use http_server::json::ApiJson;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Problem, done};
use crate::state::App;

/// Pictures keep their names and may be replaced under them.
const CACHE: &str = "public, max-age=2592000";

/// A picture to write with.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Emoji)]
pub(crate) struct EmojiEntry {
    /// Between colons in a line of the chat.
    name: String,
    url: String,
    /// The folder it lies in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pack: Option<String>,
    /// Comes with the server; absent from the operator's own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    builtin: bool,
}

/// `GET /api/emoji`
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Vec<EmojiEntry>>, Problem> {
    let app = app.clone();
    let list = off_the_runtime(move || {
        app.chat.room.emoji().refresh();
        app.chat.room.emoji().list()
    })
    .await?;
    let list = list.iter().map(|emoji| EmojiEntry {
        name: emoji.name.clone(),
        url: emoji.url(),
        pack: emoji.pack.clone(),
        builtin: emoji.builtin,
    });
    Ok(Json(list.collect()))
}

/// `GET /img/emoji/{path}`
pub(crate) async fn picture(
    State(app): State<App>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let app = app.clone();
    let file = off_the_runtime(move || app.chat.room.emoji().read(&path)).await?;
    let file = file.ok_or(Problem::NotFound)?;
    let common = [
        (header::CACHE_CONTROL, CACHE.to_owned()),
        (header::ETAG, file.etag.clone()),
        // Ours are SVGs; opening one directly must run nothing.
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; sandbox".to_owned(),
        ),
    ];
    if text(&headers, header::IF_NONE_MATCH) == file.etag {
        return Ok((StatusCode::NOT_MODIFIED, common).into_response());
    }
    let kind = [(header::CONTENT_TYPE, file.content_type)];
    Ok((common, kind, file.bytes).into_response())
}

/// A picture to be added.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct EmojiUpload {
    name: String,
    /// As a data URI such as `data:image/png;base64,…`.
    data: String,
    /// The folder to put it into.
    #[serde(default)]
    pack: Option<String>,
}

/// `POST /api/admin/emoji/upload`
pub(crate) async fn upload(
    State(app): State<App>,
    ApiJson(upload): ApiJson<EmojiUpload>,
) -> Result<Response, Problem> {
    let (_, encoded) = upload
        .data
        .split_once(";base64,")
        .filter(|(kind, _)| kind.starts_with("data:image/"))
        .ok_or_else(|| {
            Problem::BadRequest("\"data\" must be a data: URL of a picture in base64".into())
        })?;
    let bytes = STANDARD
        .decode(encoded.trim())
        .map_err(|_| Problem::BadRequest("\"data\" is not valid base64".into()))?;
    let app = app.clone();
    let added = off_the_runtime(move || {
        let pack = upload.pack.as_deref().filter(|pack| !pack.is_empty());
        app.chat.room.emoji().add(pack, &upload.name, &bytes)
    })
    .await?;
    let emoji = added.map_err(|error| refused(&error))?;
    tracing::info!(emoji = emoji.path, "emoji added");
    Ok(done(&format!("{} added", emoji.path)))
}

fn refused(error: &EmojiError) -> Problem {
    Problem::BadRequest(error.to_string()).worded(error.sentence())
}

/// A picture to be removed.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct EmojiRemoval {
    /// Its path, as it stands in its URL.
    name: String,
}

/// `POST /api/admin/emoji/delete`
pub(crate) async fn delete(
    State(app): State<App>,
    ApiJson(removal): ApiJson<EmojiRemoval>,
) -> Result<Response, Problem> {
    let app = app.clone();
    let name = removal.name.clone();
    let removed = off_the_runtime(move || app.chat.room.emoji().remove(&name)).await?;
    removed.map_err(|error| refused(&error))?;
    tracing::info!(emoji = removal.name, "emoji deleted");
    Ok(done("emoji deleted"))
}

async fn off_the_runtime<T, F>(work: F) -> Result<T, Problem>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| {
        tracing::error!(%error, "an emoji task failed");
        Problem::Internal
    })
}
