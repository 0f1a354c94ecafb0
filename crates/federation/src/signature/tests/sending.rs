//! What our own requests look like to other servers.

use super::*;
use crate::signature::sign::{self, ACCEPTED};
use crate::signature::{SignedTarget, Signer, Unsignable};
use outbound::Url;

fn signer() -> Signer {
    Signer {
        key: private().clone(),
        key_id: KEY_ID.to_owned(),
    }
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

// Case 21 of docs/federation-cases.md.
#[test]
fn the_signature_header_has_the_form_the_strictest_reader_wants() {
    let inbox = url("https://peer.example/inbox");
    let headers = sign::cavage_post(&signer(), &inbox, b"{}", now()).unwrap();
    let signature = headers["signature"].to_str().unwrap();
    let start = format!(
        "keyId=\"{KEY_ID}\",algorithm=\"rsa-sha256\",headers=\"(request-target) host date digest\",signature=\""
    );
    assert!(signature.starts_with(&start), "{signature}");
    assert!(!signature.contains(", "), "{signature}");
    assert!(signature.ends_with("==\""), "{signature}");
    let digest = headers["digest"].to_str().unwrap();
    assert!(digest.starts_with("SHA-256="), "{digest}");
    assert_eq!(headers["date"], DATE);
    assert_eq!(headers["content-type"], "application/activity+json");
    assert!(!headers.contains_key("host"), "the client sets it");
}

#[test]
fn a_get_asks_for_activities_and_has_no_digest() {
    let actor = url("https://peer.example/users/alice");
    let headers = sign::cavage_get(&signer(), &actor, SignedTarget::Whole, now()).unwrap();
    assert_eq!(headers["accept"], ACCEPTED);
    let signature = headers["signature"].to_str().unwrap();
    assert!(
        signature.contains("headers=\"(request-target) host date\""),
        "{signature}"
    );
    assert!(!headers.contains_key("digest") && !headers.contains_key("content-type"));
    let headers = sign::rfc9421_get(&signer(), &actor, now()).unwrap();
    assert_eq!(headers["accept"], ACCEPTED);
    assert_eq!(
        headers["signature-input"],
        format!("sig1=(\"@method\" \"@target-uri\");created=1787054400;keyid=\"{KEY_ID}\"")
    );
}

#[test]
fn a_message_signature_has_no_alg_and_keeps_the_date() {
    let inbox = url("https://peer.example/inbox");
    let headers = sign::rfc9421_post(&signer(), &inbox, b"{}", now()).unwrap();
    assert_eq!(
        headers["signature-input"],
        format!(
            "sig1=(\"@method\" \"@target-uri\" \"content-digest\");created=1787054400;keyid=\"{KEY_ID}\""
        )
    );
    assert_eq!(headers["date"], DATE);
    assert_eq!(headers["content-type"], "application/activity+json");
    let digest = headers["content-digest"].to_str().unwrap();
    assert!(
        digest.starts_with("sha-256=:") && digest.ends_with(":"),
        "{digest}"
    );
}

/// Verifies a signed GET as its receiver does: under the names of its own host.
fn arrives(target: &str, host: &'static str, base: &'static str, headers: &HeaderMap) -> bool {
    let request = SignedRequest {
        method: "GET",
        target,
        headers,
        host,
        base,
    };
    let checked = parse(&request).and_then(|parsed| parsed.check_without_key(now(), b""));
    checked.is_ok_and(|checked| checked.verify(&public()).is_ok())
}

#[test]
fn the_port_is_part_of_the_host_only_when_it_is_unusual() {
    for (address, host, base) in [
        (
            "https://peer.example:443/a",
            "peer.example",
            "https://peer.example",
        ),
        (
            "https://peer.example:8443/a",
            "peer.example:8443",
            "https://peer.example:8443",
        ),
    ] {
        let address = url(address);
        let cavage = sign::cavage_get(&signer(), &address, SignedTarget::Whole, now()).unwrap();
        assert!(arrives("/a", host, base, &cavage), "{address}");
        let message = sign::rfc9421_get(&signer(), &address, now()).unwrap();
        assert!(arrives("/a", host, base, &message), "{address}");
    }
}

#[test]
fn the_path_is_signed_as_it_is_sent_and_the_fragment_is_not() {
    let (host, base) = ("peer.example", "https://peer.example");
    let address = url("https://peer.example/a//b/%7Ealice/%e4?q=%20x&y#part");
    let target = "/a//b/%7Ealice/%e4?q=%20x&y";
    let cavage = sign::cavage_get(&signer(), &address, SignedTarget::Whole, now()).unwrap();
    assert!(arrives(target, host, base, &cavage));
    let message = sign::rfc9421_get(&signer(), &address, now()).unwrap();
    assert!(arrives(target, host, base, &message));
}

#[test]
fn a_signature_over_the_path_only_is_another_one() {
    let address = url("https://peer.example/a?page=1");
    let whole = sign::cavage_get(&signer(), &address, SignedTarget::Whole, now()).unwrap();
    let path = sign::cavage_get(&signer(), &address, SignedTarget::PathOnly, now()).unwrap();
    assert_ne!(whole["signature"], path["signature"]);
    let (host, base) = ("peer.example", "https://peer.example");
    assert!(arrives("/a", host, base, &path));
    assert!(!arrives("/a", host, base, &whole));
}

#[test]
fn a_key_id_that_would_break_the_header_is_not_signed_with() {
    for key_id in ["a\"b", "a b", "a\\b", "a\nb", "ä"] {
        let signer = Signer {
            key: private().clone(),
            key_id: key_id.to_owned(),
        };
        let address = url("https://peer.example/");
        let cavage = sign::cavage_get(&signer, &address, SignedTarget::Whole, now());
        assert_eq!(cavage.unwrap_err(), Unsignable::KeyId);
        let message = sign::rfc9421_get(&signer, &address, now());
        assert_eq!(message.unwrap_err(), Unsignable::KeyId);
    }
}
