//! A row of the route table, and the router made of such rows.

mod doc;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use http::{HeaderValue, Method, StatusCode, header};
use metrics::{Counter, Histogram};
use tower_http::timeout::TimeoutLayer;

pub(crate) use crate::access_rule::Access;
use crate::state::App;
use crate::{chat, guard, integrations};
pub(crate) use doc::{Doc, QueryParameter, RequestBody, ResponseBody, Shape, plain};

/// Limit (clients): size of a request body, uploads and settings excepted; a larger one gets 413.
const DEFAULT_BODY_BYTES: usize = 64 * 1024;

/// A handler that has not answered by then is given up, unless its row says otherwise; rows for media wait as long as
/// they need.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(30);

/// Which other origins may read the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cors {
    /// None; no header is sent.
    SameOrigin,
    /// All, but never with credentials.
    Everybody,
}

/// A route's entry in the table, without its handler.
#[derive(Clone, Debug)]
pub struct RouteRow {
    /// GET also answers HEAD.
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    /// Which origins may read the answer.
    pub cors: Cors,
    /// Maximum size of a request body in bytes.
    pub body_bytes: usize,
    /// How long a handler may take before it is aborted.
    pub timeout: Duration,
    /// Served without the common layers; the module for `/hls/` says why.
    pub is_media: bool,
    /// Headers that pages of other origins may send, where `cors` allows calls at all.
    pub allow_headers: &'static str,
    /// Methods that they may use.
    pub allow_methods: &'static str,
}

/// A row with its handler.
pub(crate) struct Route {
    pub(crate) row: RouteRow,
    /// What the API description says about it.
    pub(crate) doc: Doc,
    handler: MethodRouter<App>,
}

