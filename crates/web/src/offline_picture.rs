//! The picture behind the offline message: uploaded by the operator, none at first.

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, HeaderValue};
use http_server::json::ApiJson;

use crate::logo::{LogoUpload, read_data_uri};
use crate::problem::{Problem, done};
use crate::public::not_found;
use crate::state::App;

/// The name in the store.
const NAME: &str = "offline-picture";
const PATH: &str = "/offline-picture";

/// `GET /offline-picture`. Its address has the version, so it may be kept for long.
pub(crate) async fn get(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let Some(picture) = app.pictures.offline.stored(&app.store, NAME).await? else {
        return Ok(not_found().await);
    };
    let cache = HeaderValue::from_static("public, max-age=86400");
    Ok(picture.answer_cached(&headers, cache))
}

/// The picture's address, which changes with it; `None` without one.
pub(crate) async fn address(app: &App) -> Option<String> {
    let stored = app.pictures.offline.stored(&app.store, NAME).await;
    // A page without the picture is better than no page; what was wrong is in the log.
    let picture = stored.ok().flatten()?;
    let version = picture.etag().trim_matches('"');
    Some(format!("{PATH}?v={version}"))
}

/// `POST /api/admin/config/offlinepicture`
pub(crate) async fn post(
    State(app): State<App>,
    ApiJson(upload): ApiJson<LogoUpload>,
) -> Result<Response, Problem> {
    let file = read_data_uri("picture", upload.value())?;
    app.store.put_file(NAME, file, app.clock.now()).await?;
    app.pictures.offline.clear();
    Ok(done("offline picture changed"))
}

/// `DELETE /api/admin/config/offlinepicture`
pub(crate) async fn delete(State(app): State<App>) -> Result<Response, Problem> {
    app.store.delete_file(NAME).await?;
    app.pictures.offline.clear();
    Ok(done("offline picture removed"))
}
