//! Ed25519 keys.

use super::*;
use crate::signature::pem;
use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};

fn pair() -> &'static Ed25519KeyPair {
    static PAIR: OnceLock<Ed25519KeyPair> = OnceLock::new();
    PAIR.get_or_init(|| Ed25519KeyPair::generate().unwrap())
}

fn small_public() -> PublicKey {
    let der: PublicKeyX509Der<'_> = pair().public_key().as_der().unwrap();
    PublicKey::from_pem(&pem::encode("PUBLIC KEY", der.as_ref())).unwrap()
}

fn ed25519(text: &str) -> String {
    STANDARD.encode(pair().sign(text.as_bytes()))
}

fn signed(algorithm: &str, sign: fn(&str) -> String) -> Incoming {
    let request = Incoming::post();
    let digest = request.value("digest");
    let header = cavage_header(algorithm, &usual_lines(&digest), sign);
    request.with("signature", &header)
}

#[test]
fn an_ed25519_key_verifies_what_does_not_say_rsa() {
    for algorithm in ["algorithm=\"ed25519\",", "algorithm=\"hs2019\",", ""] {
        let request = signed(algorithm, ed25519);
        assert_eq!(request.checked_with(&small_public()), Ok(()), "{algorithm}");
        assert_eq!(
            request.checked(),
            Err(SignatureProblem::Mismatch),
            "{algorithm}"
        );
    }
}

#[test]
fn the_stated_kind_and_the_kind_of_the_key_have_to_agree() {
    let says_rsa = signed("algorithm=\"rsa-sha256\",", ed25519);
    assert_eq!(
        says_rsa.checked_with(&small_public()),
        Err(SignatureProblem::Mismatch)
    );
    let says_ed25519 = signed("algorithm=\"ed25519\",", sha256);
    assert_eq!(says_ed25519.checked(), Err(SignatureProblem::Mismatch));
}
