//! HTTP requests, with the checks a server makes before it calls a plugin.

use std::collections::BTreeMap;
use std::path::Path;

use plugins::http::{
    ACCESS_TOKEN, PluginRequest, PluginResponse, RequestPath, Route, headers, is_for_operator,
    query, route,
};
use plugins::permission::Permission;
use url::Url;

use super::differ;
use super::file::{ExpectedResponse, HttpStep};
use super::project::Project;

/// The client's response.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageResponse {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

/// The input for the plugin, or the response if the plugin is not called.
pub(super) fn prepare(project: &Project, request: &HttpStep) -> Result<String, PageResponse> {
    let manifest = project.manifest();
    let base = format!("http://test.example/plugins/{}", manifest.slug);
    let (raw, parameters) = match request.path.split_once('?') {
        Some((raw, parameters)) => (raw, parameters),
        None => (request.path.as_str(), ""),
    };
    let Some(path) = RequestPath::read(raw) else {
        return Err(plain(404, "404 page not found\n"));
    };
    let is_operator = request.authenticated.unwrap_or(request.user.is_some());
    if is_for_operator(manifest, &path) && !is_operator {
        return Err(plain(401, "Unauthorized"));
    }
    let method = request.method.to_ascii_uppercase();
    let only_reads = matches!(method.as_str(), "GET" | "HEAD");
    let may_serve = manifest.permissions.has(Permission::HttpServe);
    let has_public = |name: &str| project.public.join(name).is_file();
    match route(&path, only_reads, may_serve, has_public) {
        Route::Code => {}
        // There are no pages that could listen.
        Route::Nobody | Route::Events(_) => return Err(plain(404, "404 page not found\n")),
        Route::File(name) => return Err(file(&project.public.join(name))),
        Route::Folder => {
            let place = Url::parse(&format!("{base}{}/", path.as_str()));
            let place = place.map_or_else(|_| base, |place| place.path().to_owned());
            let mut response = plain(301, "");
            response.headers.insert("location".into(), place);
            return Err(response);
        }
    }
    let sent: Vec<(String, &str)> = request
        .headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
        .collect();
    let sent = sent
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()));
    let handed = PluginRequest {
        query: query(parameters, &[ACCESS_TOKEN]),
        headers: headers(sent),
        remote_addr: "198.51.100.7:50122".into(),
        authenticated: is_operator,
        user: request.user.clone(),
        // HEAD is handled as GET.
        ..PluginRequest::new(
            if method == "HEAD" { "GET" } else { &method },
            path.as_str(),
            request.body.as_bytes(),
        )
    };
    Ok(handed.to_json())
}

fn plain(status: u16, body: &str) -> PageResponse {
    PageResponse {
        status,
        body: body.into(),
        ..PageResponse::default()
    }
}

/// A file of the project's folder `public`, as text.
fn file(path: &Path) -> PageResponse {
    match std::fs::read(path) {
        Ok(bytes) => plain(200, &String::from_utf8_lossy(&bytes)),
        Err(error) => broken(&error.to_string()),
    }
}

/// The client's response for a plugin's answer.
pub(super) fn read(answer: &str) -> PageResponse {
    match PluginResponse::read(answer) {
        Ok(answer) => PageResponse {
            status: answer.status,
            headers: answer.headers.into_iter().collect(),
            body: String::from_utf8_lossy(&answer.body).into_owned(),
        },
        Err(unfit) => broken(&unfit.to_string()),
    }
}

/// The client's response if the plugin fails.
pub(super) fn broken(why: &str) -> PageResponse {
    PageResponse {
        status: 500,
        body: why.into(),
        ..PageResponse::default()
    }
}

/// How the response differs from the expectation.
pub(super) fn check(place: &str, wanted: &ExpectedResponse, got: &PageResponse) -> Vec<String> {
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
            let (what, got) = (format!("{place}: header {name}"), serde_json::json!(got));
            let wanted = serde_json::json!(value);
            failures.push(differ::values(&what, &wanted, &got, |one, other| {
                one == other
            }));
        }
    }
    failures
}

/// How a text differs from the expectation.
pub(super) fn check_text(place: &str, wanted: &ExpectedResponse, got: &str) -> Vec<String> {
    let mut failures = Vec::new();
    if let Some(body) = wanted.body.as_ref().filter(|body| *body != got) {
        failures.push(differ::texts(&format!("{place}: body"), body, got));
    }
    if let Some(part) = wanted
        .body_contains
        .as_ref()
        .filter(|part| !got.contains(*part))
    {
        let what = format!("{place}: this is not in the body");
        failures.push(differ::texts(&what, part, got));
    }
    failures
}
