//! The bodies of the fuzz targets for signatures, shared with the stable replay test.
//!
//! The strongest property: with a key whose private half nobody has, nothing is accepted except the few requests that
//! were signed when it was made, whatever is done to their headers.

use std::sync::OnceLock;

use aws_lc_rs::digest::{SHA256, SHA512, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;

use super::parsed::SignedRequest;
use super::verify;
use super::{
    PublicKey, date, digest as claims, http_date, multikey, parse_http_date, pem, structured,
};

/// The public half of a key that was thrown away.
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqtq5auN5ekcieOGHFnrN
TaZjEkH7ayTtsgC5qRyTD+BZtAkdLUJoCnJ7m06w7rsg8HF0TOROIpacU8eMVcvf
M6cqNmDBGdo0yezwrvdn7czEdnD6JbxYxbegV+aq2+aqx74Yqz8QJZpO6ac9cEsU
vsuDQUE/Q8pEcHXGGIY++isQaHZo0LRI++Va3RpVm7AbrJGFE7dn5TNIzVmYlvVL
YtEf67XvvFoKgeErmSEap85tAGRBJxbfv9at1D46iZ6LVJqJVQ+pgqunp6n8AMFs
2xnls4YvhzO2j9RzcY/qKixBLbF1aC+eS88ddTaXY02ybvm/SIeURL1J22QuYV8E
JQIDAQAB
-----END PUBLIC KEY-----";
/// What was signed with it: method, path, and the SHA-256 of the body in base64 without padding.
const GENUINE: [(&str, &str, &str); 2] = [
    (
        "POST",
        "/federation/user/live/inbox",
        "LJqJPG0ElKQeQ6WsMO2BJa9zD/Aiionq7VQq+u4runk",
    ),
    ("GET", "/federation/user/live/followers", ""),
];
/// When it was signed.
const SIGNED_AT: i64 = 1_787_054_400;

/// Reads arbitrary bytes as a request: a line with method and target, lines with headers, an empty line, a body.
///
/// # Panics
/// When something is accepted that was never signed, or a key on our own host is named.
pub fn signed_requests_hold(input: &[u8]) {
    let Some((method, target, headers, body)) = request(input) else {
        return;
    };
    let request = SignedRequest {
        method: &method,
        target: &target,
        headers: &headers,
        host: "live.example",
        base: "https://live.example",
    };
    let Ok(parsed) = verify::parse(&request) else {
        return;
    };
    assert_eq!(parsed.key_id().document().scheme(), "https");
    assert_ne!(parsed.key_id().host(), "live.example");
    assert!(!parsed.texts.is_empty() && parsed.texts.len() <= 2);
    let signed_at = Timestamp::from_second(SIGNED_AT).expect("a moment in 2026");
    let Ok(checked) = parsed.check_without_key(signed_at, &body) else {
        return;
    };
    if checked.verify(key()).is_ok() {
        let path = target.split('?').next().unwrap_or_default();
        let hash = STANDARD_NO_PAD.encode(digest(&SHA256, &body));
        let is_genuine = GENUINE.iter().any(|(known, at, of)| {
            *known == method && *at == path && (of.is_empty() || *of == hash)
        });
        assert!(is_genuine, "{method} {target} was never signed");
    }
}

fn key() -> &'static PublicKey {
    static KEY: OnceLock<PublicKey> = OnceLock::new();
    KEY.get_or_init(|| PublicKey::parse(PUBLIC).expect("a good key"))
}

fn request(input: &[u8]) -> Option<(String, String, HeaderMap, Vec<u8>)> {
    let end = input.windows(2).position(|two| two == b"\n\n");
    let (head, body) = match end {
        Some(at) => (&input[..at], &input[at + 2..]),
        None => (input, &b""[..]),
    };
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = std::str::from_utf8(lines.next()?).ok()?;
    let (method, target) = first.split_once(' ')?;
    let mut headers = HeaderMap::new();
    for line in lines.take(64) {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = HeaderName::from_bytes(&line[..colon]).ok()?;
        let value = HeaderValue::from_bytes(&line[colon + 1..]).ok()?;
        headers.append(name, value);
    }
    Some((method.to_owned(), target.to_owned(), headers, body.to_vec()))
}

/// Reads arbitrary text as each part of a signature: dates, digests, dictionaries and keys.
///
/// # Panics
/// When a wrong digest is accepted, or a date does not survive a round trip.
pub fn parts_of_signatures_hold(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    date_holds(first);
    digest_holds(first, body.as_bytes());
    for member in structured::dictionary(first).unwrap_or_default() {
        assert!(first.contains(member.raw) && first.contains(member.name));
    }
    if let Some((label, der)) = pem::decode(text) {
        let again = pem::encode(label, &der);
        assert_eq!(pem::decode(&again), Some((label, der)));
    }
    if let Some(bytes) = multikey::decode_ed25519(first) {
        assert_eq!(bytes.len(), 32);
    }
    if let Ok(key) = PublicKey::parse(text) {
        assert!(!key.accepts_rsa_sha256(b"x", b"") && !key.accepts_ed25519(b"x", b""));
    }
}

fn date_holds(text: &str) {
    let Some(at) = parse_http_date(text) else {
        return;
    };
    let written = http_date(at);
    let again = parse_http_date(&written).expect("our own date");
    assert_eq!(again.as_second(), at.as_second(), "{text} as {written}");
    assert!(date::is_near(at, again));
}

fn digest_holds(header: &str, body: &[u8]) {
    let is_accepted = claims::check_digest(header, body).is_ok()
        || claims::check_content_digest(header, body).is_ok();
    if is_accepted {
        let hashes = [digest(&SHA256, body), digest(&SHA512, body)];
        let is_there = |hash| header.contains(&STANDARD_NO_PAD.encode(hash));
        assert!(hashes.into_iter().any(is_there), "{header}");
    }
}
