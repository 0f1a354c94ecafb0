//! A page of a plugin that somebody opens by itself: a page of ours around it.
//!
//! Our page can find out who looks and has an origin to ask with; the plugin's page comes in a frame, with a pass in its
//! path. So the pass never stands where people copy addresses from.

use ::plugins::http::{Route, route};
use ::plugins::permission::Permission;
use axum::response::{Html, IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde_json::json;
use url::Url;

use super::operator;
use super::passes::PassHolder;
use super::serve::Visit;
use crate::app::App;
use crate::client::text;
use crate::html::escaped;
use crate::pages::nonce;
use crate::public::content_type;

const SCRIPT: &str = include_str!("shell/shell.js");

/// Opens links and forms that lead to other sites in windows of their own.
const LINKS: &str = include_str!("shell/links.js");

/// Programs that lay a page over a picture. They put styles of their own into it, which would not reach a frame, and
/// nobody looks at it there.
const STUDIOS: [&str; 5] = ["OBS/", "Streamlabs", "XSplit", "vMix", "PRISM"];

/// Never the origin of our page: the plugin's scripts could then act as the viewer.
const SANDBOX: &str = "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals";

/// What a browser wants an answer for: a page of its own, a frame, a picture.
pub(super) fn destination(headers: &HeaderMap) -> &str {
    text(headers, "sec-fetch-dest")
}

/// The answer to somebody who opens a page by itself; nothing when the plugin is to answer.
pub(super) fn opened_alone(app: &App, visit: &Visit) -> Option<Response> {
    let headers = &visit.parts.headers;
    if destination(headers) != "document" {
        return None;
    }
    if visit.parts.extensions.get::<PassHolder>().is_some() {
        // From a link or a form that opens a new window.
        let clean = visit.parts.uri.path_and_query()?.as_str();
        return Some(without_pass(&visit.parts.method, clean));
    }
    let agent = text(headers, header::USER_AGENT);
    let is_studio = STUDIOS.iter().any(|studio| agent.contains(studio));
    if visit.parts.method != Method::GET || is_studio {
        return None;
    }
    let list = app.plugins.installed.list();
    // Its sign-in gives cookies, which a frame without an origin does not keep.
    let is_gate = list
        .gate()
        .is_some_and(|entry| entry.slug.as_str() == visit.plugin.slug());
    (!is_gate && !visit.is_for_operator && is_page(visit)).then(|| page(visit))
}

/// Leads to an address that has no pass in it, where people copy addresses from.
pub(super) fn without_pass(method: &Method, clean: &str) -> Response {
    let status = match *method {
        Method::GET | Method::HEAD => StatusCode::FOUND,
        _ => StatusCode::TEMPORARY_REDIRECT,
    };
    let headers = [
        (header::LOCATION, clean),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (status, headers).into_response()
}

fn is_page(visit: &Visit) -> bool {
    let package = visit.plugin.package();
    let may_serve = visit.plugin.permissions().has(Permission::HttpServe);
    let routed = route(&visit.path, true, may_serve, |name| {
        package.has_public(name)
    });
    match routed {
        Route::File(name) => content_type(&name).starts_with("text/html"),
        Route::Code => text(&visit.parts.headers, header::ACCEPT).contains("text/html"),
        Route::Events(_) | Route::Folder | Route::Nobody => false,
    }
}

fn page(visit: &Visit) -> Response {
    let slug = visit.plugin.slug();
    let whole = visit.parts.uri.path();
    let path = whole
        .strip_prefix(&format!("/plugins/{slug}"))
        .unwrap_or_default();
    let path = match path {
        "" => "/",
        path => path,
    };
    let nonce = nonce();
    // `<` is the only character that could end the script element early.
    let boot = json!({ "slug": slug, "path": path })
        .to_string()
        .replace('<', "\\u003c");
    let name = escaped(&visit.plugin.manifest().name);
    // No colour scheme: a frame of another one is not transparent.
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}</title>\n\
         <link rel=\"icon\" href=\"/logo\">\n\
         <style nonce=\"{nonce}\">html, body {{ height: 100%; margin: 0 }} iframe {{ display: block; width: 100%; height: 100%; border: 0 }}</style>\n\
         </head>\n<body>\n<iframe title=\"{name}\" sandbox=\"{SANDBOX}\" allow=\"fullscreen\" referrerpolicy=\"no-referrer\"></iframe>\n\
         <noscript>This page needs JavaScript.</noscript>\n\
         <script id=\"boot\" type=\"application/json\">{boot}</script>\n<script nonce=\"{nonce}\">{SCRIPT}</script>\n</body>\n</html>\n"
    );
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src 'self'; connect-src 'self'; \
         frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let mut response = Html(page).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    headers.insert(header::VARY, HeaderValue::from_static("Sec-Fetch-Dest"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// What the answer to somebody with a pass is like: kept by nobody, and a way out of the frame when it leads to somewhere
/// that would not let itself be framed.
pub(super) async fn framed(visit: &Visit, mut response: Response) -> Response {
    if visit.parts.extensions.get::<PassHolder>().is_none() {
        return response;
    }
    if destination(&visit.parts.headers) == "iframe" {
        response = match outside(visit, &response) {
            Some(to) => way_out(&to),
            None => with_way_out(visit, response).await,
        };
    }
    let kept = HeaderValue::from_static("private, no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, kept);
    response
}

/// Where a plugin sends on to, when that is not on this server.
fn outside(visit: &Visit, response: &Response) -> Option<Url> {
    let to = response.headers().get(header::LOCATION)?.to_str().ok()?;
    let here = Url::parse(&format!("http://here.invalid{}", visit.parts.uri.path())).ok()?;
    let there = here.join(to).ok()?;
    let name = there.host_str()?;
    let with_port = there
        .port()
        .map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
    let is_here = name == "here.invalid" || visit.client.hosts.contains(&with_port);
    (!is_here && matches!(there.scheme(), "http" | "https")).then_some(there)
}

/// The page, with a few lines that let what leads to other sites open a window of its own: they would not let themselves
/// be framed.
async fn with_way_out(visit: &Visit, response: Response) -> Response {
    let home = format!("/plugins/{}/", visit.plugin.slug());
    let script = LINKS.replace("__HOME__", &home);
    operator::with_script(response, &script).await
}

fn way_out(to: &Url) -> Response {
    let address = json!(to.as_str()).to_string().replace('<', "\\u003c");
    let name = escaped(to.host_str().unwrap_or_default());
    let href = escaped(to.as_str());
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\"><title>{name}</title>\
         <p><a href=\"{href}\" target=\"_blank\" rel=\"noopener noreferrer\">{name}</a></p>\
         <script>parent.postMessage({{ rillcastOpen: {address} }}, \"*\")</script>\n"
    );
    Html(page).into_response()
}
