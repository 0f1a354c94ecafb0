//! The list of plugins and the actions on each.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use super::{WirePlugin, found};
use crate::admin::log_document;
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::{App, PluginState, Shared};

/// `GET /api/admin/plugins`
pub(crate) async fn list(State(plugins): State<Shared<PluginState>>) -> Response {
    let list = plugins.installed.list();
    let all: Vec<WirePlugin> = list
        .entries()
        .map(|entry| WirePlugin::new(entry, plugins.installed.facts(&entry.slug)))
        .collect();
    (NO_CACHE, Json(all)).into_response()
}

/// A file of the plugins folder that is not used.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BrokenPlugin {
    path: String,
    /// Why, in one line.
    reason: String,
}

/// `GET /api/admin/broken-plugins`
pub(crate) async fn broken(State(plugins): State<Shared<PluginState>>) -> Response {
    let list = plugins.installed.list();
    let files = list.unusable_files().iter();
    let all: Vec<_> = files
        .map(|file| BrokenPlugin {
            path: file.path.display().to_string(),
            reason: file.reason.clone(),
        })
        .collect();
    (NO_CACHE, Json(all)).into_response()
}

/// What was done to which plugin.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PluginActionDone)]
pub(crate) struct PluginActionResponse {
    status: &'static str,
    slug: String,
    action: &'static str,
}

fn done(slug: String, action: &'static str) -> Json<PluginActionResponse> {
    Json(PluginActionResponse {
        status: "ok",
        slug,
        action,
    })
}

/// `POST /api/admin/plugins/<slug>/enable`
pub(crate) async fn enable(
    State(plugins): State<Shared<PluginState>>,
    Path(slug): Path<String>,
) -> Result<Json<PluginActionResponse>, Problem> {
    plugins.installed.enable(&slug).await?;
    Ok(done(slug, "enable"))
}

/// `POST /api/admin/plugins/<slug>/approve`
pub(crate) async fn approve(
    State(plugins): State<Shared<PluginState>>,
    Path(slug): Path<String>,
) -> Result<Json<PluginActionResponse>, Problem> {
    plugins.installed.approve(&slug).await?;
    Ok(done(slug, "approve"))
}

/// `POST /api/admin/plugins/<slug>/disable`
pub(crate) async fn disable(
    State(app): State<App>,
    Path(slug): Path<String>,
) -> Result<Json<PluginActionResponse>, Problem> {
    app.plugins.installed.disable(&slug).await?;
    forget_unloaded(&app);
    Ok(done(slug, "disable"))
}

/// `POST /api/admin/plugins/<slug>/reload`
pub(crate) async fn reload(
    State(plugins): State<Shared<PluginState>>,
    Path(slug): Path<String>,
) -> Result<Json<PluginActionResponse>, Problem> {
    plugins.installed.reload(&slug).await?;
    Ok(done(slug, "reload"))
}

/// `POST /api/admin/plugins/<slug>/uninstall`
pub(crate) async fn uninstall(
    State(app): State<App>,
    Path(slug): Path<String>,
) -> Result<Json<PluginActionResponse>, Problem> {
    app.plugins.installed.uninstall(&slug).await?;
    forget_unloaded(&app);
    Ok(done(slug, "uninstall"))
}

/// What it said for pages goes now, even when no page asks for a while.
fn forget_unloaded(app: &App) {
    let list = app.plugins.installed.list();
    app.plugins.contributions.forget_unloaded(&list);
}

/// `GET /api/admin/plugins/<slug>/instructions`
pub(crate) async fn instructions(
    State(app): State<App>,
    Path(slug): Path<String>,
) -> Result<Response, Problem> {
    let package = found(&app, &slug)?.shown().cloned();
    let package = package.ok_or(Problem::NotFound)?;
    let text = super::package_reader::read(move || package.instructions()).await?;
    let kind = [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")];
    let text = text.ok_or(Problem::NotFound)?;
    Ok((NO_CACHE, kind, text).into_response())
}

/// `GET /api/admin/plugins/<slug>/logs`
pub(crate) async fn logs(
    State(app): State<App>,
    Path(slug): Path<String>,
) -> Result<Response, Problem> {
    let entry = found(&app, &slug)?;
    let lines = app.logs.of_plugin(entry.slug.as_str());
    Ok((NO_CACHE, Json(log_document(lines))).into_response())
}

/// Anything else about a plugin.
pub(crate) async fn unknown_action(Path((_, action)): Path<(String, String)>) -> Response {
    let shown: String = action.chars().take(40).collect();
    let text = format!("there is no action {shown:?} for plugins\n");
    (StatusCode::BAD_REQUEST, text).into_response()
}

/// A plugin without saying what about it.
pub(crate) async fn unknown_place() -> Response {
    let text = "write /api/admin/plugins/<slug>/<action>\n";
    (StatusCode::BAD_REQUEST, text).into_response()
}
