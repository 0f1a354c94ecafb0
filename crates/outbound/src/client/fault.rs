//! From the HTTP stack's errors to ours.
//!
//! The stack reports one opaque error with a chain of causes; the cause decides what the caller
//! can do, so the chain is searched for the types that matter.

use std::error::Error;
use std::io;

use rustls::CertificateError;
use url::Url;

use crate::error::{FetchError, RefusalReason, shown_host};
use crate::resolve::LookupError;

/// Classifies an error; the URL never travels with it.
pub(super) fn classify(url: &Url, error: reqwest::Error) -> FetchError {
    let host = shown_host(url);
    let error = error.without_url();
    if let Some(lookup) = find::<LookupError>(&error) {
        return match lookup {
            LookupError::Forbidden(address) => {
                FetchError::refused(url, RefusalReason::Address(*address))
            }
            LookupError::NoAddress | LookupError::Failed(_) => FetchError::Unresolved {
                host,
                is_certain: matches!(lookup, LookupError::NoAddress),
                source: error.into(),
            },
        };
    }
    if let Some(rustls::Error::InvalidCertificate(reason)) = find::<rustls::Error>(&error) {
        return FetchError::Untrusted {
            host,
            detail: in_words(reason),
        };
    }
    if error.is_connect() {
        return FetchError::Unreachable {
            host,
            source: error.into(),
        };
    }
    FetchError::BrokenAnswer {
        host,
        source: error.into(),
    }
}

/// Our own wording: the library quotes the certificate, which is the peer's text.
fn in_words(reason: &CertificateError) -> &'static str {
    use CertificateError as Reason;
    match reason {
        Reason::Expired | Reason::ExpiredContext { .. } => "it has expired",
        Reason::NotValidYet | Reason::NotValidYetContext { .. } => "it is not valid yet",
        Reason::NotValidForName | Reason::NotValidForNameContext { .. } => "it is for another name",
        Reason::UnknownIssuer => "its issuer is unknown",
        Reason::Revoked => "it was revoked",
        _ => "it does not verify",
    }
}

fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    std::iter::successors(Some(error), |current| cause(*current))
        .find_map(|current| current.downcast_ref::<E>())
}

/// The next cause; an `io::Error` hides the error it wraps from `source()`.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    let wrapped = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match wrapped {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_wrapped_in_io_errors_is_found() {
        let lookup = LookupError::NoAddress;
        let wrapped = io::Error::other(io::Error::other(lookup));
        assert!(matches!(
            find::<LookupError>(&wrapped),
            Some(LookupError::NoAddress)
        ));
        assert!(find::<rustls::Error>(&wrapped).is_none());
    }

    #[test]
    fn certificates_faults_are_told_apart() {
        assert_eq!(in_words(&CertificateError::Expired), "it has expired");
        assert_eq!(
            in_words(&CertificateError::NotValidYet),
            "it is not valid yet"
        );
        assert_eq!(
            in_words(&CertificateError::NotValidForName),
            "it is for another name"
        );
        assert_eq!(
            in_words(&CertificateError::UnknownIssuer),
            "its issuer is unknown"
        );
        assert_eq!(in_words(&CertificateError::Revoked), "it was revoked");
        assert_eq!(
            in_words(&CertificateError::BadEncoding),
            "it does not verify"
        );
    }
}
