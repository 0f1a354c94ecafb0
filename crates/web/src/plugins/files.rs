//! Files of a package below `public/`.

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use http_server::client::text;
use http_server::etag;
use http_server::range::{ByteRange, byte_range};
use url::Url;

use super::package_reader::read;
use super::passes::PassHolder;
use super::serve::{Visit, too_much_waits};
use crate::public::content_type;

/// Answers with an existing file.
pub(super) async fn answer(visit: &Visit, name: String) -> Response {
    let (held, wanted) = (Arc::clone(visit.plugin.package()), name.clone());
    match read(move || held.public(&wanted)).await {
        Ok(Some(bytes)) => send(visit, &name, bytes),
        Ok(None) => crate::public::not_found().await,
        Err(problem) => problem.into_response(),
    }
}

/// Redirects to the address with a slash, so that relative links resolve inside the folder.
pub(super) fn to_folder(visit: &Visit) -> Response {
    if visit.parts.extensions.get::<PassHolder>().is_some() {
        // Relative to the requested address, which contains the pass.
        let raw = visit.parts.uri.path().trim_end_matches('/');
        let last = raw.rsplit('/').next().unwrap_or_default();
        let query = visit.parts.uri.query();
        let query = query.map_or_else(String::new, |query| format!("?{query}"));
        let target = format!("./{last}/{query}");
        return (
            StatusCode::FOUND,
            [(header::LOCATION, target)],
            Body::empty(),
        )
            .into_response();
    }
    let mut place = Url::parse("http://here").ok();
    let path = format!(
        "/plugins/{}{}/",
        visit.plugin.slug(),
        visit.path.as_str().trim_end_matches('/')
    );
    if let Some(place) = &mut place {
        // Encodes characters that a header cannot hold.
        place.set_path(&path);
        place.set_query(visit.parts.uri.query());
    }
    let target = place.map_or(path, |place| place[url::Position::BeforePath..].to_owned());
    (
        StatusCode::MOVED_PERMANENTLY,
        [(header::LOCATION, target)],
        Body::empty(),
    )
        .into_response()
}

fn send(visit: &Visit, name: &str, bytes: Bytes) -> Response {
    let headers = &visit.parts.headers;
    let digest = digest(&SHA256, &bytes);
    let tag = etag::make(digest.as_ref(), "");
    let total = bytes.len() as u64;
    // A range of another version would not fit what the client has, and pages for the operator are modified on their
    // way.
    let if_range = text(headers, header::IF_RANGE);
    let may_be_part = (if_range.is_empty() || if_range == tag) && !visit.is_for_operator;
    let range = headers.get(header::RANGE).filter(|_| may_be_part);
    let range = range.and_then(|range| range.to_str().ok());
    if etag::is_known(headers, &tag) {
        return describe(StatusCode::NOT_MODIFIED.into_response(), name, &tag);
    }
    let streams = visit.host.running().streams();
    let Some(bytes) = streams.hold_file(visit.plugin.slug(), digest.as_ref(), bytes) else {
        return too_much_waits();
    };
    let response = match byte_range(range, total) {
        ByteRange::Whole => Body::from(bytes).into_response(),
        ByteRange::Part { first, last } => {
            // Both lie within the bytes, whose number is a `usize`.
            let part = bytes.slice(first as usize..=last as usize);
            let range = [(
                header::CONTENT_RANGE,
                format!("bytes {first}-{last}/{total}"),
            )];
            (StatusCode::PARTIAL_CONTENT, range, Body::from(part)).into_response()
        }
        ByteRange::Impossible => {
            let range = [(header::CONTENT_RANGE, format!("bytes */{total}"))];
            return (StatusCode::RANGE_NOT_SATISFIABLE, range).into_response();
        }
    };
    describe(response, name, &tag)
}

fn describe(mut response: Response, name: &str, tag: &str) -> Response {
    let out = response.headers_mut();
    out.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(content_type(name)),
    );
    out.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    // A newer package has other files under the same names.
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        out.insert(header::ETAG, tag);
    }
    response
}
