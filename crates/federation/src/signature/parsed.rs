//! A signed request, its signature, and the checks that follow parsing.

use http::{HeaderMap, HeaderName};
use jiff::Timestamp;

use super::key::PublicKey;
use super::key_id::KeyId;
use super::problem::SignatureProblem;
use super::{date, digest};

/// An incoming request, from the point of view of its receiver.
#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    /// The method, as on the wire.
    pub method: &'a str,
    /// Path and query exactly as on the wire.
    pub target: &'a str,
    pub headers: &'a HeaderMap,
    /// Our canonical host, with the port unless it is the scheme's default; never the one in the request.
    pub host: &'a str,
    /// Our canonical address such as `https://live.example`, without a trailing slash.
    pub base: &'a str,
}

impl<'a> SignedRequest<'a> {
    /// Whether a body is expected, so that its digest must be signed.
    pub(super) fn has_body(&self) -> bool {
        !matches!(self.method, "GET" | "HEAD")
    }

    /// The path, and the query, if any, without its question mark.
    pub(super) fn path_and_query(&self) -> (&'a str, Option<&'a str>) {
        match self.target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (self.target, None),
        }
    }

    /// The value of a header, its lines trimmed and joined; `None` if it is absent.
    pub(super) fn field(&self, name: &HeaderName) -> Option<Vec<u8>> {
        let mut lines = self.headers.get_all(name).iter();
        let mut joined = lines.next()?.as_bytes().trim_ascii().to_vec();
        for line in lines {
            joined.extend_from_slice(b", ");
            joined.extend_from_slice(line.as_bytes().trim_ascii());
        }
        Some(joined)
    }

    /// The value of a header as text; `None` if it is absent or not text.
    pub(super) fn text_field(&self, name: &HeaderName) -> Option<String> {
        String::from_utf8(self.field(name)?).ok()
    }
}

/// How a request is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureScheme {
    /// draft-cavage-http-signatures-12.
    Cavage,
    /// HTTP Message Signatures.
    Rfc9421,
}

/// The algorithm a signature claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// `hs2019`, none, or unknown: the key decides, and SHA-512 is tried after SHA-256.
    ByKey,
    /// SHA-256 first, then SHA-512.
    RsaSha256,
    /// SHA-512 first, then SHA-256.
    RsaSha512,
    /// RSA with SHA-256 only, or Ed25519: RFC 9421 without `alg`.
    Strict,
    /// RSA with SHA-256 only.
    StrictRsaSha256,
    /// Ed25519 only.
    Ed25519,
}

/// The header that describes the body.
#[derive(Clone, Debug)]
pub(super) enum ClaimedDigest {
    /// The request has no relevant body.
    None,
    /// `Digest`.
    Digest(String),
    /// `Content-Digest`.
    ContentDigest(String),
}

/// The signed text, with a gap for the body's length if the header that told it was lost on the way.
#[derive(Clone, Debug, Default)]
pub(super) struct SignatureBase {
    pub(super) bytes: Vec<u8>,
    pub(super) body_length_at: Option<usize>,
}

impl SignatureBase {
    fn complete(mut self, body: &[u8]) -> Vec<u8> {
        if let Some(at) = self.body_length_at {
            let length = body.len().to_string();
            self.bytes.splice(at..at, length.into_bytes());
        }
        self.bytes
    }
}

/// A signature with valid headers.
#[derive(Clone, Debug)]
pub struct ParsedSignature {
    pub(super) scheme: SignatureScheme,
    pub(super) key_id: KeyId,
    pub(super) algorithm: Algorithm,
    pub(super) signature: Vec<u8>,
    /// The texts that may have been signed, most likely first: some servers omit the query.
    pub(super) texts: Vec<SignatureBase>,
    pub(super) digest: ClaimedDigest,
    /// `Date`, if it can be read.
    pub(super) date: Option<Timestamp>,
    /// Covered timestamps of the signature itself.
    pub(super) created: Option<Timestamp>,
    pub(super) expires: Option<Timestamp>,
}

/// A signature that is in time and matches the body; only the key is left to check.
#[derive(Clone, Debug)]
pub struct CheckedSignature {
    scheme: SignatureScheme,
    key_id: KeyId,
    algorithm: Algorithm,
    signature: Vec<u8>,
    texts: Vec<Vec<u8>>,
}

impl ParsedSignature {
    /// The id of the signing key.
    #[must_use]
    pub fn key_id(&self) -> &KeyId {
        &self.key_id
    }

    /// The signature scheme.
    #[must_use]
    pub fn scheme(&self) -> SignatureScheme {
        self.scheme
    }

    /// Checks time and body. `now` is when the request arrived, however much later it is checked.
    ///
    /// # Errors
    /// [`SignatureProblem::Time`] and [`SignatureProblem::Digest`].
    pub fn check_without_key(
        self,
        now: Timestamp,
        body: &[u8],
    ) -> Result<CheckedSignature, SignatureProblem> {
        self.check_time(now)?;
        match &self.digest {
            ClaimedDigest::None => {}
            ClaimedDigest::Digest(header) => digest::check_digest(header, body)?,
            ClaimedDigest::ContentDigest(header) => digest::check_content_digest(header, body)?,
        }
        let texts = self.texts.into_iter().map(|text| text.complete(body));
        Ok(CheckedSignature {
            scheme: self.scheme,
            key_id: self.key_id,
            algorithm: self.algorithm,
            signature: self.signature,
            texts: texts.collect(),
        })
    }

    fn check_time(&self, now: Timestamp) -> Result<(), SignatureProblem> {
        if self.date.is_some_and(|date| !date::is_near(date, now)) {
            return Err(SignatureProblem::Time("Date is over an hour away"));
        }
        if self.created.is_some_and(|at| !date::is_near(at, now)) {
            return Err(SignatureProblem::Time("created is over an hour away"));
        }
        if self.expires.is_some_and(|end| date::is_over(end, now)) {
            return Err(SignatureProblem::Time("it has expired"));
        }
        Ok(())
    }
}

impl CheckedSignature {
    /// The id of the signing key.
    #[must_use]
    pub fn key_id(&self) -> &KeyId {
        &self.key_id
    }

    /// The signature scheme.
    #[must_use]
    pub fn scheme(&self) -> SignatureScheme {
        self.scheme
    }

    /// Checks the signature itself. With RSA this takes some tens of microseconds.
    ///
    /// # Errors
    /// [`SignatureProblem::Mismatch`].
    pub fn verify(&self, key: &PublicKey) -> Result<(), SignatureProblem> {
        let fits = |text: &Vec<u8>| self.algorithm.accepts(key, text, &self.signature);
        match self.texts.iter().any(fits) {
            true => Ok(()),
            false => Err(SignatureProblem::Mismatch),
        }
    }
}

impl Algorithm {
    fn accepts(self, key: &PublicKey, text: &[u8], signature: &[u8]) -> bool {
        let sha256 = || key.accepts_rsa_sha256(text, signature);
        let sha512 = || key.accepts_rsa_sha512(text, signature);
        let ed25519 = || key.accepts_ed25519(text, signature);
        match self {
            Self::ByKey => ed25519() || sha256() || sha512(),
            Self::RsaSha256 => sha256() || sha512(),
            Self::RsaSha512 => sha512() || sha256(),
            Self::Strict => ed25519() || sha256(),
            Self::StrictRsaSha256 => sha256(),
            Self::Ed25519 => ed25519(),
        }
    }
}
