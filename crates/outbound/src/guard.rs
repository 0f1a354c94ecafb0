//! Which URLs and addresses may be contacted, against server-side request forgery (SSRF); pure rules, no IO.
//!
//! The guard runs twice per request: [`check_url`] looks at what a stranger wrote before anything happens, and
//! [`reach`] looks at every address a name resolved to, right before the connection to that very address. Both are
//! needed: an HTTP stack never asks its resolver about a host that is already an address, so a resolver alone lets
//! `http://2130706433/` through. This module must stay free of clocks, sockets and logs, so that it can be fuzzed.

pub(crate) mod address;
mod host;

pub use address::{Reach, embedded_v4, reach};

use url::Url;

use crate::error::RefusalReason;
use crate::policy::Policy;

/// Longest URL we will request.
/// Protects logs, memory and peers; 8 KiB is where common servers stop accepting a request line.
pub const MAX_URL_BYTES: usize = 8 * 1024;

/// Checks everything about a URL that can be checked without resolving its host.
///
/// # Errors
/// The first rule the URL breaks.
pub fn check_url(url: &Url, policy: &Policy) -> Result<(), RefusalReason> {
    check_frame(url, policy)?;
    let host = url.host().ok_or(RefusalReason::NoHost)?;
    host::check(&host, policy.reach(), policy.takes_literals())
}

/// Checks everything except the host: rules that hold even for a host the operator mapped by hand.
pub(crate) fn check_frame(url: &Url, policy: &Policy) -> Result<(), RefusalReason> {
    if !policy.allows_scheme(url.scheme()) {
        return Err(RefusalReason::Scheme);
    }
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(RefusalReason::UrlTooLong);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(RefusalReason::Userinfo);
    }
    let port = url.port_or_known_default().ok_or(RefusalReason::Scheme)?;
    if !policy.allows_port(port) {
        return Err(RefusalReason::Port(port));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn checked(text: &str, policy: &Policy) -> Result<(), RefusalReason> {
        check_url(&Url::parse(text).unwrap(), policy)
    }

    #[test]
    fn accepts_an_ordinary_peer() {
        for text in [
            "https://peer.example/users/live",
            "https://peer.example:443/",
            "https://peer.example:8443/inbox?x=1#y",
            "https://münchen.example/",
        ] {
            assert_eq!(checked(text, &Policy::federation()), Ok(()), "{text}");
        }
    }

    #[test]
    fn federation_speaks_https_only() {
        for text in [
            "http://peer.example/",
            "ftp://peer.example/",
            "file:///etc/passwd",
            "data:,x",
        ] {
            assert_eq!(
                checked(text, &Policy::federation()),
                Err(RefusalReason::Scheme),
                "{text}"
            );
        }
    }

    #[test]
    fn refuses_privileged_ports_other_than_those_of_the_policy() {
        for port in [0u16, 1, 22, 25, 80, 442, 444, 1023] {
            let text = format!("https://peer.example:{port}/");
            assert_eq!(
                checked(&text, &Policy::federation()),
                Err(RefusalReason::Port(port))
            );
        }
        for port in [1024u16, 3000, 65535] {
            let text = format!("https://peer.example:{port}/");
            assert_eq!(checked(&text, &Policy::federation()), Ok(()));
        }
        assert_eq!(checked("http://peer.example/", &Policy::webhook()), Ok(()));
        assert_eq!(
            checked("https://peer.example:80/", &Policy::webhook()),
            Ok(())
        );
        assert_eq!(
            checked("http://peer.example:25/", &Policy::webhook()),
            Err(RefusalReason::Port(25))
        );
    }

    #[test]
    fn refuses_userinfo() {
        for text in ["https://user@peer.example/", "https://:pw@peer.example/"] {
            assert_eq!(
                checked(text, &Policy::federation()),
                Err(RefusalReason::Userinfo),
                "{text}"
            );
        }
    }

    #[test]
    fn refuses_a_url_longer_than_the_limit() {
        let text = format!("https://peer.example/{}", "a".repeat(MAX_URL_BYTES));
        assert_eq!(
            checked(&text, &Policy::federation()),
            Err(RefusalReason::UrlTooLong)
        );
    }
}
