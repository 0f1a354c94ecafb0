//! What the caller sends, and what it must not set.

use bytes::Bytes;
use http::Method;
use http::header::{self, HeaderMap, HeaderName};
use url::Url;

use crate::error::RefusalReason;

/// Headers that frame the message or identify us; only the client sets them.
/// A caller that could set them could smuggle a second request or ask for compression.
const OWN_HEADERS: [(HeaderName, &str); 12] = [
    (header::HOST, "host"),
    (header::USER_AGENT, "user-agent"),
    (header::ACCEPT_ENCODING, "accept-encoding"),
    (header::CONTENT_LENGTH, "content-length"),
    (header::TRANSFER_ENCODING, "transfer-encoding"),
    (header::CONNECTION, "connection"),
    (header::UPGRADE, "upgrade"),
    (header::TE, "te"),
    (header::TRAILER, "trailer"),
    (header::EXPECT, "expect"),
    (header::PROXY_AUTHORIZATION, "proxy-authorization"),
    (
        HeaderName::from_static("proxy-connection"),
        "proxy-connection",
    ),
];

/// Headers that say what is wanted and nothing about who asks.
const SAFE_ELSEWHERE: [HeaderName; 2] = [header::ACCEPT, header::ACCEPT_LANGUAGE];

/// A request's method, headers and body.
#[derive(Clone)]
pub struct OutgoingRequest {
    /// GET, HEAD, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// The caller's headers; `Host`, `User-Agent` and framing are the client's own.
    pub headers: HeaderMap,
    /// The body, empty for none.
    pub body: Bytes,
}

// Headers carry tokens and signatures.
impl std::fmt::Debug for OutgoingRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutgoingRequest")
            .field("method", &self.method)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

impl OutgoingRequest {
    pub(super) fn follows_redirects(&self) -> bool {
        self.method == Method::GET || self.method == Method::HEAD
    }

    /// The request for a redirect's target: tokens, cookies and signatures stay with the origin they were meant for.
    pub(super) fn for_redirect(mut self, from: &Url, to: &Url) -> Self {
        if from.origin() != to.origin() {
            let mut kept = HeaderMap::new();
            for name in SAFE_ELSEWHERE {
                if let Some(value) = self.headers.get(&name) {
                    kept.insert(name, value.clone());
                }
            }
            self.headers = kept;
        }
        self
    }
}

/// Refuses what a caller must not set.
pub(super) fn check(outgoing: &OutgoingRequest) -> Result<(), RefusalReason> {
    let speaks = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ];
    if !speaks.contains(&outgoing.method) {
        return Err(RefusalReason::Request("the method"));
    }
    for (name, text) in &OWN_HEADERS {
        if outgoing.headers.contains_key(name) {
            return Err(RefusalReason::Request(text));
        }
    }
    Ok(())
}

/// The `Host` header the client will send for `url`, for callers that sign it.
#[must_use]
pub fn host_header(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn outgoing(names: &[&'static str]) -> OutgoingRequest {
        let mut headers = HeaderMap::new();
        for name in names {
            headers.insert(*name, "x".parse().unwrap());
        }
        OutgoingRequest {
            method: Method::GET,
            headers,
            body: Bytes::new(),
        }
    }

    #[test]
    fn callers_cannot_set_the_clients_own_headers() {
        for (name, text) in &OWN_HEADERS {
            assert_eq!(name.as_str(), *text);
            assert_eq!(check(&outgoing(&[text])), Err(RefusalReason::Request(text)));
        }
        assert_eq!(
            check(&outgoing(&["accept", "signature", "date", "digest"])),
            Ok(())
        );
    }

    #[test]
    fn callers_cannot_use_methods_that_change_the_connection() {
        for method in [Method::CONNECT, Method::TRACE, Method::OPTIONS] {
            let request = OutgoingRequest {
                method,
                ..outgoing(&[])
            };
            assert_eq!(check(&request), Err(RefusalReason::Request("the method")));
        }
    }

    #[test]
    fn a_redirect_elsewhere_keeps_only_harmless_headers() {
        let from = Url::parse("https://a.example/1").unwrap();
        let names = [
            "accept",
            "accept-language",
            "authorization",
            "cookie",
            "signature",
            "x-token",
        ];
        let near =
            outgoing(&names).for_redirect(&from, &Url::parse("https://a.example/2").unwrap());
        assert_eq!(near.headers.len(), names.len());
        for elsewhere in ["https://b.example/1", "https://a.example:8443/1"] {
            let far = outgoing(&names).for_redirect(&from, &Url::parse(elsewhere).unwrap());
            let mut kept: Vec<_> = far.headers.keys().map(HeaderName::as_str).collect();
            kept.sort_unstable();
            assert_eq!(kept, ["accept", "accept-language"], "{elsewhere}");
        }
    }

    #[test]
    fn the_host_header_names_the_port_only_when_it_is_unusual() {
        let of = |text| host_header(&Url::parse(text).unwrap());
        assert_eq!(of("https://a.example:443/"), "a.example");
        assert_eq!(of("https://a.example:8443/"), "a.example:8443");
        assert_eq!(of("http://a.example:443/"), "a.example:443");
    }
}
