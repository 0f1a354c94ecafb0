//! Errors, named after what the caller can do about them.
//!
//! Every error knows its [`Retry`] class, so queues need not decide again. Texts name the host (shortened) and never
//! the path, query, headers or body: webhook URLs carry secrets in their paths.

use std::net::IpAddr;
use std::time::Duration;

use http::StatusCode;
use url::Url;

/// Longest host shown in a message.
/// Protects logs from names made to flood them; real hosts are shorter.
const MAX_HOST_SHOWN: usize = 100;

/// Whether and when the same request may be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// It will not get better.
    Never,
    /// The peer said when.
    After(Duration),
    /// Later, on the caller's own schedule.
    Backoff,
}

/// Why a request is not made or its response not accepted, whatever the peer does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    /// The scheme is not one the policy allows.
    #[error("the scheme is not allowed here")]
    Scheme,
    /// The URL is longer than [`crate::guard::MAX_URL_BYTES`].
    #[error("the url is too long")]
    UrlTooLong,
    /// The URL carries a user name or password.
    #[error("urls with a user name or password are not allowed")]
    Userinfo,
    /// The URL has no host.
    #[error("the url has no host")]
    NoHost,
    /// The port is privileged and not one of the policy's own.
    #[error("port {0} is not allowed here")]
    Port(u16),
    /// The host is an address instead of a name, in whatever spelling.
    #[error("the host is an address, a name is needed")]
    AddressLiteral,
    /// The host name belongs to the operator's own network.
    #[error("the host is a name of the local network")]
    InternalName,
    /// The host is under a name that must not be resolved.
    #[error("the host lies under a reserved name")]
    ReservedName,
    /// The host is not a proper DNS name.
    #[error("the host is not a valid name")]
    MalformedHost,
    /// The host resolves to an address this request may not reach.
    #[error("the host is at {0}, which may not be contacted")]
    Address(IpAddr),
    /// The host was mapped to another port than the URL names.
    #[error("the host is mapped by hand, but to another port than {0}")]
    MappedPort(u16),
    /// The caller set a header that belongs to the client, or used a method the client does not support.
    #[error("the request sets what only the client may set: {0}")]
    Request(&'static str),
    /// A redirect changes the scheme.
    #[error("the redirect changes the scheme")]
    RedirectScheme,
    /// A redirect leads to another redirect.
    #[error("the redirect leads to another redirect")]
    RedirectChain,
    /// A redirect has no usable target.
    #[error("the redirect has no usable target")]
    RedirectTarget,
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Our policy forbids it: drop the request.
    #[error("refused to contact {host}: {reason}")]
    Refused {
        /// The host, shortened.
        host: String,
        /// The rule that was broken.
        reason: RefusalReason,
    },
    /// The cause of this request has used up its allowance: drop the request.
    #[error("no requests left for {host} in this budget")]
    BudgetExhausted {
        /// The host, shortened.
        host: String,
    },
    /// The name has no address right now: retry later.
    #[error("could not resolve {host}")]
    Unresolved {
        /// The host, shortened.
        host: String,
        /// Whether a name server said there is none. Otherwise none could be asked, which may be our own trouble.
        is_certain: bool,
        /// What the resolver said.
        #[source]
        source: BoxError,
    },
    /// No connection could be made: retry later.
    #[error("could not connect to {host}")]
    Unreachable {
        /// The host, shortened.
        host: String,
        /// The network error.
        #[source]
        source: BoxError,
    },
    /// The peer's certificate is not valid for it: retry later, certificates get renewed.
    #[error("the certificate of {host} is not trusted: {detail}")]
    Untrusted {
        /// The host, shortened.
        host: String,
        /// What is wrong with it.
        detail: &'static str,
    },
    /// Connect, headers and body together took too long: retry later.
    #[error("{host} did not answer in time")]
    DeadlinePassed {
        /// The host, shortened.
        host: String,
    },
    /// The peer broke off or did not speak HTTP: retry later.
    #[error("{host} sent an invalid answer")]
    BrokenAnswer {
        /// The host, shortened.
        host: String,
        #[source]
        source: BoxError,
    },
    /// The response is larger than the policy allows.
    #[error("the answer of {host} is larger than {limit} bytes")]
    TooLarge {
        /// The host, shortened.
        host: String,
        /// The limit that was exceeded, of the body or of the headers.
        limit: usize,
        /// From the status that came with it.
        retry: Retry,
    },
    /// The response is compressed although we asked for no compression.
    #[error("the answer of {host} is compressed, which was not asked for")]
    Compressed {
        /// The host, shortened.
        host: String,
        /// From the status that came with it.
        retry: Retry,
    },
    /// The peer answered with a status other than 2xx, and the caller wanted one.
    #[error("{host} answered {status}")]
    Status {
        /// The host, shortened.
        host: String,
        status: StatusCode,
        /// What the status and its `Retry-After` say.
        retry: Retry,
    },
}

