//! Reading and changing settings, all driven by the one table.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;

use access::{AdminIdentity, SignInError, Visitor};
use axum::extract::{Path, State};
use axum::response::Response;
use axum::{Extension, Json};
use http::HeaderMap;
use http_server::client::ClientInfo;
use http_server::json::ApiJson;
use model::Secret;
use model::settings::table::federation::USERNAME;
use model::settings::table::video::FFMPEG_PATH;
use model::settings::{Applies, SettingKind, TABLE, by_path};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::federation;
use super::login::with_session;
use crate::guard::{session_cookie, visitor};
use crate::openapi::words;
use crate::problem::{Problem, done};
use crate::sentences;
use crate::state::{App, ChatState, OperatorState, Shared};

/// What an answer repeats of a path.
const MAX_SHOWN_CHARS: usize = 200;

/// Every setting with the value in force.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingsList {
    settings: Vec<SettingRow>,
}

/// A setting, its value and what a form has to know about it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettingRow {
    /// The same as `path`.
    key: &'static str,
    /// Behind `/api/admin/config/`.
    path: &'static str,
    /// The key in configuration files.
    name: &'static str,
    /// How the value is edited.
    kind: &'static str,
    value: Value,
    default: Value,
    #[schema(schema_with = words::source)]
    source: &'static str,
    /// Which file, variable or flag.
    source_name: String,
    /// Given outside the database, so it cannot be changed here.
    locked: bool,
    #[schema(schema_with = words::applies)]
    applies: &'static str,
    /// The smallest number.
    #[schema(required = true)]
    min: Option<u32>,
    /// The largest number.
    #[schema(required = true)]
    max: Option<u32>,
    /// The words to choose from.
    #[schema(required = true, value_type = Option<Vec<String>>)]
    choices: Option<&'static [&'static str]>,
    /// Longest text, in characters.
    #[schema(required = true)]
    max_length: Option<usize>,
    /// One sentence for the operator.
    doc: &'static str,
}

/// `GET /api/admin/settings`: the table with the values in force, for the admin page.
pub(crate) async fn list(State(app): State<App>) -> Json<SettingsList> {
    let layers = app.settings.now();
    let shown = TABLE.iter().filter(|setting| setting.meta().is_shown);
    let rows = shown.map(|setting| {
        let meta = setting.meta();
        let current = layers.current(*setting);
        let bounds = bounds(meta.kind);
        SettingRow {
            key: meta.path,
            path: meta.path,
            name: meta.key,
            kind: meta.kind.as_str(),
            value: current.value.json.clone(),
            default: setting.default_value().json,
            source: current.source.as_str(),
            source_name: current.source.name().to_owned(),
            locked: current.source.is_outside(),
            applies: match meta.applies {
                Applies::Now => "now",
                Applies::NextStream => "stream",
                Applies::NotYet => "never",
            },
            min: bounds.map(|(min, _)| min),
            max: bounds.map(|(_, max)| max),
            choices: match meta.kind {
                SettingKind::Choice(choices) => Some(choices),
                _ => None,
            },
            max_length: meta.max_chars,
            doc: meta.doc,
        }
    });
    Json(SettingsList {
        settings: rows.collect(),
    })
}

fn bounds(kind: SettingKind) -> Option<(u32, u32)> {
    match kind {
        SettingKind::Number { min, max } => Some((min, max)),
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
pub(crate) struct SettingChange {
    /// Told apart from `null`, because a body without it is an error of its own.
    value: Option<Value>,
    /// The operator knows what that means, where it means more than one would think.
    #[serde(default)]
    confirmed: bool,
}

/// `POST /api/admin/config/{path}`
pub(crate) async fn change(
    State(app): State<App>,
    Path(path): Path<String>,
    ApiJson(body): ApiJson<SettingChange>,
) -> Result<Response, Problem> {
    if let Some((_, flag)) = DECIDED_AT_START.iter().find(|(known, _)| *known == path) {
        let text = format!("{path} cannot be changed here: start the server with another {flag}");
        let sentence = sentences::SETTING_AT_START.with([(*flag).into()]);
        return Err(Problem::Conflict(text).worded(sentence));
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
    if setting.meta().key == USERNAME.meta.key
        && let Some(name) = value.as_str().filter(|_| !body.confirmed)
    {
        federation::check_new_name(&app, &name.trim().to_lowercase()).await?;
    }
    app.settings.set(setting, value, app.clock.now()).await?;
    let key = setting.meta().key;
    if setting.meta().applies == Applies::NotYet {
        tracing::warn!(
            setting = key,
            "stored a setting that this server does not use"
        );
        let doc = setting.meta().doc;
        return Ok(done(&format!(
            "{path} is stored, but this server does not use it yet: {doc}"
        )));
    }
    tracing::info!(setting = key, "setting changed");
    Ok(done(&format!("{path} changed")))
}

/// A path that is no program would be noticed only when a stream begins.
async fn check_program(path: &str) -> Result<(), Problem> {
    let (what, sentence) = match tokio::fs::metadata(path).await {
        Ok(file) if !file.is_file() => ("is not a file", &sentences::NOT_A_FILE),
        Ok(file) if file.permissions().mode() & 0o111 == 0 => {
            ("is not executable", &sentences::NOT_EXECUTABLE)
        }
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            ("does not exist", &sentences::NO_FILE)
        }
        Err(_) => ("cannot be checked", &sentences::NOT_CHECKED),
    };
    let shown: String = path.chars().take(MAX_SHOWN_CHARS).collect();
    let problem = Problem::BadRequest(format!("{shown} {what}"));
    Err(problem.worded(sentence.with([shown.into()])))
}

/// Another password for the operator.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewPassword {
    /// The password until now; whoever is signed in by a session has to know it, a script has sent it anyway.
    #[schema(value_type = Option<String>, nullable = false)]
    current: Option<Secret>,
    #[schema(value_type = String)]
    value: Secret,
}

/// A browser that was left open must not be enough to lock the operator out. The answer is no 401, which would tell the
/// page that its session has ended.
async fn check_current(
    identity: &AdminIdentity,
    current: Option<Secret>,
    visitor: &Visitor,
) -> Result<(), Problem> {
    let wrong = || {
        let text = "\"current\" must be the admin password until now";
        Problem::BadRequest(text.into()).worded(sentences::WRONG_PASSWORD.plain())
    };
    let current = current.ok_or_else(wrong)?;
    let checked = identity.check_basic("admin", current, visitor).await;
    checked.map_err(|error| match error {
        SignInError::Wrong => wrong(),
        other => other.into(),
    })
}

/// `POST /api/admin/config/adminpass`: every session ends, and the operator's connections to the chat; the session that
/// asked gets a new one.
pub(crate) async fn change_password(
    State(operator): State<Shared<OperatorState>>,
    State(chat): State<Shared<ChatState>>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<NewPassword>,
) -> Result<Response, Problem> {
    let is_by_session = session_cookie(&headers, &client).is_some();
    if is_by_session {
        let visitor = visitor(&client, &headers);
        check_current(&operator.identity, body.current, &visitor).await?;
    }
    for token in operator.identity.change_password(body.value).await? {
        chat.room.revoke(token).await;
    }
    tracing::info!("admin password changed");
    let answer = done("the password is changed");
    if !is_by_session {
        return Ok(answer);
    }
    let cookie = operator
        .identity
        .open_session(&visitor(&client, &headers))
        .await?;
    Ok(with_session(&cookie, &client, answer))
}
