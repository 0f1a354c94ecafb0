//! Isolates plugin pages from ours, and gives the operator's plugin pages access.
//!
//! Everything a plugin sends is shown with an opaque origin: its scripts can neither read our pages nor use the
//! operator's session. A page for the operator could then not even call its own plugin, so it gets a pass that is valid
//! for the operator paths of this one plugin only, and a short script that adds the pass to the page's requests there.

use std::sync::LazyLock;
use std::time::Duration;

use ::plugins::gate::{self, SessionKey};
use axum::body::{Body, to_bytes};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, Uri, header};
use jiff::Timestamp;
use model::Secret;
use url::Url;

use super::serve::Visit;
use crate::chat::parameter;

/// The parameter with a pass. Plugins do not see it.
pub(super) const PASS: &str = "operatorPass";

/// How long a page can be left open; it is opened again after that.
const PASS_TTL: Duration = Duration::from_secs(12 * 60 * 60);

/// Scripts, forms and windows as plugins need them, but never our origin.
const APART: &str = "sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals";

/// The same for the operator's pages, which nobody else may show inside theirs.
const APART_FOR_OPERATOR: &str = "sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals; frame-ancestors 'self'";

/// Marks what was put into a page, so that it is put there once.
const MARK: &str = "data-rillcast-plugin";

/// Bytes of a page that something is put into. No answer of a plugin is larger; a larger file is sent as it is.
const MAX_PAGE_BYTES: usize = ::plugins::http::MAX_BODY_BYTES;

/// Adds the pass to requests, links and forms that stay with the plugin.
const CARRIER: &str = include_str!("operator/carrier.js");

/// Passes are signed with a key of this process; after a restart, pages must be reopened.
static KEY: LazyLock<SessionKey> = LazyLock::new(|| {
    let mut bytes = [0; 32];
    aws_lc_rs::rand::fill(&mut bytes)
        .expect("the system's random generator does not fail once the process runs");
    SessionKey::new(&bytes)
});

/// Whether the request has a valid pass for this plugin.
pub(super) fn has_pass(visit: &Visit) -> bool {
    is_pass_for(&visit.parts.uri, visit.plugin.slug(), visit.host.now())
}

/// The same for an address that has not been parsed yet.
pub(super) fn is_pass_at(uri: &Uri, now: Timestamp) -> bool {
    let below = uri.path().strip_prefix("/plugins/");
    let slug = below.and_then(|below| below.split('/').next());
    slug.is_some_and(|slug| is_pass_for(uri, slug, now))
}

fn is_pass_for(uri: &Uri, slug: &str, now: Timestamp) -> bool {
    let given = parameter(uri, PASS);
    let read = given.and_then(|given| gate::open(&KEY, &given, now));
    read.is_some_and(|owner| owner.expose() == slug)
}

fn pass(visit: &Visit) -> String {
    let expires = visit.host.now() + PASS_TTL;
    gate::seal(&KEY, &Secret::new(visit.plugin.slug()), expires)
}

