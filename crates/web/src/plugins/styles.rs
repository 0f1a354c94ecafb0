//! The base style sheet for plugins, in operator pages and in tabs.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use http_server::etag;

const BASELINE: &str = include_str!("styles/plugin.css");

/// `GET /styles/plugin.css`
pub(crate) async fn baseline(headers: HeaderMap) -> Response {
    let tag = etag::make(&access::sha256(BASELINE), "");
    let told = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::ETAG, tag.as_str()),
    ];
    if etag::is_known(&headers, &tag) {
        return (StatusCode::NOT_MODIFIED, told).into_response();
    }
    (told, BASELINE).into_response()
}
