//! The page on which an author tries a plugin: three embedded files and an image.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, header};
use http_server::client::text;

use super::DevServerState;

const PAGE: &str = include_str!("page/index.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
const PARTS: &str = include_str!("page/parts.js");
const ICON: &str = include_str!("page/icon.svg");

/// Its own files and its own questions, nothing else; and nobody shows it inside theirs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// `GET /`: the page for browsers, usage instructions for other clients.
pub(super) async fn page(State(server): State<DevServerState>, headers: HeaderMap) -> Response {
    match text(&headers, header::ACCEPT).contains("text/html") {
        true => file("text/html; charset=utf-8", PAGE),
        false => ([(header::VARY, "Accept")], usage(&server)).into_response(),
    }
}

/// `GET /_dev/page.css`
pub(super) async fn style() -> Response {
    file("text/css; charset=utf-8", STYLE)
}

/// `GET /_dev/page.js`
pub(super) async fn script() -> Response {
    file("text/javascript; charset=utf-8", SCRIPT)
}

/// `GET /_dev/parts.js`
pub(super) async fn parts() -> Response {
    file("text/javascript; charset=utf-8", PARTS)
}

/// `GET /_dev/icon.svg` and `GET /favicon.ico`
pub(super) async fn icon() -> Response {
    file("image/svg+xml", ICON)
}

fn file(kind: &'static str, content: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        // A newer program has a newer page.
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "Accept"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, content).into_response()
}

fn usage(server: &DevServerState) -> String {
    let slug = server.0.dev_server.slug();
    let slug = slug.as_ref().map_or("<slug>", |slug| slug.as_str());
    format!(
        "A development server for the plugin {slug}. Open this address in a browser to try the plugin.\n\n\
         /plugins/{slug}/      its pages; those for the operator ask for no password here\n\
         GET  /_dev/chat       the messages in the chat\n\
         POST /_dev/chat       send a message: {{\"user\": \"alice\", \"body\": \"hi\"}}\n\
         POST /_dev/event      trigger an event: {{\"type\": \"stream.started\", \"payload\": {{}}}}\n\
         GET  /_dev/samples    an example of each event\n\
         GET  /_dev/state      the plugin, the chat and what happened; ?since=<id of the last note seen>\n\
         GET  /_dev/data       what the plugin keeps: values, tables and files\n\n\
         Authorization: Bearer admin         to act as the operator\n\
         Authorization: Bearer user:<name>   to act as a viewer\n"
    )
}
