//! Requests of pages, with the rules a server has before it asks a plugin.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::file::{Request, Wanted};
use super::matching::shown;
use super::project::Project;
use crate::host::wire::User;
use crate::permission::Permission;

/// What a page gets.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Response {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

/// What a plugin is handed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Handed<'a> {
    method: String,
    path: &'a str,
    query: BTreeMap<String, String>,
    headers: &'a BTreeMap<String, String>,
    body: &'a str,
    remote_addr: &'static str,
    authenticated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a User>,
}

/// What a plugin answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    status: Option<u16>,
    #[serde(default)]
    headers: BTreeMap<String, Value>,
    body: Option<String>,
    body_base64: Option<String>,
}

/// What follows from a request without the plugin, or what the plugin is to be handed.
pub(super) fn prepare(project: &Project, request: &Request) -> Result<String, Response> {
    let manifest = project.manifest();
    let plain = |status, body: &str| Response {
        status,
        body: body.into(),
        ..Response::default()
    };
    let Ok(url) = Url::parse("http://test.example").and_then(|base| base.join(&request.path))
    else {
        return Err(plain(400, "bad request"));
    };
    let path = url.path();
    let is_operator = request.authenticated || request.user.is_some();
    let is_admin_path = manifest.is_admin_path(path);
    if is_admin_path && !is_operator {
        return Err(plain(401, "Unauthorized"));
    }
    if !manifest.permissions.has(Permission::HttpServe) || path.starts_with("/_sse") {
        return Err(plain(404, "not found"));
    }
    let method = request.method.to_ascii_uppercase();
    if matches!(method.as_str(), "GET" | "HEAD")
        && let Some(body) = public(project, path)
    {
        return Err(plain(200, &body));
    }
    let mut query = BTreeMap::new();
    for (key, value) in url.query_pairs().filter(|(key, _)| key != "accessToken") {
        query
            .entry(key.into_owned())
            .or_insert_with(|| value.into_owned());
    }
    let handed = Handed {
        method,
        path: match path.trim_end_matches('/') {
            "" => "/",
            path => path,
        },
        query,
        headers: &request.headers,
        body: &request.body,
        remote_addr: "198.51.100.7:50122",
        authenticated: is_operator,
        user: request.user.as_ref(),
    };
    Ok(shown(&handed))
}

/// A file of the project's folder `public`, as text.
fn public(project: &Project, path: &str) -> Option<String> {
    let below = Path::new(path.trim_start_matches('/'));
    let mut parts = below.components();
    if !parts.all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut file = project.public.join(below);
    if path.ends_with('/') {
        file.push("index.html");
    }
    let bytes = std::fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a page gets of a plugin's answer.
pub(super) fn read(answer: &str) -> Response {
    let read: Result<Answer, _> = serde_json::from_str(answer);
    let Ok(answer) = read else {
        return broken("invalid response");
    };
    let bytes = answer.body_base64.map(|text| BASE64_STANDARD.decode(text));
    let body = match (answer.body, bytes) {
        (Some(body), _) => body,
        (None, Some(Ok(bytes))) => String::from_utf8_lossy(&bytes).into_owned(),
        (None, Some(Err(_))) => return broken("invalid response"),
        (None, None) => String::new(),
    };
    let headers = answer.headers.into_iter().map(|(name, value)| {
        let text = match value {
            Value::String(text) => text,
            other => shown(&other),
        };
        (name.to_ascii_lowercase(), text)
    });
    Response {
        status: answer.status.unwrap_or(200),
        headers: headers.collect(),
        body,
    }
}

/// What a page gets when the plugin fails.
pub(super) fn broken(why: &str) -> Response {
    Response {
        status: 500,
        body: why.into(),
        ..Response::default()
    }
}

/// What is not as wanted.
pub(super) fn check(place: &str, wanted: &Wanted, got: &Response) -> Vec<String> {
    let mut failures = check_text(place, wanted, &got.body);
    if let Some(status) = wanted
        .status
        .filter(|status| *status != 0 && *status != got.status)
    {
        failures.push(format!(
            "{place}: expected status {status}, got {}",
            got.status
        ));
    }
    for (name, value) in &wanted.headers {
        let got = got.headers.get(&name.to_ascii_lowercase());
        if got != Some(value) {
            failures.push(format!("{place}: expected {name}: {value}, got {got:?}"));
        }
    }
    failures
}

/// What is not as wanted of a text.
pub(super) fn check_text(place: &str, wanted: &Wanted, got: &str) -> Vec<String> {
    let mut failures = Vec::new();
    if let Some(body) = wanted.body.as_ref().filter(|body| *body != got) {
        failures.push(format!("{place}: expected the body {body:?}, got {got:?}"));
    }
    if let Some(part) = wanted
        .body_contains
        .as_ref()
        .filter(|part| !got.contains(*part))
    {
        failures.push(format!(
            "{place}: expected a body that contains {part:?}, got {got:?}"
        ));
    }
    failures
}
