//! `GET /icon/…` and `GET /apple-touch-icon.png`: the logo as icons.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::HeaderMap;

use crate::logo;
use crate::problem::Problem;
use crate::state::{App, IconSet};

/// `GET /icon/{name}`
pub(crate) async fn get(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    // What does not exist costs no drawing.
    if !matches!(name.as_str(), "192.png" | "512.png" | "maskable-512.png") {
        return Ok(crate::public::not_found().await);
    }
    let icons = current(&app).await?;
    let icon = match name.as_str() {
        "192.png" => &icons.small,
        "512.png" => &icons.large,
        _ => &icons.maskable,
    };
    Ok(icon.answer(&headers))
}

/// `GET /apple-touch-icon.png`
pub(crate) async fn touch(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    Ok(current(&app).await?.touch.answer(&headers))
}

/// The icons of the logo.
pub(super) async fn current(app: &App) -> Result<Arc<IconSet>, Problem> {
    let logo = logo::drawable(app).await?;
    let icons = app.pictures.icons.of(&logo, logo::built_in_bytes()).await;
    icons.ok_or(Problem::NotFound)
}
