//! A plugin in its author's workshop: its pages as on a server, and a chat to try it with.
//!
//! Only for this machine: nobody is asked for a password. `Authorization: Bearer admin` makes a request the operator's,
//! `Bearer user:<name>` that of a viewer.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use ::plugins::gate::{self, SessionKey};
use ::plugins::guests::Guests;
use ::plugins::host::wire::{ChatMessage, User};
use ::plugins::http::MAX_REQUEST_BODY_BYTES;
use ::plugins::workshop::{NotTold, Said, Workshop};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use jiff::Timestamp;
use model::Secret;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::net::TcpListener;

use super::place::Place;
use super::serve::{self, Visit};
use super::{baseline, session};
use crate::client::{Client, Connection, text};
use crate::public::not_found;
use crate::route::preflight;

/// Who says something when nobody is named.
const SOMEBODY: &str = "dev-user";

/// A workshop with a door.
#[derive(Clone, Debug)]
struct Shop(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    workshop: Arc<Workshop>,
    guests: Arc<dyn Guests>,
    /// Sessions are signed with a key of this process.
    key: SessionKey,
}

/// Who says something.
#[derive(Deserialize)]
#[serde(untagged)]
enum Speaker {
    Named(String),
    Known(Box<User>),
}

#[derive(Deserialize)]
struct Line {
    user: Option<Speaker>,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
struct Happening {
    #[serde(default, rename = "type")]
    event: String,
    payload: Option<Box<RawValue>>,
}

/// What became of a line; the order of the fields is that of the wire.
#[derive(Serialize)]
struct Judged {
    allowed: bool,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Box<ChatMessage>>,
}

/// Serves a workshop on a listener, which is to be one that only this machine reaches.
///
/// # Errors
/// When the listener fails.
pub async fn serve_workshop(listener: TcpListener, workshop: Arc<Workshop>) -> io::Result<()> {
    let mut key = [0; 32];
    aws_lc_rs::rand::fill(&mut key)
        .expect("the system's random generator does not fail once the process runs");
    let shop = Shop(Arc::new(Inside {
        guests: Arc::new(workshop.runtime().clone()),
        key: SessionKey::new(&key),
        workshop,
    }));
    let pages = get(visit).post(visit).put(visit).patch(visit).delete(visit);
    let pages = pages.options(async || preflight(serve::HEADERS, serve::METHODS));
    let seen = shop.clone();
    let router = Router::new()
        .route("/", get(usage))
        .route("/_dev/chat", get(chat).post(say))
        .route("/_dev/event", post(tell))
        .route("/styles/plugin.css", get(baseline))
        .route("/plugins/{slug}", pages.clone())
        .route("/plugins/{slug}/", pages.clone())
        .route("/plugins/{slug}/{*path}", pages)
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(MAX_REQUEST_BODY_BYTES))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            see(seen.clone(), request, next)
        }))
        .with_state(shop);
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).await
}

/// Writes down who asked for what, and sends those away who were led here by somebody else's page.
async fn see(shop: Shop, request: Request, next: Next) -> Response {
    let path = request.uri().path_and_query();
    let asked = format!(
        "{} {}",
        request.method(),
        path.map_or("/", |path| path.as_str())
    );
    let host = match request.uri().authority() {
        Some(authority) => authority.as_str(),
        None => text(request.headers(), header::HOST),
    };
    let response = match is_of_this_machine(host) {
        true => next.run(request).await,
        false => {
            let why = "this is a workshop: ask for it as localhost or 127.0.0.1\n";
            (StatusCode::FORBIDDEN, why).into_response()
        }
    };
    let status = response.status().as_u16();
    let bench = shop.0.workshop.bench();
    bench.write(&format!("{asked} {status}"));
    response
}

/// A name somebody else chose may lead here too, and their page could then read and do everything here.
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

/// `GET /`
async fn usage(State(shop): State<Shop>) -> String {
    let slug = shop.0.workshop.slug();
    let slug = slug.as_ref().map_or("<slug>", |slug| slug.as_str());
    format!(
        "A workshop for the plugin {slug}.\n\n\
         /plugins/{slug}/      its pages; those for the operator ask for no password here\n\
         GET  /_dev/chat       what was said\n\
         POST /_dev/chat       say something: {{\"user\": \"alice\", \"body\": \"hi\"}}\n\
         POST /_dev/event      let something happen: {{\"type\": \"stream.started\", \"payload\": {{}}}}\n\n\
         Authorization: Bearer admin         the operator asks\n\
         Authorization: Bearer user:<name>   a viewer asks\n"
    )
}

