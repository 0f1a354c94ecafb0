//! Pages for people who open an address that does not exist, or that fails. Programs get the short plain text.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_server::client::text;
use model::settings::table::NAME;

use super::message::MessagePage;
use crate::language::Language;
use crate::pages;
use crate::state::App;

/// Addresses for programs; their errors stay as they are.
const FOR_PROGRAMS: [&str; 12] = [
    "/api",
    "/hls",
    "/public",
    "/plugins",
    "/assets",
    "/img",
    "/federation",
    "/.well-known",
    "/nodeinfo",
    "/ws",
    "/healthz",
    "/readyz",
];

/// Style sheets and the logo, nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; \
     base-uri 'none'; form-action 'none'";

/// Puts a page in place of a short error, for a person who opened the address in a browser.
pub(crate) async fn add_error_page(app: App, request: Request, next: Next) -> Response {
    let is_by_person = is_for_people(request.uri().path())
        && *request.method() == Method::GET
        && is_navigation(request.headers());
    if !is_by_person {
        return next.run(request).await;
    }
    let language = Language::of(request.headers());
    let response = next.run(request).await;
    let status = response.status();
    let kind = text(response.headers(), header::CONTENT_TYPE);
    let is_error = matches!(
        status,
        StatusCode::NOT_FOUND | StatusCode::INTERNAL_SERVER_ERROR | StatusCode::SERVICE_UNAVAILABLE
    );
    if !is_error || kind.starts_with("text/html") {
        return response;
    }
    match pages::viewer_styles() {
        Some(styles) => in_place_of(response, page(&app, status, language, &styles)),
        // This build has no pages, which is what the short answer says.
        None => response,
    }
}

fn is_for_people(path: &str) -> bool {
    !FOR_PROGRAMS.iter().any(|root| {
        let below = path.strip_prefix(root);
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    })
}

/// Whether a browser asks for a page of its own: not for a picture, and not for a frame.
fn is_navigation(headers: &HeaderMap) -> bool {
    let destination = text(headers, "sec-fetch-dest");
    let accepts_pages = text(headers, header::ACCEPT).contains("text/html");
    accepts_pages && matches!(destination, "" | "document")
}

fn page(app: &App, status: StatusCode, language: Language, styles: &str) -> String {
    let texts = language.texts();
    let notice = match status {
        StatusCode::NOT_FOUND => &texts.not_found,
        _ => &texts.failed,
    };
    let settings = app.settings.now();
    let styles = format!("{styles}\n{}", pages::operator_styles(app));
    let page = MessagePage {
        language,
        name: settings.text(&NAME),
        styles: &styles,
        logo: "/logo",
        notice,
    };
    page.render()
}

/// The page with the status and the other headers of the short error.
fn in_place_of(error: Response, page: String) -> Response {
    let (mut parts, _) = error.into_parts();
    for described in [
        header::CONTENT_TYPE,
        header::CONTENT_LENGTH,
        header::CONTENT_ENCODING,
        header::ETAG,
    ] {
        parts.headers.remove(described);
    }
    parts.headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    let cache = HeaderValue::from_static("no-cache");
    parts.headers.insert(header::CACHE_CONTROL, cache);
    let varies = HeaderValue::from_static("accept, accept-language, sec-fetch-dest");
    parts.headers.append(header::VARY, varies);
    (parts.status, parts.headers, Html(page)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|&(name, value)| {
            (
                http::HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        HeaderMap::from_iter(pairs)
    }

    #[test]
    fn only_a_person_who_opens_an_address_gets_a_page() {
        let html = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        assert!(is_navigation(&headers(&[html])));
        assert!(is_navigation(&headers(&[
            html,
            ("sec-fetch-dest", "document")
        ])));
        for program in [
            headers(&[]),
            headers(&[("accept", "*/*")]),
            headers(&[("accept", "application/json")]),
            headers(&[html, ("sec-fetch-dest", "iframe")]),
            headers(&[html, ("sec-fetch-dest", "image")]),
        ] {
            assert!(!is_navigation(&program), "{program:?}");
        }
    }

    #[test]
    fn addresses_of_programs_keep_their_short_errors() {
        for path in [
            "/api/x",
            "/api",
            "/hls/0/x.m3u8",
            "/public/a.txt",
            "/plugins/a/b",
            "/readyz",
        ] {
            assert!(!is_for_people(path), "{path}");
        }
        for path in ["/", "/nothing", "/apiary", "/admin/x", "/hlsx"] {
            assert!(is_for_people(path), "{path}");
        }
    }
}
