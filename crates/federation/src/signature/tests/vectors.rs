//! Requests computed with OpenSSL, so that the same mistake cannot hide in signing and verifying.

use super::*;
use crate::signature::sign;
use crate::signature::{SignedTarget, Signer, content_digest_header};
use aws_lc_rs::digest::{SHA256, digest};
use outbound::Url;

const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqtq5auN5ekcieOGHFnrN
TaZjEkH7ayTtsgC5qRyTD+BZtAkdLUJoCnJ7m06w7rsg8HF0TOROIpacU8eMVcvf
M6cqNmDBGdo0yezwrvdn7czEdnD6JbxYxbegV+aq2+aqx74Yqz8QJZpO6ac9cEsU
vsuDQUE/Q8pEcHXGGIY++isQaHZo0LRI++Va3RpVm7AbrJGFE7dn5TNIzVmYlvVL
YtEf67XvvFoKgeErmSEap85tAGRBJxbfv9at1D46iZ6LVJqJVQ+pgqunp6n8AMFs
2xnls4YvhzO2j9RzcY/qKixBLbF1aC+eS88ddTaXY02ybvm/SIeURL1J22QuYV8E
JQIDAQAB
-----END PUBLIC KEY-----
";
const DIGEST: &str = "SHA-256=LJqJPG0ElKQeQ6WsMO2BJa9zD/Aiionq7VQq+u4runk=";
const INPUT: &str = r#"sig1=("@method" "@target-uri" "content-digest");created=1787054400;keyid="https://remote.example/users/alice#main-key""#;

const POST_TEXT: &str = "37e42349438a9da131a0674bbd4f06670e8b9994b16d420034cd85828341966a";
const GET_TEXT: &str = "41dfd2e3c4b2c74173a86179dcbf2d8c3441ef22a3370b614ff06ae776629928";
const BASE_TEXT: &str = "4ca7faecc57bd61682d9d181870befb8604d049d21a28bf5dde3a00a419b066b";

const POST_SIGNATURE: &str = "dCCw1OnCq3JWD1CFRIBDMxKI2NdLrgHmZildvO5hR4Rd4SOkGjnan98tX7qqjzVKGlvS0iTb4iBa5E2QldoLWa367IkEJVK4DjDGgH7PoWsC6LQyGV2LzOmGmpu4iLUPAVPfhAl+C10Mwnhf6NIg81B5e7lN2Xh9A4cdEMCQ3aVf5wR+qIp1v4uRJ7WY14VdA7joRBXvnlga9QtY/fpUV0+6fT3F9V9OVUV01s/BPSTj6c0CtYmkABKIoCy1xRkYBcdo5lw6Ts4w/nflhjyjisOdqfl7PGl3iYPrbYBU1rwcOROs7eTjSd6otKdG+NdJUruI7zwpyeOBo3UVUEw2dg==";
const GET_SIGNATURE: &str = "ZRdUFVbI4ARXpMVAVknhewb1Nq053+e65hGSzR/ncznIKPKWL9Fa8bR1TVzWx5GljT95BAqvf3XcAMaJvsSk/iteV7As3e6oAX55wEOxqt0LScxEIriSH4qyKvHTbfcp1+lRd7EpkAtJFJV4YXPGpNcoNEsJlYAJUCkYPVAFq8NKpkcgdyleQS0/dxsMSGf0kgyKU/c++utuV/Aqa+mzDxvgIQOPhK+vYw3c9Qcgil2j1wGqgMvWn7jorVWTrG3p+GjF6Uqe9vI5ipNGXsBgHKgdc3+YGjhd+vltd0d+ya4vDXP+c9065PN9kL93ykSgO/oNY3RO3T/AWGJ3AtWn3w==";
const BASE_SIGNATURE: &str = "XDnzZcRjDc6et8ufwmnS/SvaeOhjhZn4TUh1Gqy/ks5mQU+20LSRNiCCg94AcxdrCaUdUZMzl1+mFsWl3ivuKcFQNp0fhz0d/qR039JXwydQeP0b/azm4ac0WjSLedk5djF7lBFbxJywrYl3fo6rQW2vg2D1OGFJPwWP8Vhhju7j4tdNFms6lEJYVEBD2gLKtwnvdi/deiT1TB8bb1USqMXSg5+KsQFWiaZqIa8lGnQL1H18hZffbmlbTMK8VdO4Tb+9yzo6PFvuHVITM6uutMAft3XVq1ZpPO02QXuqza1B5B3/ujKxl6/87pjc7JOdZyhSblYLiRNEyB6uobVydQ==";

const FOLLOWERS: &str = "/federation/user/live/followers?page=1";

fn cavage(covered: &str, signature: &str) -> String {
    format!(
        "keyId=\"{KEY_ID}\",algorithm=\"rsa-sha256\",headers=\"{covered}\",signature=\"{signature}\""
    )
}

fn vectors() -> [Incoming; 3] {
    let message = Incoming::post()
        .without("digest")
        .with("content-digest", &content_digest_header(BODY.as_bytes()))
        .with("signature-input", INPUT)
        .with("signature", &format!("sig1=:{BASE_SIGNATURE}:"));
    [
        Incoming::post().with(
            "signature",
            &cavage("(request-target) host date digest", POST_SIGNATURE),
        ),
        Incoming::get(FOLLOWERS).with(
            "signature",
            &cavage("(request-target) host date", GET_SIGNATURE),
        ),
        message,
    ]
}

/// The digest of the text we think was signed.
fn text_of(request: &Incoming) -> String {
    let parsed = parse(&request.request()).unwrap();
    let hash = digest(&SHA256, &parsed.texts[0].bytes);
    hash.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}

// Case 25 of docs/federation-cases.md.
#[test]
fn requests_signed_by_openssl_are_accepted() {
    let key = PublicKey::from_pem(PUBLIC).unwrap();
    for request in vectors() {
        assert_eq!(request.checked_with(&key), Ok(()));
        assert_eq!(
            request.checked_with(&public()),
            Err(SignatureProblem::Mismatch)
        );
    }
}

// Case 20 of docs/federation-cases.md.
#[test]
fn what_is_signed_is_what_others_sign() {
    assert_eq!(BODY.len(), 206);
    assert_eq!(digest_header(BODY.as_bytes()), DIGEST);
    let [post, get, message] = vectors();
    assert_eq!(text_of(&post), POST_TEXT);
    assert_eq!(text_of(&get), GET_TEXT);
    assert_eq!(text_of(&message), BASE_TEXT);
}

// Case 20 of docs/federation-cases.md.
#[test]
fn our_own_requests_sign_the_same_and_are_accepted() {
    let signer = Signer {
        key: private().clone(),
        key_id: KEY_ID.to_owned(),
    };
    let inbox = Url::parse(&format!("https://live.example{INBOX}")).unwrap();
    let followers = Url::parse(&format!("https://live.example{FOLLOWERS}")).unwrap();
    let body = BODY.as_bytes();
    let whole = SignedTarget::Whole;
    let rows = [
        (
            Incoming::post(),
            sign::cavage_post(&signer, &inbox, body, now()),
            POST_TEXT,
        ),
        (
            Incoming::get(FOLLOWERS),
            sign::cavage_get(&signer, &followers, whole, now()),
            GET_TEXT,
        ),
        (
            Incoming::post(),
            sign::rfc9421_post(&signer, &inbox, body, now()),
            BASE_TEXT,
        ),
    ];
    for (mut request, headers, text) in rows {
        request.headers.extend(headers.unwrap());
        assert_eq!(text_of(&request), text);
        assert_eq!(request.checked(), Ok(()));
    }
}
