//! The description of the table, for programs and for people.

use std::sync::LazyLock;

use axum::response::Response;
use http::{HeaderMap, header};

use super::described;
use crate::openapi::{self, CompressedDocument, POLICY};

static DOCUMENT: LazyLock<CompressedDocument> =
    LazyLock::new(|| CompressedDocument::new(openapi_document()));
static PAGE: LazyLock<CompressedDocument> =
    LazyLock::new(|| CompressedDocument::new(openapi::html_page(&described())));

/// The description as it is served and committed.
pub fn openapi_document() -> String {
    openapi::text(&described())
}

/// `GET /api/openapi.json`
pub(super) async fn document(headers: HeaderMap) -> Response {
    DOCUMENT.respond("application/json", &headers)
}

/// `GET /api/docs`
pub(super) async fn page(headers: HeaderMap) -> Response {
    let mut response = PAGE.respond("text/html; charset=utf-8", &headers);
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, POLICY.clone());
    response
}
