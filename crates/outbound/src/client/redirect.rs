//! Where a redirect leads, without following it.
//!
//! The HTTP stack below follows nothing; the client takes one hop through the whole guard.

use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use url::Url;

use crate::error::{FetchError, RefusalReason};
use crate::guard::MAX_URL_BYTES;

/// Whether the status is a redirect.
pub(super) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The target of a redirect, or `None` if the response is not one.
pub(super) fn target(
    from: &Url,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<Option<Url>, FetchError> {
    if !is_redirect(status) {
        return Ok(None);
    }
    parse(from, headers)
        .map(Some)
        .map_err(|reason| FetchError::refused(from, reason))
}

fn parse(from: &Url, headers: &HeaderMap) -> Result<Url, RefusalReason> {
    let mut locations = headers.get_all(LOCATION).iter();
    // With two targets, two readers could disagree about where it leads.
    let (Some(location), None) = (locations.next(), locations.next()) else {
        return Err(RefusalReason::RedirectTarget);
    };
    let text = location
        .to_str()
        .map_err(|_| RefusalReason::RedirectTarget)?;
    if text.is_empty() || text.len() > MAX_URL_BYTES {
        return Err(RefusalReason::RedirectTarget);
    }
    let mut to = from.join(text).map_err(|_| RefusalReason::RedirectTarget)?;
    if to.scheme() != from.scheme() {
        return Err(RefusalReason::RedirectScheme);
    }
    to.set_fragment(None);
    Ok(to)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn to(locations: &[&str]) -> Result<String, RefusalReason> {
        let mut headers = HeaderMap::new();
        for location in locations {
            headers.append(LOCATION, location.parse().unwrap());
        }
        parse(&Url::parse("https://a.example/x/y").unwrap(), &headers).map(String::from)
    }

    #[test]
    fn targets_are_relative_to_where_we_were() {
        assert_eq!(to(&["z"]).unwrap(), "https://a.example/x/z");
        assert_eq!(to(&["/z#part"]).unwrap(), "https://a.example/z");
        assert_eq!(to(&["//b.example/z"]).unwrap(), "https://b.example/z");
    }

    #[test]
    fn other_schemes_are_refused() {
        for location in [
            "http://a.example/",
            "ftp://a.example/",
            "file:///etc/passwd",
            "javascript:1",
            "data:,",
        ] {
            assert_eq!(
                to(&[location]),
                Err(RefusalReason::RedirectScheme),
                "{location}"
            );
        }
    }

    #[test]
    fn a_missing_doubled_or_broken_target_is_refused() {
        let long = format!("/{}", "a".repeat(MAX_URL_BYTES));
        for locations in [
            &[][..],
            &["/a", "/b"],
            &[""],
            &["https://"],
            &["https://[::1"],
            &[&long],
        ] {
            assert_eq!(
                to(locations),
                Err(RefusalReason::RedirectTarget),
                "{locations:?}"
            );
        }
    }

    #[test]
    fn only_redirect_statuses_redirect() {
        for status in [200u16, 300, 304, 305, 306, 400] {
            assert!(
                !is_redirect(StatusCode::from_u16(status).unwrap()),
                "{status}"
            );
        }
        for status in [301u16, 302, 303, 307, 308] {
            assert!(
                is_redirect(StatusCode::from_u16(status).unwrap()),
                "{status}"
            );
        }
    }
}
