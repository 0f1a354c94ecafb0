//! The settings of a plugin, and how much a gate guards.

use ::plugins::installed::{AccessMode, InstalledPlugin, effective};
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::found;
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::App;

/// Whose settings were saved.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PluginSettingsSaved)]
pub(crate) struct SaveSettingsResponse {
    status: &'static str,
    slug: String,
}

fn saved(slug: String) -> Json<SaveSettingsResponse> {
    Json(SaveSettingsResponse { status: "ok", slug })
}

/// `GET /api/admin/plugins/<slug>/config`
pub(crate) async fn config(
    State(app): State<App>,
    Path(slug): Path<String>,
) -> Result<Response, Problem> {
    let entry = with_config(&app, &slug)?;
    let schema = entry.shown().map(|package| &package.manifest().config);
    let values = schema.map(|schema| effective(schema, &entry.config));
    Ok((NO_CACHE, Json(values)).into_response())
}

/// `POST /api/admin/plugins/<slug>/config`
pub(crate) async fn set_config(
    State(app): State<App>,
    Path(slug): Path<String>,
    ApiJson(values): ApiJson<Map<String, Value>>,
) -> Result<Json<SaveSettingsResponse>, Problem> {
    with_config(&app, &slug)?;
    app.plugins.installed.set_config(&slug, values).await?;
    Ok(saved(slug))
}

fn with_config(app: &App, slug: &str) -> Result<std::sync::Arc<InstalledPlugin>, Problem> {
    let entry = found(app, slug)?;
    let has_config = entry
        .shown()
        .is_some_and(|package| !package.manifest().config.is_empty());
    has_config.then_some(entry).ok_or(Problem::NotFound)
}

/// How much the sign-in of a plugin guards.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PluginAuthSettings)]
pub(crate) struct AuthSettings {
    /// `website-only`, `website-and-stream` or `website-stream-and-status`.
    #[schema(pattern = "^(website-only|website-and-stream|website-stream-and-status)$")]
    access_mode: String,
}

/// `GET /api/admin/plugins/<slug>/auth-settings`
pub(crate) async fn auth_settings(
    State(app): State<App>,
    Path(slug): Path<String>,
) -> Result<Response, Problem> {
    let settings = AuthSettings {
        access_mode: gate(&app, &slug)?.access_mode.as_str().to_owned(),
    };
    Ok((NO_CACHE, Json(settings)).into_response())
}

/// `POST /api/admin/plugins/<slug>/auth-settings`
pub(crate) async fn set_auth_settings(
    State(app): State<App>,
    Path(slug): Path<String>,
    ApiJson(settings): ApiJson<AuthSettings>,
) -> Result<Json<SaveSettingsResponse>, Problem> {
    gate(&app, &slug)?;
    let mode = AccessMode::parse(&settings.access_mode).ok_or_else(|| {
        let known = AccessMode::ALL.map(AccessMode::as_str).join(", ");
        Problem::BadRequest(format!("accessMode must be one of {known}"))
    })?;
    app.plugins.installed.set_access_mode(&slug, mode).await?;
    Ok(saved(slug))
}

fn gate(app: &App, slug: &str) -> Result<std::sync::Arc<InstalledPlugin>, Problem> {
    let entry = found(app, slug)?;
    let can_be_gate = entry.can_be_gate();
    can_be_gate.then_some(entry).ok_or(Problem::NotFound)
}
