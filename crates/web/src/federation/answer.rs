//! Headers of the protocol's answers.

use ::federation::negotiate::{Representation, ResourceKind, negotiate};
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::Value;

/// Exactly this: there are servers that refuse it with anything behind it.
const ACTIVITY_JSON: &str = "application/activity+json";

/// How long caches may keep an answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum CacheLifetime {
    /// Lists change with every post and follow.
    Minute,
    /// The actor and objects, and errors.
    ThreeMinutes,
    HalfAnHour,
    Hour,
    Day,
}

impl CacheLifetime {
    pub(super) fn header(self) -> (HeaderName, &'static str) {
        let value = match self {
            CacheLifetime::Minute => "public, max-age=60",
            CacheLifetime::ThreeMinutes => "public, max-age=180",
            CacheLifetime::HalfAnHour => "public, max-age=1800",
            CacheLifetime::Hour => "public, max-age=3600",
            CacheLifetime::Day => "public, max-age=86400",
        };
        (header::CACHE_CONTROL, value)
    }
}

/// A discovery document, which is the same for everybody.
pub(super) fn found(media_type: &'static str, lifetime: CacheLifetime, body: String) -> Response {
    let headers = [(header::CONTENT_TYPE, media_type), lifetime.header()];
    (headers, body).into_response()
}

/// A document of the account; browsers get something else at the same address.
pub(super) fn document(status: StatusCode, lifetime: CacheLifetime, document: &Value) -> Response {
    let headers = [
        (header::CONTENT_TYPE, ACTIVITY_JSON),
        lifetime.header(),
        (header::VARY, "Accept"),
    ];
    (status, headers, document.to_string()).into_response()
}

/// Nothing here. Cached for a while, because others ask again and again.
pub(super) fn absent(status: StatusCode) -> Response {
    (
        status,
        [
            CacheLifetime::ThreeMinutes.header(),
            (header::VARY, "Accept"),
        ],
    )
        .into_response()
}

/// Nothing here right now: the absence of a name that is just being assigned must not be cached.
pub(super) fn uncached(status: StatusCode) -> Response {
    (status, [(header::CACHE_CONTROL, "no-store")]).into_response()
}

/// For clients that want a page: redirects them to the stream. The target is constant, so nobody can be sent elsewhere.
/// `None` for clients that want the document.
pub(super) fn page_instead(headers: &HeaderMap, resource: ResourceKind) -> Option<Response> {
    let accept = headers.get_all(header::ACCEPT).iter();
    let accept = accept.filter_map(|value| value.to_str().ok());
    let content_type = headers.get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    if negotiate(accept, content_type, resource) == Representation::Document {
        return None;
    }
    let mut response = Redirect::temporary("/").into_response();
    let out = response.headers_mut();
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    out.insert(header::VARY, HeaderValue::from_static("Accept"));
    Some(response)
}
