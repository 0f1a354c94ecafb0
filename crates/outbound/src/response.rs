//! A complete response, and what its status says about retrying.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::header::{DATE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, StatusCode};
use jiff::fmt::rfc2822::DateTimeParser;
use url::Url;

use crate::error::{FetchError, Retry, shown_host};

/// Longest wait a peer can ask of us.
/// Protects queues from being parked for ever; a day is longer than any honest maintenance.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A response whose body was read in full within the caps.
#[derive(Clone)]
pub struct Response {
    pub status: StatusCode,
    /// The headers, bounded in number and size.
    pub headers: HeaderMap,
    /// The URL that gave the response, after a redirect if one was followed.
    pub final_url: Url,
    /// The body, at most as large as the policy allows.
    pub body: Bytes,
}

impl Response {
    /// What the status and its `Retry-After` say about retrying.
    #[must_use]
    pub fn retry(&self) -> Retry {
        retry_of(self.status, &self.headers)
    }

    /// Turns every status except 2xx into an error that carries its retry class.
    ///
    /// # Errors
    /// [`FetchError::Status`] when the status is not 2xx.
    pub fn require_success(self) -> Result<Self, FetchError> {
        if self.status.is_success() {
            return Ok(self);
        }
        Err(FetchError::Status {
            host: shown_host(&self.final_url),
            status: self.status,
            retry: self.retry(),
        })
    }
}

// Headers and bodies may hold secrets, and bodies are large.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("host", &shown_host(&self.final_url))
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// The retry class of a response to a fetch. Deliveries of the federation decide by themselves (`delivery/retry.rs`), as
/// they wait for days.
pub(crate) fn retry_of(status: StatusCode, headers: &HeaderMap) -> Retry {
    let is_passing = status.is_server_error()
        || matches!(
            status,
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS
        );
    let is_final = matches!(
        status,
        StatusCode::NOT_IMPLEMENTED | StatusCode::HTTP_VERSION_NOT_SUPPORTED
    );
    if !is_passing || is_final {
        return Retry::Never;
    }
    match retry_after(headers) {
        Some(wait) => Retry::After(wait.min(MAX_RETRY_AFTER)),
        None => Retry::Backoff,
    }
}

/// `Retry-After` in either form (RFC 9110 10.2.3).
/// A date is measured against the peer's own `Date`, so neither clock has to be right.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = http_date(headers, &RETRY_AFTER)?;
    let now = http_date(headers, &DATE)?;
    Some(
        until
            .duration_since(now)
            .try_into()
            .unwrap_or(Duration::ZERO),
    )
}

fn http_date(headers: &HeaderMap, name: &HeaderName) -> Option<jiff::Timestamp> {
    let text = headers.get(name)?.to_str().ok()?.trim();
    DateTimeParser::new().parse_timestamp(text).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn class(status: u16, headers: &[(&'static str, &'static str)]) -> Retry {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        retry_of(StatusCode::from_u16(status).unwrap(), &map)
    }

    #[test]
    fn statuses_have_a_retry_class() {
        for status in [
            200, 202, 301, 400, 401, 403, 404, 405, 410, 413, 422, 501, 505,
        ] {
            assert_eq!(class(status, &[]), Retry::Never, "{status}");
        }
        for status in [408, 425, 429, 500, 502, 503, 504, 521] {
            assert_eq!(class(status, &[]), Retry::Backoff, "{status}");
        }
    }

    #[test]
    fn retry_after_is_read_in_both_forms_and_capped() {
        let seconds = |n| Retry::After(Duration::from_secs(n));
        assert_eq!(class(429, &[("retry-after", "120")]), seconds(120));
        assert_eq!(
            class(503, &[("retry-after", "99999999999")]),
            Retry::After(MAX_RETRY_AFTER)
        );
        let until = ("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT");
        assert_eq!(
            class(503, &[until, ("date", "Sun, 06 Nov 1994 08:49:37 GMT")]),
            seconds(60)
        );
        assert_eq!(
            class(503, &[until, ("date", "Sun, 06 Nov 1994 09:49:37 GMT")]),
            seconds(0)
        );
        assert_eq!(class(503, &[until]), Retry::Backoff);
        assert_eq!(class(503, &[("retry-after", "soon")]), Retry::Backoff);
        assert_eq!(class(404, &[("retry-after", "120")]), Retry::Never);
    }
}
