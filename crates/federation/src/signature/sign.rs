//! The headers of requests we send.
//!
//! `Host` is signed but not among them: the client sets it, and [`outbound::host_header`] says beforehand what it will
//! be. Signing takes half a millisecond, so it runs off the runtime.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, CONTENT_TYPE, DATE};
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use outbound::{Url, host_header};
use url::Position;

use super::cavage::{REQUEST_TARGET, request_target};
use super::date::http_date;
use super::digest::{content_digest_header, digest_header};
use super::key::{BadKey, SigningKey};
use super::rfc9421::start_line;

/// The media type of what we send.
pub const ACTIVITY_JSON: &str = "application/activity+json";
/// The media types we ask for.
pub const ACCEPTED: &str = "application/activity+json, application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"";

const SIGNATURE: HeaderName = HeaderName::from_static("signature");
const SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");
const DIGEST: HeaderName = HeaderName::from_static("digest");
const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");

/// A key and its id; clones share the key.
#[derive(Clone, Debug)]
pub struct Signer {
    pub key: SigningKey,
    /// `{actor}#main-key`.
    pub key_id: String,
}

/// How much of the URL a signed GET covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedTarget {
    /// Path and query, as the specification says.
    Whole,
    /// The path only, as some servers expect.
    PathOnly,
}

/// Why a request could not be signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsignable {
    /// The library failed to sign.
    #[error(transparent)]
    Key(#[from] BadKey),
    /// Our key id cannot be put in a header.
    #[error("the key id has characters a header cannot carry")]
    KeyId,
    /// The process is ending, and no thread is left to sign on.
    #[error("signing was interrupted")]
    Interrupted,
}

/// The headers of a POST in draft-cavage: date, digest, content type, signature.
///
/// # Errors
/// See [`Unsignable`].
pub fn cavage_post(
    signer: &Signer,
    url: &Url,
    body: &[u8],
    now: Timestamp,
) -> Result<HeaderMap, Unsignable> {
    let date = http_date(now);
    let digest = digest_header(body);
    let text = [
        format!("{REQUEST_TARGET}: {}", request_target("POST", target(url))),
        format!("host: {}", host_header(url)),
        format!("date: {date}"),
        format!("digest: {digest}"),
    ];
    let signature = cavage_signature(signer, "(request-target) host date digest", &text)?;
    headers([
        (DATE, date),
        (DIGEST, digest),
        (CONTENT_TYPE, ACTIVITY_JSON.to_owned()),
        (SIGNATURE, signature),
    ])
}

/// The headers of a GET in draft-cavage: date, accept, signature.
///
/// # Errors
/// See [`Unsignable`].
pub fn cavage_get(
    signer: &Signer,
    url: &Url,
    covering: SignedTarget,
    now: Timestamp,
) -> Result<HeaderMap, Unsignable> {
    let date = http_date(now);
    let target = match covering {
        SignedTarget::Whole => target(url),
        SignedTarget::PathOnly => url.path(),
    };
    let text = [
        format!("{REQUEST_TARGET}: {}", request_target("GET", target)),
        format!("host: {}", host_header(url)),
        format!("date: {date}"),
    ];
    let signature = cavage_signature(signer, "(request-target) host date", &text)?;
    headers([
        (DATE, date),
        (ACCEPT, ACCEPTED.to_owned()),
        (SIGNATURE, signature),
    ])
}

/// The headers of a POST in RFC 9421: date, digest, content type, signature.
///
/// # Errors
/// See [`Unsignable`].
pub fn rfc9421_post(
    signer: &Signer,
    url: &Url,
    body: &[u8],
    now: Timestamp,
) -> Result<HeaderMap, Unsignable> {
    let digest = content_digest_header(body);
    let components = [
        ("@method", "POST"),
        ("@target-uri", &url[..Position::AfterQuery]),
        ("content-digest", &digest),
    ];
    let (input, signature) = message_signature(signer, &components, now)?;
    headers([
        (DATE, http_date(now)),
        (CONTENT_TYPE, ACTIVITY_JSON.to_owned()),
        (SIGNATURE_INPUT, input),
        (SIGNATURE, signature),
        (CONTENT_DIGEST, digest),
    ])
}

/// The headers of a GET in RFC 9421: date, accept, signature.
///
/// # Errors
/// See [`Unsignable`].
pub fn rfc9421_get(signer: &Signer, url: &Url, now: Timestamp) -> Result<HeaderMap, Unsignable> {
    let components = [
        ("@method", "GET"),
        ("@target-uri", &url[..Position::AfterQuery]),
    ];
    let (input, signature) = message_signature(signer, &components, now)?;
    headers([
        (DATE, http_date(now)),
        (ACCEPT, ACCEPTED.to_owned()),
        (SIGNATURE_INPUT, input),
        (SIGNATURE, signature),
    ])
}

/// Path and query as the client will send them.
fn target(url: &Url) -> &str {
    &url[Position::BeforePath..Position::AfterQuery]
}

/// No space after commas, and always an algorithm: some parsers need that.
fn cavage_signature(
    signer: &Signer,
    covered: &str,
    lines: &[String],
) -> Result<String, Unsignable> {
    let signature = signer.key.sign_sha256(lines.join("\n").as_bytes())?;
    Ok(format!(
        "keyId=\"{}\",algorithm=\"rsa-sha256\",headers=\"{covered}\",signature=\"{}\"",
        quotable(&signer.key_id)?,
        STANDARD.encode(signature)
    ))
}

fn message_signature(
    signer: &Signer,
    components: &[(&str, &str)],
    now: Timestamp,
) -> Result<(String, String), Unsignable> {
    let names: Vec<String> = components
        .iter()
        .map(|(name, _)| format!("\"{name}\""))
        .collect();
    let parameters = format!(
        "({});created={};keyid=\"{}\"",
        names.join(" "),
        now.as_second(),
        quotable(&signer.key_id)?
    );
    let mut base = Vec::new();
    for (name, value) in components {
        start_line(&mut base, name);
        base.extend_from_slice(value.as_bytes());
        base.push(b'\n');
    }
    start_line(&mut base, "@signature-params");
    base.extend_from_slice(parameters.as_bytes());
    let signature = STANDARD.encode(signer.key.sign_sha256(&base)?);
    Ok((format!("sig1={parameters}"), format!("sig1=:{signature}:")))
}

/// A key id that is safe inside quotes.
fn quotable(key_id: &str) -> Result<&str, Unsignable> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    match key_id.bytes().all(is_plain) {
        true => Ok(key_id),
        false => Err(Unsignable::KeyId),
    }
}

fn headers<const N: usize>(pairs: [(HeaderName, String); N]) -> Result<HeaderMap, Unsignable> {
    let mut map = HeaderMap::with_capacity(N);
    for (name, value) in pairs {
        let value = HeaderValue::try_from(value).map_err(|_| Unsignable::KeyId)?;
        map.insert(name, value);
    }
    Ok(map)
}
