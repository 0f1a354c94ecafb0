//! Both signature schemes: requests signed by another implementation, and our own.
//!
//! The recorded requests fix which text is signed for an address. We accept them, and accept our own signatures by the
//! same verification: so we sign the same text. Real servers judge what we send in `e2e/federation`.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use federation::signature::sign::{cavage_post, rfc9421_post};
use federation::signature::verify::parse;
use federation::signature::{PublicKey, SignatureProblem, SignedRequest as Signed, Signer};
use jiff::Timestamp;
use outbound::Url;
use outbound::http::{HeaderMap, HeaderName, Method, Request};
use proptest::prelude::*;
use serde::Deserialize;

use crate::outlook::our_key;

const KEY_ID: &str = "https://remote.example/users/alice#main-key";
const NOW: i64 = 1_787_054_400;

/// Signed by actpub-httpsig 0.2.3, with discarded keys, at [`NOW`].
#[derive(Deserialize)]
struct Recorded {
    scheme: String,
    key: String,
    address: String,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Recorded {
    fn request(&self) -> Request<Vec<u8>> {
        let body = STANDARD.decode(&self.body).unwrap();
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| {
            let name: HeaderName = name.parse().unwrap();
            (name, value.parse().unwrap())
        });
        post(&self.address, headers.collect(), body)
    }
}

fn post(address: &str, headers: HeaderMap, body: Vec<u8>) -> Request<Vec<u8>> {
    let request = Request::builder().method(Method::POST).uri(address);
    let mut request = request.body(body).unwrap();
    *request.headers_mut() = headers;
    request
}

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

/// Our verdict on a request.
fn verdict(request: &Request<Vec<u8>>, key: &PublicKey) -> Result<(), SignatureProblem> {
    let uri = request.uri();
    let host = uri.authority().unwrap().as_str();
    let base = format!("https://{host}");
    let signed = Signed {
        method: request.method().as_str(),
        target: uri.path_and_query().unwrap().as_str(),
        headers: request.headers(),
        host,
        base: &base,
    };
    let checked = parse(&signed)?.check_without_key(now(), request.body())?;
    checked.verify(key)
}

/// The request is accepted, and no longer once any part of it changes.
fn is_believed_as_it_is_alone(mut request: Request<Vec<u8>>, key: &PublicKey, flipped: usize) {
    assert_eq!(verdict(&request, key), Ok(()), "{}", request.uri());
    request.body_mut()[flipped] ^= 1;
    assert!(verdict(&request, key).is_err(), "another body");
    request.body_mut()[flipped] ^= 1;
    *request.method_mut() = Method::PUT;
    let other_method = verdict(&request, key);
    assert_eq!(other_method, Err(SignatureProblem::Mismatch));
    *request.method_mut() = Method::POST;
    let address = request
        .uri()
        .to_string()
        .replacen(".example", ".example/x", 1);
    *request.uri_mut() = address.parse().unwrap();
    assert!(verdict(&request, key).is_err(), "another path");
}

#[test]
fn what_another_implementation_signed_we_verify_and_nothing_else() {
    let recorded: Vec<Recorded> = serde_json::from_str(include_str!("../signed.json")).unwrap();
    for scheme in ["cavage", "rfc9421"] {
        assert!(recorded.iter().any(|one| one.scheme == scheme));
    }
    for one in recorded {
        let key = PublicKey::from_pem(&one.key).unwrap();
        let request = one.request();
        let last = request.body().len() - 1;
        is_believed_as_it_is_alone(request, &key, last);
    }
}

/// Addresses of the form servers use, and some they should not.
fn address() -> impl Strategy<Value = Url> {
    let path = "(/[a-zA-Z0-9@._~%2F-]{0,12}){1,4}";
    (path, proptest::option::of("[a-z0-9=&%20-]{0,20}"), 0..2u8).prop_filter_map(
        "no address",
        |(path, query, port)| {
            let port = if port == 0 { "" } else { ":8443" };
            let query = query.map(|query| format!("?{query}")).unwrap_or_default();
            Url::parse(&format!("https://peer.example{port}{path}{query}")).ok()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_we_sign_we_verify_and_nothing_else(
        url in address(),
        body in proptest::collection::vec(any::<u8>(), 1..200),
        flipped in any::<prop::sample::Index>(),
    ) {
        let signer = Signer { key: our_key().clone(), key_id: KEY_ID.to_owned() };
        let public = PublicKey::from_pem(our_key().public_pem()).unwrap();
        let flipped = flipped.index(body.len());
        for sign in [cavage_post, rfc9421_post] {
            let mut headers = sign(&signer, &url, &body, now()).unwrap();
            headers.insert("host", outbound::host_header(&url).parse().unwrap());
            is_believed_as_it_is_alone(post(url.as_str(), headers, body.clone()), &public, flipped);
        }
    }
}
