//! Reading and changing settings, all driven by the one table.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;

use axum::extract::{Path, State};
use axum::response::Response;
use axum::{Extension, Json};
use http::HeaderMap;
use model::Secret;
use model::settings::table::video::FFMPEG_PATH;
use model::settings::{Applies, Kind, TABLE, by_path};
use serde::Deserialize;
use serde_json::{Value, json};

use super::door::with_session;
use crate::app::App;
use crate::client::Client;
use crate::guard::session_cookie;
use crate::json::ApiJson;
use crate::problem::{Problem, done};

/// What an answer repeats of a path.
const MAX_SHOWN_CHARS: usize = 200;

/// `GET /api/admin/settings`: the table with the values in force, for the admin page.
pub(crate) async fn list(State(app): State<App>) -> Json<Value> {
    let layers = app.settings.now();
    let shown = TABLE.iter().filter(|setting| setting.meta().is_shown);
    let rows = shown.map(|setting| {
        let meta = setting.meta();
        let current = layers.current(*setting);
        json!({
            "key": meta.path,
            "path": meta.path,
            "name": meta.key,
            "kind": meta.kind.as_str(),
            "value": current.value.json,
            "default": setting.default_value().json,
            "source": current.source.as_str(),
            "sourceName": current.source.name(),
            "locked": current.source.is_outside(),
            "applies": match meta.applies {
                Applies::Now => "now",
                Applies::NextStream => "stream",
            },
            "min": bounds(meta.kind).map(|(min, _)| min),
            "max": bounds(meta.kind).map(|(_, max)| max),
            "choices": match meta.kind {
                Kind::Choice(choices) => Some(choices),
                _ => None,
            },
            "maxLength": meta.max_chars,
            "doc": meta.doc,
        })
    });
    Json(json!({ "settings": rows.collect::<Vec<_>>() }))
}

fn bounds(kind: Kind) -> Option<(u32, u32)> {
    match kind {
        Kind::Number { min, max } => Some((min, max)),
        _ => None,
    }
}

/// Settings of other servers that are options of the process here: it listens before it has a database.
const DECIDED_AT_START: [(&str, &str); 4] = [
    ("webserverport", "--listen"),
    ("webserverip", "--listen"),
    ("rtmpserverport", "--rtmp-listen"),
    ("rtmpserverbindaddress", "--rtmp-listen"),
];

#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    /// Told apart from `null`, because a body without it is an error of its own.
    value: Option<Value>,
}

/// `POST /api/admin/config/{path}`
pub(crate) async fn change(
    State(app): State<App>,
    Path(path): Path<String>,
    ApiJson(body): ApiJson<Change>,
) -> Result<Response, Problem> {
    if let Some((_, flag)) = DECIDED_AT_START.iter().find(|(known, _)| *known == path) {
        return Err(Problem::Conflict(format!(
            "{path} cannot be changed here: start the server with another {flag}"
        )));
    }
    let setting = by_path(&path).ok_or(Problem::NotFound)?;
    let value = body
        .value
        .ok_or_else(|| Problem::BadRequest("the body has no \"value\"".into()))?;
    if setting.meta().key == FFMPEG_PATH.meta.key
        && let Some(program) = value.as_str().filter(|program| !program.trim().is_empty())
    {
        check_program(program.trim()).await?;
    }
    app.settings.set(setting, value, app.clock.now()).await?;
    tracing::info!(setting = setting.meta().key, "setting changed");
    Ok(done(&format!("{path} changed")))
}

/// A path that is no program would be noticed only when a stream begins.
async fn check_program(path: &str) -> Result<(), Problem> {
    let what = match tokio::fs::metadata(path).await {
        Ok(file) if !file.is_file() => "is no file",
        Ok(file) if file.permissions().mode() & 0o111 == 0 => "is not executable",
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => "does not exist",
        Err(_) => "cannot be looked at",
    };
    let shown: String = path.chars().take(MAX_SHOWN_CHARS).collect();
    Err(Problem::BadRequest(format!("{shown} {what}")))
}

#[derive(Debug, Deserialize)]
pub(crate) struct NewPassword {
    value: Secret,
}

/// `POST /api/admin/config/adminpass`: every session ends; the one that asked gets a new one.
pub(crate) async fn change_password(
    State(app): State<App>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<NewPassword>,
) -> Result<Response, Problem> {
    app.admin.change_password(body.value).await?;
    tracing::info!("admin password changed");
    let answer = done("the password is changed");
    if session_cookie(&headers, &client).is_none() {
        return Ok(answer);
    }
    let cookie = app.admin.open_session(&client.visitor(&headers)).await?;
    Ok(with_session(&cookie, &client, answer))
}
