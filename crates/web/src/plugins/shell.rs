//! A plugin page that is opened on its own: our page around it.
//!
//! Our page can identify the viewer and has an origin to make requests with; the plugin's page is framed, with a pass
//! in its path. So the pass never appears in the address bar.

use ::plugins::http::{Route, route};
use ::plugins::permission::Permission;
use axum::response::{Html, IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_server::client::text;
use serde_json::json;
use url::Url;

use super::operator;
use super::passes::PassHolder;
use super::serve::Visit;
use crate::html::escaped;
use crate::pages::nonce;
use crate::public::content_type;
use crate::state::App;

const SCRIPT: &str = include_str!("shell/shell.js");

/// Opens links and forms that lead to other sites in windows of their own.
const LINKS: &str = include_str!("shell/links.js");

/// Programs that lay a page over a picture. They put styles of their own into it, which would not reach a frame, and
/// nobody looks at it there.
const STUDIOS: [&str; 5] = ["OBS/", "Streamlabs", "XSplit", "vMix", "PRISM"];

/// Never the origin of our page: the plugin's scripts could then act as the viewer.
const SANDBOX: &str = "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals";

/// What the browser requests: a document, a frame, an image.
pub(super) fn destination(headers: &HeaderMap) -> &str {
    text(headers, "sec-fetch-dest")
}

/// The answer to a page opened on its own; `None` if the plugin should answer.
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
    // The gate's sign-in page sets cookies, which a frame with an opaque origin would not keep.
    let is_gate = list
        .gate()
        .is_some_and(|entry| entry.slug.as_str() == visit.plugin.slug());
    (!is_gate && !visit.is_for_operator && is_page(visit)).then(|| page(visit))
}

/// Redirects to the address without the pass, because people copy addresses.
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
    // No colour scheme: a frame with a different one is not transparent.
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

/// Adapts the answer to a viewer with a pass: it is not cached, and a redirect to a site that refuses framing leaves
/// the frame.
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

/// The target of a plugin's redirect, if it is not on this server.
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

/// The page with a short script that opens links to other sites in a new window, because those sites would refuse
/// framing.
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
