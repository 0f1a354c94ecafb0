//! What every response carries: a request id, safety headers, a log line and a count.

use std::any::Any;

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use tracing::Instrument;
use uuid::{NoContext, Timestamp, Uuid};

use crate::app::App;
use crate::client::{Client, Connection};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Sent with everything.
const ALWAYS: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=()",
    ),
];

/// For HTML that brought no policy of its own: nothing at all is allowed.
const LAST_RESORT_CSP: &str =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The id of a request, in its log lines and in the answer.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub(crate) String);

/// The outermost layer.
pub(crate) async fn dress(app: App, mut request: Request, next: Next) -> Response {
    let id = RequestId(new_id(&app));
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("none", MatchedPath::as_str)
        .to_owned();
    let is_tls = request
        .extensions()
        .get::<Connection>()
        .is_some_and(|connection| connection.is_tls);
    let address = request
        .extensions()
        .get::<Client>()
        .map(|client| client.address);
    let started = app.clock.uptime();
    request.extensions_mut().insert(id.clone());

    let span = tracing::info_span!("request", id = %id.0, %method, route, address = address.map(tracing::field::display));
    let mut response = next.run(request).instrument(span.clone()).await;

    let status = response.status().as_u16();
    let took = app.clock.uptime().saturating_sub(started);
    span.in_scope(|| tracing::debug!(status, took_ms = took.as_millis() as u64, "answered"));
    let class = match status {
        100..=199 => "1xx",
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => "5xx",
    };
    metrics::counter!("rillcast_http_requests_total", "route" => route.clone(), "status" => class)
        .increment(1);
    metrics::histogram!("rillcast_http_request_seconds", "route" => route)
        .record(took.as_secs_f64());
    dress_response(&mut response, &id, is_tls);
    response
}

fn dress_response(response: &mut Response, id: &RequestId, is_tls: bool) {
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    if let Ok(id) = HeaderValue::from_str(&id.0) {
        headers.insert(REQUEST_ID, id);
    }
    let is_html = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_html {
        headers
            .entry(header::CONTENT_SECURITY_POLICY)
            .or_insert(HeaderValue::from_static(LAST_RESORT_CSP));
    }
    if is_tls {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000"),
        );
    }
}

fn new_id(app: &App) -> String {
    let now = app.clock.now();
    let seconds = u64::try_from(now.as_second()).unwrap_or_default();
    let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, nanos)).to_string()
}

/// The answer of a handler that panicked; the hook has logged where.
pub(crate) fn after_panic(_: Box<dyn Any + Send + 'static>) -> http::Response<Body> {
    (StatusCode::INTERNAL_SERVER_ERROR, Body::empty()).into_response()
}
