//! Added to every response: a request id, security headers and a log line.

use std::any::Any;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_server::client::{ClientInfo, PeerInfo};
use tracing::Instrument;

use crate::state::App;

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

/// The outermost layer.
pub(crate) async fn add_headers(app: App, request: Request, next: Next) -> Response {
    let id = new_id();
    let is_tls = request
        .extensions()
        .get::<PeerInfo>()
        .is_some_and(|connection| connection.is_tls);
    let span = describe(&id, &request);
    let started = app.clock.uptime();
    let mut response = next.run(request).instrument(span.clone()).await;
    span.in_scope(|| {
        let took = app.clock.uptime().saturating_sub(started);
        tracing::debug!(
            status = response.status().as_u16(),
            took_us = took.as_micros() as u64,
            "answered"
        );
    });
    add_to_response(&mut response, &id, is_tls);
    response
}

/// The span for all log lines of a request.
fn describe(id: &str, request: &Request) -> tracing::Span {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("none", MatchedPath::as_str);
    let address = request
        .extensions()
        .get::<ClientInfo>()
        .map(|client| client.address);
    let address = address.map(tracing::field::display);
    tracing::info_span!("request", id, method = %request.method(), route, address)
}

fn add_to_response(response: &mut Response, id: &str, is_tls: bool) {
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    if let Ok(id) = HeaderValue::from_str(id) {
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

/// A request id for log lines and the response: the first half makes it unique across restarts, the second within a
/// run.
fn new_id() -> String {
    static RUN: LazyLock<u32> = LazyLock::new(|| {
        let mut bytes = [0; 4];
        aws_lc_rs::rand::fill(&mut bytes)
            .expect("the system's random generator does not fail once the process runs");
        u32::from_ne_bytes(bytes)
    });
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:08x}-{:08x}", *RUN, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The answer when a handler panicked; the hook has logged where.
pub(crate) fn after_panic(_: Box<dyn Any + Send + 'static>) -> http::Response<Body> {
    (StatusCode::INTERNAL_SERVER_ERROR, Body::empty()).into_response()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;

    async fn boom() -> &'static str {
        panic!("a bug in one handler")
    }

    #[tokio::test]
    async fn a_handler_that_panics_is_answered_with_an_empty_500() {
        let router: Router = Router::new()
            .route("/", get(boom))
            .layer(CatchPanicLayer::custom(after_panic));
        let request = Request::builder().uri("/").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let body = axum::body::to_bytes(response.into_body(), 10)
            .await
            .unwrap();
        assert!(body.is_empty());
    }
}
