//! Installing plugins by upload or from the registry.

use ::plugins::installed::{InstallMode, SUFFIX};
use ::plugins::package::MAX_PACKAGE_BYTES;
use ::plugins::registry::RegistryError;
use axum::Json;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, State};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use http::{StatusCode, header};
use http_server::json::ApiJson;
use serde::Deserialize;
use utoipa::ToSchema;

use super::WirePlugin;
use crate::problem::Problem;
use crate::state::{App, PluginState, Shared};

/// The field of the form that has the package.
const FIELD: &str = "plugin";

/// `POST /api/admin/plugins`
pub(crate) async fn upload(
    State(app): State<App>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Json<WirePlugin>, Problem> {
    let form = form.map_err(|_| no_file())?;
    let bytes = read(form).await?;
    install(&app, bytes, InstallMode::New).await
}

async fn install(app: &App, bytes: Bytes, how: InstallMode) -> Result<Json<WirePlugin>, Problem> {
    let installed = &app.plugins.installed;
    let entry = installed.install(bytes, how).await?;
    Ok(Json(WirePlugin::new(&entry, installed.facts(&entry.slug))))
}

/// The bytes of the package.
async fn read(mut form: Multipart) -> Result<Bytes, Problem> {
    let unreadable = |status: StatusCode| match status {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::TooLarge,
        _ => no_file(),
    };
    loop {
        let field = form.next_field().await;
        let field = field.map_err(|error| unreadable(error.status()))?;
        let mut field = field.ok_or_else(no_file)?;
        if field.name() != Some(FIELD) {
            continue;
        }
        let name = field.file_name().unwrap_or_default().to_owned();
        if !name.ends_with(&format!(".{SUFFIX}")) {
            let why = format!("the name of the file must end with .{SUFFIX}");
            return Err(Problem::BadRequest(why));
        }
        let mut bytes = BytesMut::new();
        loop {
            let chunk = field.chunk().await;
            let Some(chunk) = chunk.map_err(|error| unreadable(error.status()))? else {
                return Ok(bytes.freeze());
            };
            if (bytes.len() + chunk.len()) as u64 > MAX_PACKAGE_BYTES {
                return Err(Problem::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
    }
}

fn no_file() -> Problem {
    Problem::BadRequest(format!("the form has no file in the field {FIELD:?}"))
}

/// `GET /api/admin/plugin-registry/list`
pub(crate) async fn registry_list(
    State(plugins): State<Shared<PluginState>>,
) -> Result<Response, Problem> {
    let listed = match plugins.registry.list().await {
        // Without a registry the list is empty, which is no error.
        Err(RegistryError::NotSet) => (StatusCode::OK, Bytes::from_static(b"[]")),
        listed => listed?,
    };
    let (status, body) = listed;
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((status, kind, body).into_response())
}

/// Which package of the registry.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = RegistryWish)]
pub(crate) struct RegistryInstallRequest {
    #[serde(default)]
    slug: String,
    #[serde(default)]
    version: String,
}

/// `POST /api/admin/plugin-registry/install`
pub(crate) async fn from_registry(
    State(app): State<App>,
    ApiJson(request): ApiJson<RegistryInstallRequest>,
) -> Result<Json<WirePlugin>, Problem> {
    if request.slug.is_empty() || request.version.is_empty() {
        let why = "the body needs \"slug\" and \"version\"".to_owned();
        return Err(Problem::BadRequest(why));
    }
    let registry = &app.plugins.registry;
    let bytes = registry.fetch(&request.slug, &request.version).await?;
    install(&app, bytes, InstallMode::Replace).await
}
