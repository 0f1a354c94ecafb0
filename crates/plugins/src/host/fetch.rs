//! Requests to other servers.

mod allowed;
mod outside;

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
use crate::host::desk::{Host, Occasion};
use crate::host::services::Answer;
use allowed::is_allowed;

pub use outside::Outside;

/// Bytes a plugin may send. More is refused.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Bytes of all headers a plugin may send. More is refused.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Redirects that are followed. One more is an error.
const MAX_REDIRECTS: usize = 5;

/// How long one request may take, redirects included, while a page waits for it.
pub(crate) const PATIENCE_OF_PAGES: Duration = Duration::from_secs(8);

/// How long one request may take otherwise: events queue up behind it.
pub(crate) const PATIENCE_OF_EVENTS: Duration = Duration::from_secs(5);

/// What says what is wanted, and nothing about who asks. Only these go along to another server.
const HARMLESS: [HeaderName; 3] = [
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_TYPE,
];

/// A request that was found good, on its way out.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Where.
    pub url: Url,
    /// The same as the plugin wrote it, or as an answer led there: tests know it by that.
    pub written: String,
    /// How.
    pub method: Method,
    /// With what beside it.
    pub headers: HeaderMap,
    /// With what.
    pub body: Bytes,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Of whatever class.
    pub status: StatusCode,
    /// Beside the body.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// The way out.
pub trait Network: Send + Sync + Debug {
    /// Makes one request and follows nothing.
    fn ask(&self, asked: Asked) -> Answer<'_, Answered>;
}

#[derive(Deserialize)]
struct Wish {
    #[serde(deserialize_with = "args::text")]
    url: String,
    #[serde(default, deserialize_with = "args::maybe_text")]
    method: Option<String>,
    headers: Option<BTreeMap<String, Value>>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    body: Option<String>,
}

#[derive(Serialize)]
struct Told {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

pub(super) async fn fetch(host: &Host, args: &str) -> Result<String, String> {
    let asked = request(args::read(args)?)?;
    let patience = match host.occasion() {
        Occasion::Http => PATIENCE_OF_PAGES,
        Occasion::Event { .. } | Occasion::Other => PATIENCE_OF_EVENTS,
    };
    let answered = tokio::time::timeout(patience, follow(host, asked))
        .await
        .map_err(|_| format!("no answer within {} seconds", patience.as_secs()))??;
    args::answer(&told(&answered))
}

/// Asks, and asks again where the answer points, each time by the same rules.
async fn follow(host: &Host, mut asked: Asked) -> Result<Answered, String> {
    for _ in 0..=MAX_REDIRECTS {
        check(host, &asked.url)?;
        let answered = host.parts.network.ask(asked.clone()).await?;
        let Some(next) = redirected(&asked, &answered)? else {
            return Ok(answered);
        };
        asked = next;
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

fn request(wish: Wish) -> Result<Asked, String> {
    let mut url = Url::parse(&wish.url).map_err(|error| format!("url: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("url: it must begin with http:// or https://".into());
    }
    url.set_fragment(None);
    let method = wish.method.unwrap_or_else(|| "GET".into());
    let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes())
        .map_err(|_| format!("method: {method:?} is no method"))?;
    let body = Bytes::from(wish.body.unwrap_or_default());
    if body.len() > MAX_BODY_BYTES {
        return Err(format!("body: it has more than {MAX_BODY_BYTES} bytes"));
    }
    Ok(Asked {
        url,
        written: wish.url,
        method,
        headers: headers(wish.headers.unwrap_or_default())?,
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
            .map_err(|_| format!("headers: {name:?} is no header"))?;
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

/// The next request, when the answer points elsewhere.
fn redirected(asked: &Asked, answered: &Answered) -> Result<Option<Asked>, String> {
    let status = answered.status.as_u16();
    let Some(target) = answered.headers.get(header::LOCATION) else {
        return Ok(None);
    };
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let target = target.to_str().ok();
    let mut url = target
        .and_then(|target| asked.url.join(target).ok())
        .ok_or("the answer points to an address that cannot be read")?;
    url.set_fragment(None);
    if asked.url.scheme() == "https" && url.scheme() != "https" {
        return Err("the answer points to an address that is not encrypted".into());
    }
    let mut next = asked.clone();
    // As browsers do it: what was posted is not posted again, unless the answer asks for just that.
    let is_post = asked.method == Method::POST;
    if status == 303 && asked.method != Method::HEAD || matches!(status, 301 | 302) && is_post {
        next.method = Method::GET;
        next.body = Bytes::new();
        next.headers.remove(header::CONTENT_TYPE);
    }
    if asked.url.origin() != url.origin() {
        let kept = HARMLESS.into_iter();
        next.headers = kept
            .filter_map(|name| Some((name.clone(), next.headers.get(&name)?.clone())))
            .collect();
    }
    next.written = url.to_string();
    next.url = url;
    Ok(Some(next))
}

fn told(answered: &Answered) -> Told {
    let mut headers = BTreeMap::<String, String>::new();
    for (name, value) in &answered.headers {
        let text = String::from_utf8_lossy(value.as_bytes());
        headers
            .entry(name.as_str().to_owned())
            .and_modify(|all| {
                all.push_str(", ");
                all.push_str(&text);
            })
            .or_insert_with(|| text.clone().into_owned());
    }
    Told {
        status: answered.status.as_u16(),
        headers,
        body: String::from_utf8_lossy(&answered.body).into_owned(),
    }
}
