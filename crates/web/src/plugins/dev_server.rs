//! A plugin in its author's dev server: its pages as on a real server, and a chat to try it with.
//!
//! For this machine only: there is no password. `Authorization: Bearer admin` makes a request the operator's, `Bearer
//! user:<name>` a viewer's.

mod actions;
mod page;
mod pulse;
mod state;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use ::plugin_tools::dev_server::DevServer;
use ::plugins::gate::{self, SessionKey};
use ::plugins::host::Level;
use ::plugins::host::wire::{User, time};
use ::plugins::http::MAX_REQUEST_BODY_BYTES;
use ::plugins::runtime::Runtime;
use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use http_server::client::{ClientInfo, PeerInfo, text};
use jiff::Timestamp;
use model::Secret;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::host_context::HostContext;
use super::serve::{self, Visit};
use super::{baseline, session};
use crate::public::not_found;
use crate::route::preflight;

/// Where the author drives the plugin.
const DRIVING: &str = "/_dev/";

/// What the author's page asks for again and again. It is not written down: that would be news for the page.
const LOOKED_AT: [&str; 10] = [
    "/",
    "/_dev/data",
    "/_dev/icon.svg",
    "/_dev/page.css",
    "/_dev/page.js",
    "/_dev/parts.js",
    "/_dev/pulse",
    "/_dev/samples",
    "/_dev/state",
    "/favicon.ico",
];

/// The handlers' shared state.
#[derive(Clone, Debug)]
struct DevServerState(Arc<DevServerInner>);

#[derive(Debug)]
struct DevServerInner {
    dev_server: Arc<DevServer>,
    /// Sessions are signed with a key of this process.
    key: SessionKey,
    /// When the dev server was started.
    started: String,
    /// Slots for pages that listen.
    listening: Arc<Semaphore>,
}

/// Serves a dev server on a listener, which should be reachable from this machine only.
///
/// # Errors
/// When the listener fails.
pub async fn serve_dev_server(listener: TcpListener, dev_server: Arc<DevServer>) -> io::Result<()> {
    let mut key = [0; 32];
    aws_lc_rs::rand::fill(&mut key)
        .expect("the system's random generator does not fail once the process runs");
    let server = DevServerState(Arc::new(DevServerInner {
        key: SessionKey::new(&key),
        started: time(dev_server.clock().now()),
        listening: Arc::new(Semaphore::new(pulse::MAX_LISTENING)),
        dev_server,
    }));
    let pages = get(visit).post(visit).put(visit).patch(visit).delete(visit);
    let pages = pages.options(async || preflight(serve::HEADERS, serve::METHODS));
    let body_limit = || DefaultBodyLimit::max(actions::MAX_INPUT_BYTES);
    let seen = server.clone();
    let router = Router::new()
        .route("/", get(page::page))
        .route("/_dev/page.css", get(page::style))
        .route("/_dev/page.js", get(page::script))
        .route("/_dev/parts.js", get(page::parts))
        .route("/_dev/icon.svg", get(page::icon))
        // Browsers request it on their own, on every plugin page that names no icon.
        .route("/favicon.ico", get(page::icon))
        .route("/_dev/pulse", get(pulse::pulse))
        .route("/_dev/state", get(state::state))
        .route("/_dev/data", get(state::data))
        .route("/_dev/samples", get(state::samples))
        .route("/_dev/tab/{name}", get(state::tab))
        .route(
            "/_dev/chat",
            get(actions::chat).post(actions::say).layer(body_limit()),
        )
        .route("/_dev/event", post(actions::tell).layer(body_limit()))
        .route("/styles/plugin.css", get(baseline))
        .route("/plugins/{slug}", pages.clone())
        .route("/plugins/{slug}/", pages.clone())
        .route("/plugins/{slug}/{*path}", pages)
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(MAX_REQUEST_BODY_BYTES))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            see(seen.clone(), request, next)
        }))
        .with_state(server);
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).await
}

/// Logs each request, and rejects those that another site's page triggered.
async fn see(server: DevServerState, request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let asked = request.uri().path_and_query();
    let asked = format!("{method} {}", asked.map_or("/", |path| path.as_str()));
    let host = asked_host(request.uri(), request.headers());
    let response = if !is_of_this_machine(host) {
        let why = "this is a development server: open it as localhost or 127.0.0.1\n";
        (StatusCode::FORBIDDEN, why).into_response()
    } else if path.starts_with(DRIVING) && is_of_another_page(host, request.headers()) {
        let why =
            "only this server's own page and programs outside a browser can control a plugin\n";
        (StatusCode::FORBIDDEN, why).into_response()
    } else {
        next.run(request).await
    };
    let status = response.status();
    let is_a_look = method == Method::GET && LOOKED_AT.contains(&path.as_str());
    if !is_a_look || !status.is_success() {
        let level = match status.is_server_error() {
            true => Level::Error,
            false => Level::Info,
        };
        let line = format!("{asked} {}", status.as_u16());
        server
            .0
            .dev_server
            .sample_server()
            .write(level, "request", &line);
    }
    response
}

/// The host name of the request.
fn asked_host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> &'a str {
    match uri.authority() {
        Some(authority) => authority.as_str(),
        None => text(headers, header::HOST),
    }
}