/// Gives a plugin's answer an opaque origin.
pub(super) fn confine(response: &mut Response, is_for_operator: bool) {
    let policy = match is_for_operator {
        true => APART_FOR_OPERATOR,
        false => APART,
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(policy),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
}

/// Adds our style sheet and the pass to an operator page, and the pass to the target of a redirect.
pub(super) async fn inject_operator_pass(visit: &Visit, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if has_pass(visit)
        && let Some(location) = headers.get(header::LOCATION)
        && let Some(location) = location.to_str().ok().and_then(|to| onward(visit, to))
        && let Ok(location) = HeaderValue::from_str(&location)
    {
        headers.insert(header::LOCATION, location);
    }
    let home = format!("/plugins/{}/", visit.plugin.slug());
    let script = CARRIER
        .replace("__PASS__", &pass(visit))
        .replace("__HOME__", &home);
    let link = format!("<link rel=\"stylesheet\" href=\"/styles/plugin.css\" {MARK}>\n");
    inject_into_response(response, &script, &link).await
}

/// An HTML answer with a script added; other answers are unchanged.
pub(super) async fn with_script(response: Response, script: &str) -> Response {
    inject_into_response(response, script, "").await
}

async fn inject_into_response(response: Response, script: &str, link: &str) -> Response {
    let headers = response.headers();
    let kind = headers.get(header::CONTENT_TYPE);
    let is_page = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let is_plain = !headers.contains_key(header::CONTENT_ENCODING);
    let is_whole = !matches!(
        response.status(),
        StatusCode::NOT_MODIFIED | StatusCode::PARTIAL_CONTENT
    );
    if !is_page || !is_plain || !is_whole {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(page) = to_bytes(body, MAX_PAGE_BYTES).await else {
        return (StatusCode::INTERNAL_SERVER_ERROR, "response too large\n").into_response();
    };
    parts.headers.remove(header::ETAG);
    parts.headers.remove(header::CONTENT_LENGTH);
    let page = inject(&page, script, link);
    Response::from_parts(parts, Body::from(page))
}

/// The target of a plugin's redirect, with the pass if it is the plugin's own.
fn onward(visit: &Visit, location: &str) -> Option<String> {
    let here = Url::parse("http://here").ok()?;
    let here = here.join(visit.parts.uri.path()).ok()?;
    let mut there = here.join(location).ok()?;
    let home = format!("/plugins/{}/", visit.plugin.slug());
    if there.host_str() != here.host_str() || !there.path().starts_with(&home) {
        return None;
    }
    there.query_pairs_mut().append_pair(PASS, &pass(visit));
    Some(there[url::Position::BeforePath..].to_owned())
}

/// The page with the script at the start of its head and the style sheet at the end of it.
fn inject(page: &[u8], script: &str, link: &str) -> Vec<u8> {
    let small = page.to_ascii_lowercase();
    if find(&small, MARK.as_bytes(), 0).is_some() {
        return page.to_vec();
    }
    let script = format!("<script {MARK}>{script}</script>\n");
    let head = find(&small, b"<head", 0).filter(|at| {
        let next = small.get(at + 5);
        next.is_some_and(|next| *next == b'>' || next.is_ascii_whitespace())
    });
    let begin = head.and_then(|at| find(&small, b">", at));
    let end = begin.and_then(|begin| find(&small, b"</head", begin));
    match (begin, end) {
        (Some(begin), Some(end)) => [
            &page[..=begin],
            script.as_bytes(),
            &page[begin + 1..end],
            link.as_bytes(),
            &page[end..],
        ]
        .concat(),
        _ => {
            // After the doctype: before it, browsers would switch to quirks mode.
            let kind = small.trim_ascii_start().starts_with(b"<!doctype");
            let at = find(&small, b">", 0)
                .filter(|_| kind)
                .map_or(0, |at| at + 1);
            [&page[..at], script.as_bytes(), link.as_bytes(), &page[at..]].concat()
        }
    }
}

fn find(text: &[u8], part: &[u8], from: usize) -> Option<usize> {
    let found = text[from..].windows(part.len()).position(|at| at == part);
    found.map(|at| at + from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> String {
        let link = "<link rel=\"stylesheet\" href=\"/styles/plugin.css\" data-rillcast-plugin>\n";
        let done = String::from_utf8(inject(text.as_bytes(), "S", link)).unwrap();
        // A second injection changes nothing.
        assert_eq!(inject(done.as_bytes(), "S", link), done.as_bytes());
        done
    }

    #[test]
    fn a_page_for_the_operator_gets_our_style_sheet_once_and_in_its_head() {
        let script = "<script data-rillcast-plugin>S</script>\n";
        let link = "<link rel=\"stylesheet\" href=\"/styles/plugin.css\" data-rillcast-plugin>\n";
        assert_eq!(
            page("<!DOCTYPE html><html><HEAD lang=de><title>x</title></HEAD><body>"),
            format!(
                "<!DOCTYPE html><html><HEAD lang=de>{script}<title>x</title>{link}</HEAD><body>"
            )
        );
        assert_eq!(page("<p>hi"), format!("{script}{link}<p>hi"));
        assert_eq!(
            page("<!doctype html>\n<header>x</header>"),
            format!("<!doctype html>{script}{link}\n<header>x</header>")
        );
        assert_eq!(page(""), format!("{script}{link}"));
    }

    proptest::proptest! {
        #[test]
        fn whatever_a_page_is_nothing_of_it_is_lost(text in "[<>/a-zA-Z !]{0,60}(<head>)?[\\PC]{0,20}(</head>)?[<\\PC]{0,20}") {
            let done = page(&text);
            let link = "<link rel=\"stylesheet\" href=\"/styles/plugin.css\" data-rillcast-plugin>\n";
            let done = done.replacen("<script data-rillcast-plugin>S</script>\n", "", 1).replacen(link, "", 1);
            proptest::prop_assert_eq!(done, text);
        }
    }
}
