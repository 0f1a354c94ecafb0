//! Guards the protocol. While federation is off, every address answers 405, whatever the method and the client. While
//! it is on, excessive reads are rate-limited.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode, header};
use http_server::client::ClientInfo;
use model::settings::table::federation::ENABLED;

use crate::state::App;

/// Addresses of the protocol outside of its own folder.
const ELSEWHERE: [&str; 6] = [
    "/.well-known/webfinger",
    "/.well-known/host-meta",
    "/.well-known/nodeinfo",
    "/.well-known/x-nodeinfo2",
    "/nodeinfo/2.0",
    "/api/v1/instance",
];

/// Runs before anything else is checked, including the method.
pub(crate) async fn require_enabled(app: App, request: Request, next: Next) -> Response {
    if !is_of_the_protocol(request.uri().path()) {
        return next.run(request).await;
    }
    if !*app.settings.now().get(&ENABLED) {
        return switched_off();
    }
    // Writes have their own limits.
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let client = request.extensions().get::<ClientInfo>();
    let limiter = &app.rate_limits.federation_reads;
    if let Some(client) = client.filter(|_| is_read)
        && let Err(retry_after) = limiter.admit(client.address, app.clock.uptime())
    {
        return too_many(retry_after);
    }
    next.run(request).await
}

fn switched_off() -> Response {
    // An empty list, because no method works.
    let headers = [
        (header::ALLOW, ""),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    (StatusCode::METHOD_NOT_ALLOWED, headers).into_response()
}

fn too_many(retry_after: Duration) -> Response {
    let seconds = retry_after.as_secs().max(1).to_string();
    let headers = [
        (header::RETRY_AFTER, seconds.as_str()),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    (StatusCode::TOO_MANY_REQUESTS, headers).into_response()
}

fn is_of_the_protocol(path: &str) -> bool {
    ELSEWHERE.contains(&path) || path == "/federation" || path.starts_with("/federation/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_the_api_are_not_of_the_protocol() {
        for path in [
            "/federation/user/live/inbox",
            "/federation/",
            "/nodeinfo/2.0",
            "/api/v1/instance",
        ] {
            assert!(is_of_the_protocol(path), "{path}");
        }
        for path in [
            "/",
            "/api/federation/servers",
            "/api/followers",
            "/federations",
            "/admin/federation/followers/",
        ] {
            assert!(!is_of_the_protocol(path), "{path}");
        }
    }
}