/// Another host name may resolve to this machine too, and a page there could then read and do everything here.
fn is_of_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.to_ascii_lowercase().ends_with(".localhost")
        || address
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Whether a foreign page makes the browser ask: one on the web, or one of the plugin, which has an opaque origin.
fn is_of_another_page(host: &str, headers: &HeaderMap) -> bool {
    let is_led = matches!(text(headers, "sec-fetch-site"), "cross-site" | "same-site");
    // Following a link to a tab only shows it to whoever clicked.
    let is_visit = text(headers, "sec-fetch-mode") == "navigate";
    has_foreign_origin(host, headers) || (is_led && !is_visit)
}

/// Whether the browser reports that the request comes from a foreign page.
fn has_foreign_origin(host: &str, headers: &HeaderMap) -> bool {
    headers.get(header::ORIGIN).is_some_and(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        let origin = origin.split_once("://").map(|(_, origin)| origin);
        !origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    })
}

/// Every method of `/plugins/{slug}` and below.
async fn visit(
    State(server): State<DevServerState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
) -> Response {
    let is_tls = false;
    request.extensions_mut().insert(PeerInfo { peer, is_tls });
    let client = ClientInfo {
        address: peer.ip(),
        is_secure: is_tls,
        hosts: Vec::new(),
    };
    let mut response = serve::visit(Arc::new(server), client, request).await;
    // Plugin pages have an origin of their own, here as on a server, and fetch their own files from it.
    let everybody = HeaderValue::from_static("*");
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
    response
}

fn named(id: String, display_name: String) -> User {
    User {
        id,
        display_name,
        is_authenticated: true,
        ..User::default()
    }
}

/// The value after `Bearer`.
fn bearer(headers: &HeaderMap) -> &str {
    let given = text(headers, header::AUTHORIZATION).split_once(' ');
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    given.map_or("", |(_, token)| token.trim())
}

impl HostContext for DevServerState {
    fn running(&self) -> &Runtime {
        self.0.dev_server.runtime()
    }

    fn now(&self) -> Timestamp {
        self.0.dev_server.clock().now()
    }

    fn is_by_operator<'a>(&'a self, visit: &'a Visit) -> BoxFuture<'a, Result<bool, Response>> {
        let Parts { uri, headers, .. } = &visit.parts;
        let is_meant = visit.is_for_operator || bearer(headers) == "admin";
        // Any page on the web can send requests to this machine. The plugin's own operator pages bring a pass.
        let is_led = has_foreign_origin(asked_host(uri, headers), headers);
        Box::pin(std::future::ready(Ok(is_meant && !is_led)))
    }

    fn viewer<'a>(&'a self, parts: &'a Parts) -> BoxFuture<'a, Option<User>> {
        let name = bearer(&parts.headers).strip_prefix("user:");
        let name = name.filter(|name| !name.is_empty());
        let viewer = match name {
            Some(name) => Some(named(format!("u-{name}"), name.to_owned())),
            None => session::cookie_of(&parts.headers)
                .and_then(|cookie| gate::open(&self.0.key, cookie, self.now()))
                .and_then(|id| self.0.dev_server.sample_server().user(id.expose())),
        };
        Box::pin(std::future::ready(viewer))
    }

    fn session_cookie<'a>(
        &'a self,
        token: &'a Secret,
        ttl: Duration,
        is_https: bool,
    ) -> BoxFuture<'a, Option<String>> {
        let value = gate::seal(&self.0.key, token, self.now() + ttl);
        let cookie = gate::set_cookie(&value, ttl, is_https);
        Box::pin(std::future::ready(Some(cookie)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in [
            "localhost:8080",
            "127.0.0.1:8080",
            "127.0.0.1",
            "[::1]:80",
            "LOCALHOST",
            "my.localhost:1",
        ] {
            assert!(is_of_this_machine(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example:8080",
            "10.0.0.1:8080",
            "127.0.0.1.evil.example",
        ] {
            assert!(!is_of_this_machine(host), "{host}");
        }
    }

    #[test]
    fn only_the_workshops_own_page_and_programs_drive_a_plugin() {
        let headers = |all: &[(&'static str, &'static str)]| {
            let all = all.iter().map(|(name, value)| {
                let name = http::HeaderName::from_static(name);
                (name, HeaderValue::from_static(value))
            });
            all.collect::<HeaderMap>()
        };
        for own in [
            &[][..],
            &[("origin", "http://localhost:8080")],
            &[
                ("origin", "http://LOCALHOST:8080"),
                ("sec-fetch-site", "same-origin"),
            ],
            &[("sec-fetch-site", "none")],
            &[
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
            ],
        ] {
            assert!(
                !is_of_another_page("localhost:8080", &headers(own)),
                "{own:?}"
            );
        }
        for other in [
            &[("origin", "https://evil.example")][..],
            &[("origin", "http://localhost:3000")],
            &[("origin", "null")],
            &[("origin", "")],
            &[("sec-fetch-site", "same-site")],
            &[
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "no-cors"),
            ],
            &[("origin", "null"), ("sec-fetch-mode", "navigate")],
        ] {
            assert!(
                is_of_another_page("localhost:8080", &headers(other)),
                "{other:?}"
            );
        }
    }

    #[test]
    fn a_bearer_is_read_whatever_the_case_of_its_word() {
        let headers = |value: &'static str| {
            let value = HeaderValue::from_static(value);
            HeaderMap::from_iter([(header::AUTHORIZATION, value)])
        };
        assert_eq!(bearer(&headers("Bearer admin")), "admin");
        assert_eq!(bearer(&headers("bearer  user:ann")), "user:ann");
        assert_eq!(bearer(&headers("Basic admin")), "");
        assert_eq!(bearer(&HeaderMap::new()), "");
    }
}
