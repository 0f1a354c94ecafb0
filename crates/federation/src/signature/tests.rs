//! The test vectors, and every quirk of other servers that we tolerate.
//!
//! This module has a request that tests can change at will, and a second, independent signer; the tests are in
//! `tests/`.

mod cavage;
mod ed25519;
mod keys;
mod message;
mod sending;
mod vectors;

use std::sync::OnceLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PKCS1_SHA512, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::{SignedDuration, Timestamp};

use super::verify::parse;
use super::{PublicKey, SignatureProblem, SignedRequest, SigningKey, digest_header};

const KEY_ID: &str = "https://remote.example/users/alice#main-key";
const INBOX: &str = "/federation/user/live/inbox";
const DATE: &str = "Tue, 18 Aug 2026 12:00:00 GMT";
const BODY: &str = r#"{"@context":"https://www.w3.org/ns/activitystreams","id":"https://remote.example/follows/1","type":"Follow","actor":"https://remote.example/users/alice","object":"https://live.example/federation/user/live"}"#;

/// The moment of [`DATE`].
fn now() -> Timestamp {
    Timestamp::from_second(1_787_054_400).unwrap()
}

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

/// One key for all tests: generating one is slow.
fn private() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::generate().unwrap())
}

fn public() -> PublicKey {
    PublicKey::from_pem(private().public_pem()).unwrap()
}

fn sha256(text: &str) -> String {
    STANDARD.encode(private().sign_sha256(text.as_bytes()).unwrap())
}

fn sha512(text: &str) -> String {
    let pair = RsaKeyPair::from_pkcs8(&private().to_pkcs8().unwrap()).unwrap();
    let mut signature = vec![0; pair.public_modulus_len()];
    let random = SystemRandom::new();
    pair.sign(&RSA_PKCS1_SHA512, &random, text.as_bytes(), &mut signature)
        .unwrap();
    STANDARD.encode(signature)
}

/// An incoming request.
#[derive(Clone)]
struct Incoming {
    method: &'static str,
    target: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Incoming {
    /// A POST to the inbox, complete except for a signature.
    fn post() -> Self {
        let empty = Self {
            method: "POST",
            target: INBOX.to_owned(),
            headers: HeaderMap::new(),
            body: BODY.as_bytes().to_vec(),
        };
        empty
            .with("host", "live.example")
            .with("date", DATE)
            .with("digest", &digest_header(BODY.as_bytes()))
            .with("content-type", "application/activity+json")
    }

    fn get(target: &str) -> Self {
        let mut request = Self::post().without("digest").without("content-type");
        request.method = "GET";
        request.target = target.to_owned();
        request.body.clear();
        request
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        self.headers
            .insert(name, HeaderValue::from_str(value).unwrap());
        self
    }

    fn and(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        self.headers
            .append(name, HeaderValue::from_str(value).unwrap());
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    fn value(&self, name: &str) -> String {
        self.headers[name].to_str().unwrap().to_owned()
    }

    fn request(&self) -> SignedRequest<'_> {
        SignedRequest {
            method: self.method,
            target: &self.target,
            headers: &self.headers,
            host: "live.example",
            base: "https://live.example",
        }
    }

    /// Runs all three steps, with `key` at [`now`].
    fn checked_with(&self, key: &PublicKey) -> Result<(), SignatureProblem> {
        self.checked_at(key, now())
    }

    fn checked_at(&self, key: &PublicKey, now: Timestamp) -> Result<(), SignatureProblem> {
        let parsed = parse(&self.request())?;
        parsed.check_without_key(now, &self.body)?.verify(key)
    }

    /// Runs all three steps with the tests' key.
    fn checked(&self) -> Result<(), SignatureProblem> {
        self.checked_with(&public())
    }

    fn is_accepted(&self) -> bool {
        self.checked() == Ok(())
    }
}

/// What a sender covers, written by hand: names and values in order.
type Lines<'a> = &'a [(&'a str, &'a str)];

fn cavage_text(lines: Lines<'_>) -> String {
    let lines: Vec<String> = lines.iter().map(|(n, v)| format!("{n}: {v}")).collect();
    lines.join("\n")
}

/// A `Signature` header over `lines`; `extra` are parameters, each with a trailing comma.
fn cavage_header(extra: &str, lines: Lines<'_>, sign: fn(&str) -> String) -> String {
    let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
    let signature = sign(&cavage_text(lines));
    format!(
        "keyId=\"{KEY_ID}\",{extra}headers=\"{}\",signature=\"{signature}\"",
        names.join(" ")
    )
}

/// The lines every server covers.
fn usual_lines(digest: &str) -> Vec<(&str, &str)> {
    vec![
        ("(request-target)", "post /federation/user/live/inbox"),
        ("host", "live.example"),
        ("date", DATE),
        ("digest", digest),
    ]
}

/// [`Incoming::post`] signed the usual way.
fn usual() -> Incoming {
    let request = Incoming::post();
    let digest = request.value("digest");
    let header = cavage_header("algorithm=\"rsa-sha256\",", &usual_lines(&digest), sha256);
    request.with("signature", &header)
}
