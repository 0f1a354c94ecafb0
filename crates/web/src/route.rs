//! A row of the route table, and the router made of such rows.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use http::{HeaderValue, Method, StatusCode, header};

use crate::app::App;
use crate::guard;

/// Bytes a request body may have unless its row says otherwise.
const DEFAULT_BODY_BYTES: usize = 64 * 1024;

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody.
    Public,
    /// Anybody, but from our own pages only: where the operator proves who they are.
    AdminDoor,
    /// The operator, by Basic or session cookie.
    Admin,
    /// The operator's pages: strangers get the sign-in page with status 401.
    AdminPage,
}

/// Which other origins may read the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cors {
    /// None; no header is sent.
    SameOrigin,
    /// All of them, never with credentials.
    Everybody,
}

/// What the table says about a route, without its handler.
#[derive(Clone, Debug)]
pub struct RouteRow {
    /// GET also answers HEAD.
    pub method: Method,
    /// In axum's notation.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// Who may read it.
    pub cors: Cors,
    /// Bytes a request body may have.
    pub body_bytes: usize,
}

/// A row with its handler.
pub(crate) struct Route {
    pub(crate) row: RouteRow,
    handler: MethodRouter<App>,
}

impl Route {
    pub(crate) fn new<H, T>(method: Method, path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, App>,
        T: 'static,
    {
        let filter =
            MethodFilter::try_from(method.clone()).expect("the table names standard methods");
        let cors = match access {
            Access::Public => Cors::Everybody,
            Access::AdminDoor | Access::Admin | Access::AdminPage => Cors::SameOrigin,
        };
        let row = RouteRow {
            method,
            path,
            access,
            cors,
            body_bytes: DEFAULT_BODY_BYTES,
        };
        Self {
            row,
            handler: on(filter, handler),
        }
    }

    /// Another limit for the request body.
    pub(crate) fn body_bytes(mut self, limit: usize) -> Self {
        self.row.body_bytes = limit;
        self
    }
}

/// The router of all rows.
pub(crate) fn router(routes: Vec<Route>, app: &App) -> Router<App> {
    let mut router = Router::new();
    let mut preflights: Vec<&'static str> = Vec::new();
    for Route { row, handler } in routes {
        let RouteRow {
            path,
            access,
            cors,
            body_bytes,
            ..
        } = row;
        let guarded = app.clone();
        let handler = handler
            .layer(DefaultBodyLimit::max(body_bytes))
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                guard::check(guarded.clone(), access, request, next)
            }))
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                share(cors, request, next)
            }));
        router = router.route(path, handler);
        if cors == Cors::Everybody && !preflights.contains(&path) {
            preflights.push(path);
            router = router.route(path, on(MethodFilter::OPTIONS, preflight));
        }
    }
    router
}

/// Adds the CORS header a row asks for, to errors too, so that a browser can read them.
async fn share(cors: Cors, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if cors == Cors::Everybody {
        response.headers_mut().insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        );
    }
    response
}

async fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, OPTIONS"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type",
        ),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}
