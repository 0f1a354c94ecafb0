//! Another implementation of both schemes as the judge of ours, and the other way round.

use actpub_httpsig as oracle;
use federation::signature::sign::{cavage_get, cavage_post, rfc9421_get, rfc9421_post};
use federation::signature::verify::parse;
use federation::signature::{
    PublicKey, Request as Signed, SignatureProblem, SignedTarget, Signer, content_digest_header,
    digest_header, http_date,
};
use jiff::Timestamp;
use outbound::Url;
use outbound::http::{HeaderMap, Method, Request};
use proptest::prelude::*;

use crate::outlook::our_key;

const KEY_ID: &str = "https://remote.example/users/alice#main-key";
const NOW: i64 = 1_787_054_400;

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

fn signer() -> Signer {
    Signer {
        key: our_key().clone(),
        key_id: KEY_ID.to_owned(),
    }
}

fn judge_key(_: &str) -> Result<oracle::VerifyingKey, oracle::Error> {
    oracle::VerifyingKey::from_pem(our_key().public_pem())
}

/// A request as the oracle sees it.
fn theirs(method: Method, url: &Url, headers: HeaderMap, body: &[u8]) -> Request<Vec<u8>> {
    let mut request = Request::builder()
        .method(method)
        .uri(url.as_str())
        .body(body.to_vec())
        .unwrap();
    *request.headers_mut() = headers;
    let host = outbound::host_header(url).parse().unwrap();
    request.headers_mut().insert("host", host);
    request
}

/// What we say to a request the oracle has signed.
fn ours(request: &Request<Vec<u8>>, key: &PublicKey) -> Result<(), SignatureProblem> {
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

/// Addresses the way servers make them, and some they should not.
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
    fn what_we_sign_the_oracle_verifies(
        url in address(),
        body in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let headers = cavage_post(&signer(), &url, &body, now()).unwrap();
        let request = theirs(Method::POST, &url, headers, &body);
        prop_assert!(oracle::cavage_verify(&request, judge_key).is_ok());
        let digest = request.headers()["digest"].to_str().unwrap();
        prop_assert!(oracle::verify_digest_header(digest, &body).is_ok());

        let headers = cavage_get(&signer(), &url, SignedTarget::Whole, now()).unwrap();
        let request = theirs(Method::GET, &url, headers, b"");
        prop_assert!(oracle::cavage_verify(&request, judge_key).is_ok());

        let headers = rfc9421_post(&signer(), &url, &body, now()).unwrap();
        let request = theirs(Method::POST, &url, headers, &body);
        prop_assert!(oracle::rfc9421_verify(&request, judge_key).is_ok());
        let digest = request.headers()["content-digest"].to_str().unwrap();
        prop_assert!(oracle::verify_content_digest_header(digest, &body).is_ok());

        let headers = rfc9421_get(&signer(), &url, now()).unwrap();
        let request = theirs(Method::GET, &url, headers, b"");
        prop_assert!(oracle::rfc9421_verify(&request, judge_key).is_ok());
    }

    #[test]
    fn what_the_oracle_signs_we_verify_and_nothing_else(
        url in address(),
        body in proptest::collection::vec(any::<u8>(), 1..200),
        flipped in any::<prop::sample::Index>(),
        is_ed25519 in any::<bool>(),
    ) {
        let key = if is_ed25519 {
            oracle::SigningKey::generate_ed25519()
        } else {
            let pkcs8 = our_key().to_pkcs8().unwrap();
            oracle::SigningKey::Rsa(oracle::RsaSigningKey::from_pkcs8_der(&pkcs8).unwrap())
        };
        let public = PublicKey::from_pem(&key.verifying_key().to_pem()).unwrap();

        let mut headers = HeaderMap::new();
        headers.insert("date", http_date(now()).parse().unwrap());
        headers.insert("digest", digest_header(&body).parse().unwrap());
        headers.insert("content-type", "application/activity+json".parse().unwrap());
        headers.insert("content-digest", content_digest_header(&body).parse().unwrap());
        let unsigned = theirs(Method::POST, &url, headers, &body);

        let mut cavage = unsigned.clone();
        oracle::CavageSigner::new(&key, KEY_ID).sign(&mut cavage).unwrap();
        let mut message = unsigned;
        let signer = oracle::Rfc9421Signer::new(&key, KEY_ID).with_created(NOW);
        signer.sign(&mut message).unwrap();
        for mut request in [cavage, message] {
            prop_assert_eq!(ours(&request, &public), Ok(()));
            let at = flipped.index(request.body().len());
            request.body_mut()[at] ^= 1;
            prop_assert!(ours(&request, &public).is_err());
            request.body_mut()[at] ^= 1;
            *request.method_mut() = Method::PUT;
            prop_assert_eq!(ours(&request, &public), Err(SignatureProblem::Mismatch));
        }
    }
}
