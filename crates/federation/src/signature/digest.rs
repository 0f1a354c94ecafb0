//! The digest of a request's body: `Digest` (RFC 3230) and `Content-Digest` (RFC 9530).

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{self, Algorithm, SHA256, SHA512};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::multikey::LENIENT_BASE64;
use super::problem::SignatureProblem;
use super::structured::{self, BareItem, MemberValue};

/// The `Digest` header of `body`. The algorithm name is in upper case because some servers compare the whole header as
/// text.
#[must_use]
pub fn digest_header(body: &[u8]) -> String {
    format!("SHA-256={}", STANDARD.encode(digest::digest(&SHA256, body)))
}

/// The `Content-Digest` header of `body`.
#[must_use]
pub fn content_digest_header(body: &[u8]) -> String {
    format!(
        "sha-256=:{}:",
        STANDARD.encode(digest::digest(&SHA256, body))
    )
}

/// Checks that every digest we support in a `Digest` header matches `body`, and that there is at least one.
pub(super) fn check_digest(header: &str, body: &[u8]) -> Result<(), SignatureProblem> {
    let mut known = 0;
    for entry in header.split(',') {
        // The value itself may end in `=`.
        let Some((name, value)) = entry.trim().split_once('=') else {
            return Err(SignatureProblem::Digest("it is not name=value"));
        };
        let Some(algorithm) = algorithm(name.trim()) else {
            continue;
        };
        let claimed = LENIENT_BASE64
            .decode(value.trim())
            .map_err(|_| SignatureProblem::Digest("it is not base64"))?;
        is_of_body(algorithm, &claimed, body)?;
        known += 1;
    }
    has_known(known)
}

/// The same for a `Content-Digest` header.
pub(super) fn check_content_digest(header: &str, body: &[u8]) -> Result<(), SignatureProblem> {
    let members =
        structured::dictionary(header).ok_or(SignatureProblem::Digest("it is no dictionary"))?;
    let mut known = 0;
    for member in &members {
        let Some(algorithm) = algorithm(member.name) else {
            continue;
        };
        let MemberValue::Item(BareItem::Bytes(claimed)) = &member.value else {
            return Err(SignatureProblem::Digest("it is not a byte sequence"));
        };
        is_of_body(algorithm, claimed, body)?;
        known += 1;
    }
    has_known(known)
}

fn algorithm(name: &str) -> Option<&'static Algorithm> {
    if name.eq_ignore_ascii_case("sha-256") {
        Some(&SHA256)
    } else if name.eq_ignore_ascii_case("sha-512") {
        Some(&SHA512)
    } else {
        None
    }
}

fn is_of_body(
    algorithm: &'static Algorithm,
    claimed: &[u8],
    body: &[u8],
) -> Result<(), SignatureProblem> {
    let actual = digest::digest(algorithm, body);
    verify_slices_are_equal(actual.as_ref(), claimed)
        .map_err(|_| SignatureProblem::Digest("it is not the digest of the body"))
}

fn has_known(count: usize) -> Result<(), SignatureProblem> {
    match count {
        0 => Err(SignatureProblem::Digest("none of its algorithms is known")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"{\"type\":\"Follow\"}";

    fn sha512() -> String {
        format!("SHA-512={}", STANDARD.encode(digest::digest(&SHA512, BODY)))
    }

    #[test]
    fn our_own_headers_are_read_back() {
        assert!(digest_header(BODY).starts_with("SHA-256="));
        assert_eq!(check_digest(&digest_header(BODY), BODY), Ok(()));
        assert_eq!(
            check_content_digest(&content_digest_header(BODY), BODY),
            Ok(())
        );
    }

    #[test]
    fn names_are_read_in_any_case_and_unknown_ones_are_skipped() {
        let value = digest_header(BODY).replacen("SHA-256", "sha-256", 1);
        for header in [
            value.clone(),
            sha512(),
            format!("{value}, {}", sha512()),
            format!("unixsum=30637,{value}"),
            format!("{value} , md5=AAAA"),
            value.trim_end_matches('=').to_owned(),
        ] {
            assert_eq!(check_digest(&header, BODY), Ok(()), "{header}");
        }
        let two = format!("md5=:AAAA:, {}", content_digest_header(BODY));
        assert_eq!(check_content_digest(&two, BODY), Ok(()));
    }

    #[test]
    fn one_wrong_digest_spoils_the_others() {
        let good = digest_header(BODY);
        let wrong = digest_header(b"other");
        for header in [
            wrong.clone(),
            format!("{good},{wrong}"),
            format!("{wrong},{good}"),
            format!("{wrong},{}", sha512()),
            format!("{good},SHA-512=AAAA"),
            format!("{good},SHA-512=***"),
            String::new(),
            "SHA-256".to_owned(),
            "SHA-256=".to_owned(),
            "md5=AAAA".to_owned(),
            "sha-1=AAAA".to_owned(),
        ] {
            assert!(check_digest(&header, BODY).is_err(), "{header}");
        }
        for header in [
            content_digest_header(b"other"),
            format!("{}, sha-512=:AAAA:", content_digest_header(BODY)),
            "sha-256=1".to_owned(),
            "md5=:AAAA:".to_owned(),
            "sha-256=:***:".to_owned(),
            digest_header(BODY),
            String::new(),
        ] {
            assert!(check_content_digest(&header, BODY).is_err(), "{header}");
        }
    }
}
