//! A picture behind the header of the viewer page: uploaded like the logo, and shown where a variable of the look
//! (`--theme-header-picture`) names it. There is none until the operator uploads one.

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use http_server::json::ApiJson;

use crate::logo::{LogoUpload, read_data_uri};
use crate::problem::{Problem, done};
use crate::state::App;

/// The name in the store.
const NAME: &str = "header_picture";

/// `GET /headerpicture`
pub(crate) async fn get(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let picture = app.pictures.header.stored(&app.store, NAME).await?;
    let picture = picture.ok_or(Problem::NotFound)?;
    Ok(picture.answer(&headers))
}

/// `POST /api/admin/config/headerpicture`
pub(crate) async fn post(
    State(app): State<App>,
    ApiJson(upload): ApiJson<LogoUpload>,
) -> Result<Response, Problem> {
    let file = read_data_uri("header picture", upload.value())?;
    app.store.put_file(NAME, file, app.clock.now()).await?;
    app.pictures.header.clear();
    Ok(done("header picture changed"))
}

/// `DELETE /api/admin/config/headerpicture`
pub(crate) async fn delete(State(app): State<App>) -> Result<Response, Problem> {
    app.store.delete_file(NAME).await?;
    app.pictures.header.clear();
    Ok(done("header picture removed"))
}
