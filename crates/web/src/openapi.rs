//! The API description, generated from the route table: as OpenAPI 3.1, and as a page to read.
//!
//! What a row takes and answers is described beside it in the table (see [`crate::route::Doc`]); who may call it, its limits and the
//! errors that follow from them come from the row itself. Pages, files and media are not described.

mod components;
mod document;
mod operation;
mod page;
mod settings;
pub(crate) mod words;

use std::io::Write;
use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_server::etag;
use serde_json::json;

pub(crate) use self::document::{html_page, text};
pub(crate) use self::settings::SERVER_CONFIG;
use crate::hls::accepts_gzip;
use crate::route::Shape;

/// The shape of the description itself, which is described elsewhere.
pub(crate) const OPENAPI: Shape = Shape {
    name: || "OpenApi".into(),
    schema: || json!({ "type": "object", "required": ["openapi", "info", "paths"] }),
    parts: Vec::new,
};

/// One report of a player, or a list of them.
pub(crate) const CMCD_REPORTS: Shape = Shape {
    name: || "CmcdReports".into(),
    schema: || {
        json!({
            "description": "Common Media Client Data (CTA-5004): one report, or a list of them.",
            "oneOf": [{ "type": "object" }, { "type": "array", "items": { "type": "object" } }],
        })
    },
    parts: Vec::new,
};

/// The values of a plugin's settings by name.
pub(crate) const PLUGIN_VALUES: Shape = Shape {
    name: || "PluginValues".into(),
    schema: || json!({ "description": "The values of a plugin's settings by name.", "type": "object" }),
    parts: Vec::new,
};

/// What a registry of plugins says, which is passed on unread.
pub(crate) const REGISTRY_LISTING: Shape = Shape {
    name: || "RegistryListing".into(),
    schema: || json!({ "description": "What the registry says, passed on unread." }),
    parts: Vec::new,
};

/// A text that is built and compressed once, on first request: it is long, and anybody may request it.
pub(crate) struct CompressedDocument {
    bytes: Bytes,
    gzip: Bytes,
    etag: HeaderValue,
}

impl CompressedDocument {
    pub(crate) fn new(text: String) -> Self {
        let etag = etag::make(&access::sha256(&text), "");
        Self {
            gzip: gzip(&text),
            bytes: text.into(),
            etag: HeaderValue::from_str(&etag)
                .expect("an entity tag is made of hexadecimal digits"),
        }
    }

    pub(crate) fn respond(&self, media_type: &'static str, asked: &HeaderMap) -> Response {
        let is_known = self
            .etag
            .to_str()
            .is_ok_and(|tag| etag::is_known(asked, tag));
        let mut response = if is_known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            self.whole(media_type, asked)
        };
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::ETAG, self.etag.clone());
        response
    }

    fn whole(&self, media_type: &'static str, asked: &HeaderMap) -> Response {
        let accepted = asked.get(header::ACCEPT_ENCODING);
        let kind = [(header::CONTENT_TYPE, media_type)];
        if !accepted.is_some_and(|value| accepts_gzip(value.as_bytes())) {
            return (kind, self.bytes.clone()).into_response();
        }
        let how = [
            (header::CONTENT_ENCODING, "gzip"),
            (header::VARY, "accept-encoding"),
        ];
        (kind, how, self.gzip.clone()).into_response()
    }
}

fn gzip(text: &str) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(text.as_bytes());
    let packed = written.and_then(|()| encoder.finish());
    packed.expect("writing into memory does not fail").into()
}

/// The policy of the page: allows nothing but its own style sheet, by its hash.
pub(crate) static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let hash = STANDARD.encode(access::sha256(page::STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).expect("base64 is allowed in a header")
});