/// `GET /_dev/chat`
async fn chat(State(shop): State<Shop>) -> Response {
    let messages = shop.0.workshop.bench().chat();
    Json(json!({ "messages": messages })).into_response()
}

/// `POST /_dev/chat`
async fn say(State(shop): State<Shop>, body: Bytes) -> Response {
    let Ok(line) = serde_json::from_slice::<Line>(&body) else {
        return no_json();
    };
    let user = match line.user {
        Some(Speaker::Known(user)) if *user != User::default() => *user,
        Some(Speaker::Named(name)) if !name.trim().is_empty() => named(name.clone(), name),
        _ => named(SOMEBODY.to_owned(), SOMEBODY.to_owned()),
    };
    let judged = match shop.0.workshop.say(user, &line.body).await {
        Said::Allowed(message) => Judged {
            allowed: true,
            reason: String::new(),
            message: Some(message),
        },
        Said::Dropped(reason) => Judged {
            allowed: false,
            reason,
            message: None,
        },
    };
    Json(judged).into_response()
}

/// `POST /_dev/event`
async fn tell(State(shop): State<Shop>, body: Bytes) -> Response {
    let Ok(happening) = serde_json::from_slice::<Happening>(&body) else {
        return no_json();
    };
    let event = happening.event.trim();
    if event.is_empty() {
        let why = "type is missing: name an event, such as stream.started\n";
        return (StatusCode::BAD_REQUEST, why).into_response();
    }
    let nothing = RawValue::from_string("{}".to_owned()).ok();
    let Some(payload) = happening.payload.or(nothing) else {
        return no_json();
    };
    match shop.0.workshop.tell(event, &payload).await {
        Ok(()) => Json(json!({ "dispatched": event })).into_response(),
        Err(error) => {
            let status = match error {
                NotTold::NoMessage(_) => StatusCode::BAD_REQUEST,
                NotTold::NotRunning => StatusCode::SERVICE_UNAVAILABLE,
            };
            (status, format!("{error}\n")).into_response()
        }
    }
}

/// Every method of `/plugins/{slug}` and below.
async fn visit(
    State(shop): State<Shop>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
) -> Response {
    let is_tls = false;
    request.extensions_mut().insert(Connection { peer, is_tls });
    let client = Client {
        address: peer.ip(),
        is_secure: is_tls,
        hosts: Vec::new(),
    };
    let mut response = serve::visit(Arc::new(shop), client, request).await;
    // Pages of plugins have an origin of their own, here as there, and ask for their own things from it.
    let everybody = HeaderValue::from_static("*");
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
    response
}

fn no_json() -> Response {
    (StatusCode::BAD_REQUEST, "invalid JSON body\n").into_response()
}

fn named(id: String, display_name: String) -> User {
    User {
        id,
        display_name,
        is_authenticated: true,
        ..User::default()
    }
}

/// What comes behind `Bearer`.
fn bearer(headers: &HeaderMap) -> &str {
    let given = text(headers, header::AUTHORIZATION).split_once(' ');
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    given.map_or("", |(_, token)| token.trim())
}

impl Place for Shop {
    fn guests(&self) -> &Arc<dyn Guests> {
        &self.0.guests
    }

    fn now(&self) -> Timestamp {
        self.0.workshop.clock().now()
    }

    fn is_by_operator<'a>(&'a self, visit: &'a Visit) -> BoxFuture<'a, Result<bool, Response>> {
        let is_allowed = visit.is_for_operator || bearer(&visit.parts.headers) == "admin";
        Box::pin(std::future::ready(Ok(is_allowed)))
    }

    fn viewer<'a>(&'a self, parts: &'a Parts) -> BoxFuture<'a, Option<User>> {
        let name = bearer(&parts.headers).strip_prefix("user:");
        let name = name.filter(|name| !name.is_empty());
        let viewer = match name {
            Some(name) => Some(named(format!("u-{name}"), name.to_owned())),
            None => session::cookie_of(&parts.headers)
                .and_then(|cookie| gate::open(&self.0.key, cookie, self.now()))
                .and_then(|id| self.0.workshop.bench().user(id.expose())),
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