impl Route {
    fn new<H, T>(method: Method, path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, App>,
        T: 'static,
    {
        let filter =
            MethodFilter::try_from(method.clone()).expect("the table names standard methods");
        let cors = match access {
            Access::Public
            | Access::ChatUser
            | Access::Moderator
            | Access::Token(_)
            | Access::AnyToken => Cors::Everybody,
            Access::AdminAuth | Access::Admin | Access::AdminPage => Cors::SameOrigin,
        };
        let row = RouteRow {
            method,
            path,
            access,
            cors,
            body_bytes: DEFAULT_BODY_BYTES,
            timeout: HANDLER_TIMEOUT,
            is_media: false,
            allow_headers: "Authorization, Content-Type",
            allow_methods: "GET, POST, OPTIONS",
        };
        Self {
            row,
            doc: Doc::default(),
            handler: on(filter, handler),
        }
    }

    /// Without the common layers: the handler does what it needs of them itself.
    pub(crate) fn media(mut self) -> Self {
        self.row.is_media = true;
        self
    }

    /// Other headers in the preflight answer; the first row of a path decides.
    pub(crate) fn allow_headers(mut self, names: &'static str) -> Self {
        self.row.allow_headers = names;
        self
    }

    /// A longer timeout, which includes reading a large body.
    pub(crate) fn patient(mut self, timeout: Duration) -> Self {
        self.row.timeout = timeout;
        self
    }

    /// Other methods in the preflight answer; the first row of a path decides.
    pub(crate) fn allow_methods(mut self, names: &'static str) -> Self {
        self.row.allow_methods = names;
        self
    }

    /// Another limit for the request body.
    pub(crate) fn body_bytes(mut self, limit: usize) -> Self {
        self.row.body_bytes = limit;
        self
    }
}

/// A row for GET, which answers HEAD too.
pub(crate) fn get<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: Handler<T, App>,
    T: 'static,
{
    Route::new(Method::GET, path, access, handler)
}

/// A row for POST.
pub(crate) fn post<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: Handler<T, App>,
    T: 'static,
{
    Route::new(Method::POST, path, access, handler)
}

/// A row for DELETE.
pub(crate) fn delete<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: Handler<T, App>,
    T: 'static,
{
    Route::new(Method::DELETE, path, access, handler)
}

/// A row for PUT.
pub(crate) fn put<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: Handler<T, App>,
    T: 'static,
{
    Route::new(Method::PUT, path, access, handler)
}

/// A row for PATCH.
pub(crate) fn patch<H, T>(path: &'static str, access: Access, handler: H) -> Route
where
    H: Handler<T, App>,
    T: 'static,
{
    Route::new(Method::PATCH, path, access, handler)
}

/// A row's metrics, registered once so that a request neither allocates nor looks anything up.
struct RouteMetrics {
    by_class: [Counter; 5],
    seconds: Histogram,
}

impl RouteMetrics {
    fn register(row: &RouteRow) -> Self {
        let class = |name: &'static str| {
            let labels = [
                ("method", row.method.to_string()),
                ("route", row.path.into()),
                ("status", name.into()),
            ];
            metrics::counter!("rillcast_http_requests_total", &labels)
        };
        let labels = [
            ("method", row.method.to_string()),
            ("route", row.path.into()),
        ];
        Self {
            by_class: ["1xx", "2xx", "3xx", "4xx", "5xx"].map(class),
            seconds: metrics::histogram!("rillcast_http_request_seconds", &labels),
        }
    }

    fn record(&self, status: StatusCode, took: Duration) {
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        self.by_class[class].increment(1);
        self.seconds.record(took.as_secs_f64());
    }
}

/// The routers for all rows: those under the common layers, and those for media.
pub(crate) fn routers(routes: Vec<Route>, app: &App) -> (Router<App>, Router<App>) {
    let (mut usual, mut media) = (Router::new(), Router::new());
    let mut preflights: Vec<&'static str> = Vec::new();
    for Route { row, handler, .. } in routes {
        let router = if row.is_media { &mut media } else { &mut usual };
        let mut grown = std::mem::take(router);
        if row.cors == Cors::Everybody && !preflights.contains(&row.path) {
            preflights.push(row.path);
            let (headers, methods) = (row.allow_headers, row.allow_methods);
            let answer = async move || preflight(headers, methods);
            grown = grown.route(row.path, on(MethodFilter::OPTIONS, answer));
        }
        let handler = if row.is_media {
            handler
        } else {
            layered(&row, handler, app)
        };
        *router = grown.route(row.path, handler);
    }
    (usual, media)
}

/// A handler with the layers its row requires.
fn layered(row: &RouteRow, handler: MethodRouter<App>, app: &App) -> MethodRouter<App> {
    let measures = Arc::new(RouteMetrics::register(row));
    let (access, cors) = (row.access, row.cors);
    let mut handler = handler.layer(DefaultBodyLimit::max(row.body_bytes));
    if access != Access::Public {
        let guarded = app.clone();
        handler = handler.layer(middleware::from_fn(move |request: Request, next: Next| {
            check(guarded.clone(), access, request, next)
        }));
    }
    let late = StatusCode::SERVICE_UNAVAILABLE;
    let handler = handler.layer(TimeoutLayer::with_status_code(late, row.timeout));
    let shared = app.clone();
    handler.layer(middleware::from_fn(move |request: Request, next: Next| {
        share(shared.clone(), cors, Arc::clone(&measures), request, next)
    }))
}

async fn check(app: App, access: Access, request: Request, next: Next) -> Response {
    match access {
        Access::ChatUser | Access::Moderator => chat::check(app, access, request, next).await,
        Access::Token(_) | Access::AnyToken => {
            integrations::check(app, access, request, next).await
        }
        _ => guard::check(app, access, request, next).await,
    }
}

/// Counts the answer and adds the row's CORS header, also to errors, so that a browser can read them.
async fn share(
    app: App,
    cors: Cors,
    measures: Arc<RouteMetrics>,
    request: Request,
    next: Next,
) -> Response {
    let started = app.clock.uptime();
    let mut response = next.run(request).await;
    measures.record(
        response.status(),
        app.clock.uptime().saturating_sub(started),
    );
    if cors == Cors::Everybody {
        response.headers_mut().insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        );
    }
    response
}

/// The answer to a browser's preflight request.
pub(crate) fn preflight(allow_headers: &'static str, allow_methods: &'static str) -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, allow_methods),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, allow_headers),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}
