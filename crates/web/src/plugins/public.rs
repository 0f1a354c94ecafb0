//! What everybody may see of plugins.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header;

use super::package_reader::read;
use super::{PluginAction, contributing, found};
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// `GET /api/plugins/<slug>/icon`
pub(crate) async fn icon(
    State(app): State<App>,
    Path(slug): Path<String>,
) -> Result<Response, Problem> {
    let package = found(&app, &slug)?.shown().cloned();
    let package = package.ok_or(Problem::NotFound)?;
    let icon = read(move || package.icon()).await?;
    let headers = [
        (header::CONTENT_TYPE, "image/png"),
        (
            header::CONTENT_SECURITY_POLICY,
            "sandbox; default-src 'none'",
        ),
    ];
    let icon = icon.ok_or(Problem::NotFound)?;
    Ok((NO_CACHE, headers, icon).into_response())
}

/// `GET /api/plugins/actions`
pub(crate) async fn actions(State(app): State<App>) -> Response {
    // As on the page: buttons of a plugin that is disabled or has crashed are hidden.
    let plugins = contributing(&app);
    let actions: Vec<PluginAction> = plugins
        .iter()
        .flat_map(|plugin| &plugin.manifest().actions)
        .map(PluginAction::from)
        .collect();
    (NO_CACHE, Json(actions)).into_response()
}
