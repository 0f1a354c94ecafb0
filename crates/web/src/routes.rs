//! Every route of the server: method, path, access rule, limits, handler.

mod admin;
mod chat;
mod description;
mod federation;
mod identity;
mod integrations;
mod measures;
mod pages;
mod past_streams;
mod plugins;
mod public;
mod schedule;
mod video;
mod videos;
mod webhooks;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use http::HeaderName;
use http_server::{RequestHandler, client};
use tower::ServiceExt;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::plugins::{destination, pass_on};
use crate::public::not_found;
use crate::route::{Doc, Route, RouteRow, routers};
use crate::state::App;
use crate::{headers, hls, page};

pub use description::openapi_document;

/// Which machine of a cluster has answered.
const NODE: HeaderName = HeaderName::from_static("x-rillcast-node");
/// What `sid` is for.
const PLAYER_SESSION: &str = "An id the player makes up for itself, at most 64 bytes: players with the same address and user agent are told apart by it";

/// The table, group by group.
fn routes() -> Vec<Route> {
    let groups = [
        pages::rows(),
        public::rows(),
        chat::rows(),
        schedule::rows(),
        integrations::rows(),
        identity::rows(),
        admin::rows(),
        webhooks::rows(),
        measures::rows(),
        past_streams::rows(),
        video::rows(),
        videos::rows(),
        federation::rows(),
        plugins::rows(),
    ];
    groups.into_iter().flatten().collect()
}

/// The table without handlers, for tests and documentation.
pub fn table() -> Vec<RouteRow> {
    routes().into_iter().map(|route| route.row).collect()
}

/// The table with its rows' documentation.
pub(crate) fn described() -> Vec<(RouteRow, Doc)> {
    let routes = routes().into_iter();
    routes.map(|route| (route.row, route.doc)).collect()
}

/// The whole HTTP surface. Media goes straight to its handler: with thousands of players even the route lookup is
/// noticeable.
pub fn request_handler(app: &App) -> RequestHandler {
    let answer = answers(app);
    let Some(node) = app.facts.node_header.clone() else {
        return answer;
    };
    Arc::new(move |request| {
        let (answering, node) = (answer(request), node.clone());
        Box::pin(async move {
            let mut response = answering.await;
            response.headers_mut().insert(NODE, node);
            response
        })
    })
}

/// The same for requests that another machine passes on, because plugins run on this one.
pub fn plugin_handler(app: &App) -> RequestHandler {
    let router = build(app);
    Arc::new(move |request| {
        let answering = router.clone().oneshot(request);
        Box::pin(async move {
            let Ok(response) = answering.await;
            response
        })
    })
}

fn answers(app: &App) -> RequestHandler {
    let router = build(app);
    let app = app.clone();
    Arc::new(move |request| {
        if hls::is_for_media(&request) {
            let app = app.clone();
            return Box::pin(async move { hls::answer(&app, request.into_parts().0).await });
        }
        if let Some(holder) = destination(&app, request.uri().path()) {
            let router = router.clone();
            return Box::pin(async move {
                let request = match pass_on(holder, request).await {
                    Ok(response) => return response,
                    Err(request) => request,
                };
                let Ok(response) = router.oneshot(request).await;
                response
            });
        }
        let answering = router.clone().oneshot(request);
        Box::pin(async move {
            let Ok(response) = answering.await;
            response
        })
    })
}

fn build(app: &App) -> Router {
    let identified = app.clone();
    let with_headers = app.clone();
    let with_pages = app.clone();
    let (usual, media) = routers(routes(), app);
    let (federated, gated) = (app.clone(), app.clone());
    usual
        .fallback(not_found)
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            crate::federation::require_enabled(federated.clone(), request, next)
        }))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            crate::plugins::pass_gate(gated.clone(), request, next)
        }))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(CatchPanicLayer::custom(headers::after_panic))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            page::add_error_page(with_pages.clone(), request, next)
        }))
        .layer(middleware::from_fn(move |request: Request, next: Next| {
            headers::add_headers(with_headers.clone(), request, next)
        }))
        .layer(middleware::from_fn(
            move |mut request: Request, next: Next| {
                client::identify(&identified.trusted_proxies, &mut request);
                next.run(request)
            },
        ))
        .merge(media)
        .with_state(app.clone())
}
