//! A single request to an unknown server, and what its answer must be to be read.

use outbound::http::{HeaderMap, HeaderValue, StatusCode, header};
use outbound::{FetchBudget, Policy, RefusalReason, Response, Url};
use serde_json::Value;

use super::{Lookup, LookupError};
use crate::names::authority;

/// Largest answer; a larger one is refused. Real ones have a few hundred bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Longest address an operator may type; a longer one is refused.
const MAX_ADDRESS_BYTES: usize = 1024;

/// How far from the requested host an answer may come from, or lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostScope {
    Same,
    /// The host, a subdomain or a parent domain: accounts of `example.org` often live at `social.example.org`.
    Related,
}

impl HostScope {
    /// Whether `other` is in this scope of `host`.
    pub(super) fn includes(self, host: &Url, other: &Url) -> bool {
        if other.scheme() != "https" || other.port() != host.port() {
            return false;
        }
        let (Some(host), Some(other)) = (host.domain(), other.domain()) else {
            return false;
        };
        match self {
            Self::Same => host == other,
            Self::Related => host == other || is_below(host, other) || is_below(other, host),
        }
    }
}

fn is_below(host: &str, domain: &str) -> bool {
    let rest = host.strip_suffix(domain);
    rest.is_some_and(|rest| rest.ends_with('.'))
}

/// Fetches a JSON document; follows one redirect if it stays in `scope`.
pub(super) async fn json(
    lookup: &Lookup,
    url: &Url,
    accept: &'static str,
    scope: HostScope,
    budget: &FetchBudget,
) -> Result<Value, LookupError> {
    let mut answer = get(lookup, url, accept, budget).await?;
    if answer.status.is_redirection() {
        let target = location(url, &answer.headers)
            .ok_or(LookupError::Answer("a redirect that leads nowhere"))?;
        if !scope.includes(url, &target) {
            return Err(LookupError::Answer("a redirect to another server"));
        }
        answer = get(lookup, &target, accept, budget).await?;
    }
    match answer.status {
        StatusCode::OK => read(&answer),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(LookupError::Unknown),
        status => {
            model::stranger_line!(info, "lookup", host = url.host_str(), %status, "a lookup was not answered");
            Err(LookupError::Answer("not the status 200"))
        }
    }
}

async fn get(
    lookup: &Lookup,
    url: &Url,
    accept: &'static str,
    budget: &FetchBudget,
) -> Result<Response, LookupError> {
    let host = authority(url).unwrap_or_default();
    if lookup.fetch_policy.refuses(&host) {
        return Err(LookupError::Refused);
    }
    let policy = Policy::federation()
        .returning_redirects()
        .with_max_response_bytes(MAX_ANSWER_BYTES);
    let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]);
    let answer = lookup.client.get(url, &policy, headers, budget).await;
    answer
        .inspect_err(|error| model::stranger_line!(info, "lookup", %error, "a lookup failed"))
        .map_err(LookupError::Unreachable)
}

fn location(url: &Url, headers: &HeaderMap) -> Option<Url> {
    let text = headers.get(header::LOCATION)?.to_str().ok()?;
    url.join(text).ok()
}

/// Only answers declared as JSON are read.
fn read(answer: &Response) -> Result<Value, LookupError> {
    let kind = answer.headers.get(header::CONTENT_TYPE);
    let kind = kind
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    let is_json =
        kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"));
    if !is_json {
        return Err(LookupError::Answer("not JSON"));
    }
    let value: Value =
        serde_json::from_slice(&answer.body).map_err(|_| LookupError::Answer("broken JSON"))?;
    match value.is_object() {
        true => Ok(value),
        false => Err(LookupError::Answer("not a JSON object")),
    }
}

/// The server an operator means: scheme and host of what they typed.
pub(super) fn server_address(lookup: &Lookup, typed: &str) -> Result<Url, LookupError> {
    let typed = typed.trim();
    if typed.len() > MAX_ADDRESS_BYTES {
        return Err(LookupError::Address);
    }
    let url = match typed.contains("://") {
        true => Url::parse(typed),
        false => Url::parse(&format!("https://{typed}")),
    };
    let mut url = url.map_err(|_| LookupError::Address)?;
    // The operator may have copied a whole page address from the browser.
    url.set_path("/");
    url.set_query(None);
    url.set_fragment(None);
    check(lookup, &url).map_err(|_| LookupError::Address)?;
    Ok(url)
}

/// Checks an address without contacting it.
pub(super) fn check(lookup: &Lookup, url: &Url) -> Result<(), RefusalReason> {
    let checked = lookup.client.check_url(url, &Policy::federation());
    checked.inspect_err(|reason| {
        model::stranger_line!(info, "lookup", %reason, "an address was refused for a lookup");
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_house_is_a_host_and_what_is_below_or_above_it() {
        let rows = [
            ("https://example.org/a", true, true),
            ("https://social.example.org/", false, true),
            ("https://example.org:8443/", false, false),
            ("http://example.org/", false, false),
            ("https://notexample.org/", false, false),
            ("https://example.org.evil.test/", false, false),
            ("https://other.test/", false, false),
        ];
        let host = url("https://example.org/.well-known/webfinger");
        for (other, same, related) in rows {
            let other = url(other);
            assert_eq!(HostScope::Same.includes(&host, &other), same, "{other}");
            assert_eq!(
                HostScope::Related.includes(&host, &other),
                related,
                "{other}"
            );
        }
        let below = url("https://www.example.org/");
        assert!(HostScope::Related.includes(&below, &url("https://example.org/")));
        assert!(!HostScope::Related.includes(&below, &url("https://social.example.org/")));
    }
}
