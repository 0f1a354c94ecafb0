//! Parses and checks a signed request, in three steps that cannot be reordered.
//!
//! [`parse`] reads the headers, [`ParsedSignature::check_without_key`] compares time and body,
//! [`CheckedSignature::verify`](super::CheckedSignature::verify) checks the signature with the sender's key. A proxy's
//! view of the request is never used: host and scheme are our own canonical ones, and the target is the one on the
//! wire.

use super::parsed::{ParsedSignature, SignedRequest};
use super::problem::SignatureProblem;
use super::{cavage, rfc9421};

/// Parses the signature of a request: RFC 9421 if there is a `Signature-Input`, otherwise draft-cavage.
///
/// # Errors
/// When the request is not signed, the headers cannot be read, something required is not covered, the key id is not an
/// https URL or is on our own host, or we do not support the algorithm.
pub fn parse(request: &SignedRequest<'_>) -> Result<ParsedSignature, SignatureProblem> {
    let parsed = if request.headers.contains_key("signature-input") {
        rfc9421::parse(request)?
    } else {
        cavage::parse(request)?
    };
    if parsed.key_id.host().eq_ignore_ascii_case(request.host) {
        return Err(SignatureProblem::KeyId("it is on this server"));
    }
    Ok(parsed)
}
