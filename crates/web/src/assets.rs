//! The built user interface: embedded, precompressed, cached.

use std::borrow::Cow;

use axum::body::Body;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_server::client::text;
use http_server::etag;
use rust_embed::{EmbeddedFile, RustEmbed};

/// The output of `npm run build` in `ui/dist`; files have `.br` and `.gz` twins where that helps.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../ui/dist"]
struct Dist;

/// The HTML of a page shell.
pub(crate) fn shell(name: &str) -> Option<String> {
    Dist::get(name).map(|file| String::from_utf8_lossy(&file.data).into_owned())
}

/// These names contain a hash of the content, so they may be cached forever.
pub(crate) async fn hashed(Path(name): Path<String>, headers: HeaderMap) -> Response {
    respond(
        &format!("assets/{name}"),
        &headers,
        "public, max-age=31536000, immutable",
    )
}

/// Files with fixed names: images, the icon.
pub(crate) async fn image(Path(name): Path<String>, headers: HeaderMap) -> Response {
    respond(&format!("img/{name}"), &headers, "public, max-age=86400")
}

/// The icon under the name the page uses.
pub(crate) async fn favicon_svg(headers: HeaderMap) -> Response {
    respond("favicon.svg", &headers, "public, max-age=86400")
}

/// Whether a path is a file of the built-in pages but not a page itself.
pub(crate) fn is_built_in(path: &str) -> bool {
    let name = path.trim_start_matches('/');
    !name.ends_with(".html") && (Dist::get(name).is_some() || path == "/styles/plugin.css")
}

/// An embedded file with its media type, for callers that serve it themselves.
pub(crate) fn embedded(name: &str) -> Option<(&'static str, Bytes)> {
    Dist::get(name).map(|file| (content_type(name), shared(file.data)))
}

fn respond(name: &str, headers: &HeaderMap, cache: &'static str) -> Response {
    // The twins are for content negotiation and cannot be requested.
    if name.ends_with(".br") || name.ends_with(".gz") {
        return not_found();
    }
    let Some(plain) = Dist::get(name) else {
        return not_found();
    };
    let (encoding, file) = negotiated(name, headers).unwrap_or((None, plain));
    let etag = etag::make(&file.metadata.sha256_hash(), encoding.unwrap_or_default());
    let mut response = if etag::is_known(headers, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = Body::from(shared(file.data)).into_response();
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(content_type(name)),
        );
        if let Some(encoding) = encoding {
            response
                .headers_mut()
                .insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    };
    let out = response.headers_mut();
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        out.insert(header::ETAG, etag);
    }
    response
}

/// Embedded data is shared, not copied.
fn shared(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    }
}

fn negotiated(name: &str, headers: &HeaderMap) -> Option<(Option<&'static str>, EmbeddedFile)> {
    let accepted = text(headers, header::ACCEPT_ENCODING);
    let accepts = |coding: &str| {
        accepted.split(',').any(|entry| {
            let mut parts = entry.split(';').map(str::trim);
            let matches = parts
                .next()
                .is_some_and(|offered| offered.eq_ignore_ascii_case(coding));
            let refused = parts.any(|part| {
                matches!(
                    part.replace(' ', "").as_str(),
                    "q=0" | "q=0.0" | "q=0.00" | "q=0.000"
                )
            });
            matches && !refused
        })
    };
    for (coding, suffix) in [("br", "br"), ("gzip", "gz")] {
        if accepts(coding)
            && let Some(file) = Dist::get(&format!("{name}.{suffix}"))
        {
            return Some((Some(coding), file));
        }
    }
    None
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "404 page not found\n").into_response()
}