/// The cause behind an error, already stripped of URLs.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl FetchError {
    /// Whether and when retrying makes sense.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Refused { .. } | Self::BudgetExhausted { .. } => Retry::Never,
            Self::Unresolved { .. }
            | Self::Unreachable { .. }
            | Self::Untrusted { .. }
            | Self::DeadlinePassed { .. }
            | Self::BrokenAnswer { .. } => Retry::Backoff,
            Self::TooLarge { retry, .. }
            | Self::Compressed { retry, .. }
            | Self::Status { retry, .. } => *retry,
        }
    }

    pub(crate) fn refused(url: &Url, reason: RefusalReason) -> Self {
        Self::Refused {
            host: shown_host(url),
            reason,
        }
    }
}

/// Why no client could be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The user agent is missing or cannot be a header value.
    #[error("the user agent is missing or has characters a header cannot carry")]
    UserAgent,
    /// An extra certificate authority is not PEM, or holds no certificate.
    #[error("the extra certificate authority is not a PEM file with at least one certificate")]
    ExtraCa,
    /// A host mapped by hand is not a name, or its port is 0.
    #[error("cannot map {host} by hand: give a host name, an address and a port")]
    Mapping {
        /// The host, shortened.
        host: String,
    },
    /// TLS could not be set up.
    #[error("could not set up TLS")]
    Tls(#[source] BoxError),
}

/// The host of a URL, short enough for a message.
pub(crate) fn shown_host(url: &Url) -> String {
    shorten(url.host_str().unwrap_or("(no host)"))
}

pub(crate) fn shorten(host: &str) -> String {
    if host.chars().count() <= MAX_HOST_SHOWN {
        return host.to_owned();
    }
    let head: String = host.chars().take(MAX_HOST_SHOWN).collect();
    format!("{head}...")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn cause() -> BoxError {
        "cause".into()
    }

    #[test]
    fn every_error_has_its_retry_class() {
        let host = || "peer.example".to_owned();
        let soon = Retry::After(Duration::from_secs(7));
        let status = StatusCode::TOO_MANY_REQUESTS;
        let rows = [
            (
                FetchError::Refused {
                    host: host(),
                    reason: RefusalReason::Scheme,
                },
                Retry::Never,
            ),
            (FetchError::BudgetExhausted { host: host() }, Retry::Never),
            (
                FetchError::Unresolved {
                    host: host(),
                    is_certain: true,
                    source: cause(),
                },
                Retry::Backoff,
            ),
            (
                FetchError::Unreachable {
                    host: host(),
                    source: cause(),
                },
                Retry::Backoff,
            ),
            (
                FetchError::Untrusted {
                    host: host(),
                    detail: "it has expired",
                },
                Retry::Backoff,
            ),
            (FetchError::DeadlinePassed { host: host() }, Retry::Backoff),
            (
                FetchError::BrokenAnswer {
                    host: host(),
                    source: cause(),
                },
                Retry::Backoff,
            ),
            (
                FetchError::TooLarge {
                    host: host(),
                    limit: 1,
                    retry: Retry::Never,
                },
                Retry::Never,
            ),
            (
                FetchError::Compressed {
                    host: host(),
                    retry: Retry::Backoff,
                },
                Retry::Backoff,
            ),
            (
                FetchError::Status {
                    host: host(),
                    status,
                    retry: soon,
                },
                soon,
            ),
        ];
        for (error, wanted) in rows {
            assert_eq!(error.retry(), wanted, "{error}");
            let text = error.to_string();
            assert!(text.contains("peer.example"), "{text}");
            assert!(text.starts_with(|c: char| c.is_lowercase()), "{text}");
            assert!(!text.ends_with('.'), "{text}");
        }
    }

    #[test]
    fn a_long_host_is_shortened() {
        let url = Url::parse(&format!("https://{}.example/", vec!["a"; 500].join("."))).unwrap();
        assert!(shown_host(&url).len() <= MAX_HOST_SHOWN + 3);
        assert_eq!(shorten("peer.example"), "peer.example");
    }
}
