//! Keys in every encoding they come in.

use super::*;
use crate::signature::{BadKey, pem};
use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rsa;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};

/// Made with `openssl genrsa 1024 | openssl rsa -pubout`.
const SMALL: &str = "-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDC3Ezdjs1kItcz5h2HtjFC8R6T
8j7Kv9EnPdhHQvPLp7B4JRbqfd7BeOTX1wEyqfDOJ7bcnJrfAUUrFS+b6HRi9ukt
lSO4n23edLizP17kS4ii1c85eBUs+UkmD4GJ2ffPYhBnqEngbEXA2vkxRyhhMEA/
hRiI4sJt4/n3dOkIMQIDAQAB
-----END PUBLIC KEY-----
";

/// Where the PKCS#1 key begins in the PKCS#8 of an RSA key of 2048 bits.
const PKCS1_AT: usize = 26;

// Case 32 of docs/federation-cases.md.
#[test]
fn a_public_key_may_be_spki_or_pkcs1_and_wear_either_label() {
    let (_, spki) = pem::decode(private().public_pem()).unwrap();
    let pkcs1 = rsa::PublicKey::from_der(&spki).unwrap().as_ref().to_vec();
    for (label, der) in [
        ("PUBLIC KEY", &spki),
        ("RSA PUBLIC KEY", &pkcs1),
        ("PUBLIC KEY", &pkcs1),
        ("RSA PUBLIC KEY", &spki),
    ] {
        let key = PublicKey::parse(&pem::encode(label, der)).unwrap();
        assert_eq!(usual().checked_with(&key), Ok(()), "{label}");
    }
}

#[test]
fn a_private_key_may_be_pkcs8_or_pkcs1() {
    let pkcs8 = private().to_pkcs8().unwrap();
    let pkcs1 = pem::encode("RSA PRIVATE KEY", &pkcs8[PKCS1_AT..]);
    for key in [
        SigningKey::from_pkcs8(&pkcs8),
        SigningKey::from_pem(&pem::encode("PRIVATE KEY", &pkcs8)),
        SigningKey::from_pem(&pkcs1),
    ] {
        let key = key.unwrap();
        assert_eq!(key.public_pem(), private().public_pem());
        assert_eq!(
            key.sign_sha256(b"x").unwrap(),
            private().sign_sha256(b"x").unwrap()
        );
    }
    let public = private().public_pem();
    assert_eq!(
        SigningKey::from_pem(public).unwrap_err(),
        BadKey::Unreadable
    );
    assert_eq!(
        SigningKey::from_pkcs8(b"x").unwrap_err(),
        BadKey::Unreadable
    );
}

#[test]
fn a_key_that_can_be_broken_or_is_none_is_refused() {
    assert_eq!(PublicKey::parse(SMALL).unwrap_err(), BadKey::Size);
    let private = pem::encode("PRIVATE KEY", &private().to_pkcs8().unwrap());
    let (_, mut spki) = pem::decode(SMALL).unwrap();
    spki.truncate(50);
    for text in [
        "",
        "key",
        &private,
        &pem::encode("PUBLIC KEY", b""),
        &pem::encode("PUBLIC KEY", &spki),
        &pem::encode("CERTIFICATE", &spki),
    ] {
        assert_eq!(
            PublicKey::parse(text).unwrap_err(),
            BadKey::Unreadable,
            "{text}"
        );
    }
}

#[test]
fn an_ed25519_key_is_read_as_pem_and_as_one_word() {
    let pair = Ed25519KeyPair::generate().unwrap();
    let der: PublicKeyX509Der<'_> = pair.public_key().as_der().unwrap();
    assert!(PublicKey::parse(&pem::encode("PUBLIC KEY", der.as_ref())).is_ok());
    assert!(PublicKey::parse("z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2").is_ok());
}

#[test]
fn keys_do_not_show_themselves_in_logs() {
    assert_eq!(format!("{:?}", private()), "SigningKey(..)");
    assert_eq!(format!("{:?}", public()), "PublicKey(Rsa)");
}
