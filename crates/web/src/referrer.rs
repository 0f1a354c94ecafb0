//! From which site a visitor of the page came: of the `Referer` header only the host name, and only while a stream is on.

use http::{HeaderMap, header};
use http_server::client::{ClientInfo, text};
use model::settings::table::SERVER_URL;
use url::{Host, Url};

use crate::state::App;

/// Bytes of the longest host name there is.
const MAX_HOST_BYTES: usize = 253;

/// Counts the visit.
pub(crate) fn count(app: &App, client: &ClientInfo, headers: &HeaderMap) {
    if !app.live.status.borrow().is_online {
        return;
    }
    let url = Url::parse(text(headers, header::REFERER)).ok();
    if url.as_ref().is_some_and(|url| is_own(app, client, url)) {
        return;
    }
    let visits = &app.rate_limits.counted_visits;
    if visits.admit(client.address, app.clock.uptime()).is_ok() {
        app.referrers.note(host(url.as_ref()));
    }
}

/// Whether the request comes from a preview, a frame in which the admin pages show the operator what viewers see. Such a
/// frame counts for nobody; anyone else who calls themselves one is merely not counted.
pub(crate) fn is_preview(headers: &HeaderMap) -> bool {
    let referer = text(headers, header::REFERER);
    let query = referer.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or_default();
    query.split('&').any(|pair| pair == "preview=true")
}

/// Empty if there is none. Addresses without a name may belong to a person's home, and apps are not sites.
fn host(url: Option<&Url>) -> String {
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    match url.and_then(Url::host) {
        Some(Host::Domain(name)) if name.len() <= MAX_HOST_BYTES => name.to_ascii_lowercase(),
        _ => String::new(),
    }
}

/// Whoever follows a link from one page of this server to another has been counted.
fn is_own(app: &App, client: &ClientInfo, url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let public = Url::parse(app.settings.now().text(&SERVER_URL)).ok();
    let public = public.as_ref().and_then(Url::host_str);
    // With or without a port.
    let is_named = |name: &String| {
        let name = name.to_ascii_lowercase();
        let port = name.strip_prefix(host);
        port.is_some_and(|port| port.is_empty() || port.starts_with(':'))
    };
    public == Some(host) || client.hosts.iter().any(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host_of(referer: &str) -> String {
        host(Url::parse(referer).ok().as_ref())
    }

    #[test]
    fn a_preview_says_so_in_its_own_address() {
        let is_preview_at = |referer: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::REFERER, referer.parse().unwrap());
            is_preview(&headers)
        };
        for preview in [
            "https://live.example/?preview=true",
            "https://live.example/embed/video?initiallyMuted=true&preview=true",
        ] {
            assert!(is_preview_at(preview), "{preview}");
        }
        for page in [
            "https://live.example/",
            "https://live.example/preview=true?preview=no",
        ] {
            assert!(!is_preview_at(page), "{page}");
        }
        assert!(!is_preview(&HeaderMap::new()));
    }

    #[test]
    fn nothing_but_the_host_name_is_taken() {
        assert_eq!(
            host_of("https://News.Example:8443/item?user=ada#x"),
            "news.example"
        );
        assert_eq!(host_of("http://ada:secret@blog.example/"), "blog.example");
        for unknown in [
            "",
            "not an address",
            "https://192.0.2.7/",
            "https://[2001:db8::1]/",
            "android-app://com.example.reader/",
            "about:blank",
        ] {
            assert_eq!(host_of(unknown), "", "{unknown}");
        }
        assert_eq!(
            host_of(&format!("https://{}.example/", "a.".repeat(200))),
            ""
        );
    }
}
