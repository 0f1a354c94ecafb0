//! Requests to other servers.

mod allowed_hosts;
mod client;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use bytes::Bytes;
use outbound::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use outbound::http::{Method, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::args;
use crate::host::plugin_host::{Host, Occasion};
use crate::host::services::ServiceFuture;
use allowed_hosts::is_allowed;

pub use client::OutboundNetwork;

/// Bytes a plugin may send. More is refused.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Bytes of all headers a plugin may send. More is refused.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Redirects that are followed. One more is an error.
const MAX_REDIRECTS: usize = 5;

/// How long one request may take, redirects included, while a page waits for it.
pub(crate) const PATIENCE_OF_PAGES: Duration = Duration::from_secs(8);

/// Limit (plugins): time for one request to another server, or [`PATIENCE_OF_PAGES`] while a page waits for it; then it
/// fails. Events queue up behind it.
pub(crate) const PATIENCE_OF_EVENTS: Duration = Duration::from_secs(5);

/// What says what is wanted, and nothing about who asks. Only these go along to another server.
const HARMLESS: [HeaderName; 3] = [
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_TYPE,
];

/// A request that passed the checks.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    pub url: Url,
    /// The address as the plugin wrote it, or as a redirect gave it: tests match on it.
    pub written: String,
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Bytes,
}

#[derive(Clone, Debug)]
pub struct FetchResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Sends requests to other servers.
pub trait Network: Send + Sync + Debug {
    /// Makes one request without following redirects.
    fn send(&self, request: FetchRequest) -> ServiceFuture<'_, FetchResponse>;
}

#[derive(Deserialize)]
struct FetchArgs {
    #[serde(deserialize_with = "args::text")]
    url: String,
    #[serde(default, deserialize_with = "args::maybe_text")]
    method: Option<String>,
    headers: Option<BTreeMap<String, Value>>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    body: Option<String>,
}

#[derive(Serialize)]
struct FetchResult {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

pub(super) async fn fetch(host: &Host, args: &str) -> Result<String, String> {
    let request = request(args::read(args)?)?;
    let patience = match host.occasion() {
        Occasion::Http => PATIENCE_OF_PAGES,
        Occasion::Event { .. } | Occasion::Other => PATIENCE_OF_EVENTS,
    };
    let response = tokio::time::timeout(patience, follow(host, request))
        .await
        .map_err(|_| format!("no answer within {} seconds", patience.as_secs()))??;
    args::answer(&fetch_result(&response))
}

/// Sends the request and follows redirects, each by the same rules.
async fn follow(host: &Host, mut request: FetchRequest) -> Result<FetchResponse, String> {
    for _ in 0..=MAX_REDIRECTS {
        check(host, &request.url)?;
        let response = host.parts.network.send(request.clone()).await?;
        let Some(next) = redirected(&request, &response)? else {
            return Ok(response);
        };
        request = next;
    }
    Err(format!("more than {MAX_REDIRECTS} redirects"))
}

fn check(host: &Host, url: &Url) -> Result<(), String> {
    let patterns = &host.plugin.manifest.allowed_hosts;
    match is_allowed(url, patterns) {
        true => Ok(()),
        false => {
            let shown = outbound::host_header(url);
            if host.may_log_refusal() {
                tracing::warn!(
                    plugin = host.slug(),
                    host = %shown,
                    "refused a plugin's request: its manifest does not list the host"
                );
            }
            Err(format!(
                "{shown} is not among network.allowedHosts of the manifest"
            ))
        }
    }
}

fn request(fetch_args: FetchArgs) -> Result<FetchRequest, String> {
    let mut url = Url::parse(&fetch_args.url).map_err(|error| format!("url: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("url: it must begin with http:// or https://".into());
    }
    url.set_fragment(None);
    let method = fetch_args.method.unwrap_or_else(|| "GET".into());
    let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes())
        .map_err(|_| format!("method: {method:?} is not an HTTP method"))?;
    let body = Bytes::from(fetch_args.body.unwrap_or_default());
    if body.len() > MAX_BODY_BYTES {
        return Err(format!("body: it has more than {MAX_BODY_BYTES} bytes"));
    }
    Ok(FetchRequest {
        url,
        written: fetch_args.url,
        method,
        headers: headers(fetch_args.headers.unwrap_or_default())?,
        body,
    })
}

fn headers(given: BTreeMap<String, Value>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    let mut bytes = 0;
    for (name, value) in given {
        let text = args::text(&value)
            .map_err(|error: serde_json::Error| format!("headers: {name:?}: {error}"))?;
        bytes += name.len() + text.len();
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("headers: {name:?} is not a header name"))?;
        let value = HeaderValue::from_str(&text)
            .map_err(|_| format!("headers: the value of {name} cannot be sent"))?;
        headers.append(name, value);
    }
    match bytes > MAX_HEADER_BYTES {
        true => Err(format!(
            "headers: together they have more than {MAX_HEADER_BYTES} bytes"
        )),
        false => Ok(headers),
    }
}

/// The next request, if the answer is a redirect.
fn redirected(
    request: &FetchRequest,
    response: &FetchResponse,
) -> Result<Option<FetchRequest>, String> {
    let status = response.status.as_u16();
    let Some(target) = response.headers.get(header::LOCATION) else {
        return Ok(None);
    };
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let target = target.to_str().ok();
    let mut url = target
        .and_then(|target| request.url.join(target).ok())
        .ok_or("the answer points to an address that cannot be read")?;
    url.set_fragment(None);
    if request.url.scheme() == "https" && url.scheme() != "https" {
        return Err("the answer points to an address that is not encrypted".into());
    }
    let mut next = request.clone();
    // As in browsers, a POST is repeated only if the redirect demands exactly that.
    let is_post = request.method == Method::POST;
    if status == 303 && request.method != Method::HEAD || matches!(status, 301 | 302) && is_post {
        next.method = Method::GET;
        next.body = Bytes::new();
        next.headers.remove(header::CONTENT_TYPE);
    }
    if request.url.origin() != url.origin() {
        let kept = HARMLESS.into_iter();
        next.headers = kept
            .filter_map(|name| Some((name.clone(), next.headers.get(&name)?.clone())))
            .collect();
    }
    next.written = url.to_string();
    next.url = url;
    Ok(Some(next))
}

fn fetch_result(response: &FetchResponse) -> FetchResult {
    let mut headers = BTreeMap::<String, String>::new();
    for (name, value) in &response.headers {
        let text = String::from_utf8_lossy(value.as_bytes());
        headers
            .entry(name.as_str().to_owned())
            .and_modify(|all| {
                all.push_str(", ");
                all.push_str(&text);
            })
            .or_insert_with(|| text.clone().into_owned());
    }
    FetchResult {
        status: response.status.as_u16(),
        headers,
        body: String::from_utf8_lossy(&response.body).into_owned(),
    }
}
