//! What it costs to believe another server: from the stored bytes of a signed request to what is done with it, beside
//! nothing but the arithmetic of the signature, on one core.
//!
//! Usage: `proofs [SECONDS]`; prints JSON with rates per second. The two are measured in turns, so that whatever else
//! the machine does hits both.

use std::hint::black_box;
use std::time::{Duration, Instant};

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::signature::{KeyPair as _, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair};
use federation::inbox::measure::StoredRequest;
use federation::signature::{PublicKey, Signer, SigningKey, sign};
use jiff::Timestamp;
use outbound::Url;
use outbound::http::HeaderMap;

const HOST: &str = "live.example";
const BASE: &str = "https://live.example";
const INBOX: &str = "/federation/user/live/inbox";
const OWNER: &str = "https://remote.example/users/alice";
/// Different requests, so that nothing is measured out of a cache only.
const REQUESTS: usize = 64;
/// Turns of each kind.
const TURNS: u32 = 10;

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let turn = Duration::from_secs(seconds.unwrap_or(10)) / (2 * TURNS);
    let key = SigningKey::generate().expect("a key");
    let public = PublicKey::from_pem(key.public_pem()).expect("a key");
    let signer = Signer {
        key: key.clone(),
        key_id: format!("{OWNER}#main-key"),
    };
    let now = Timestamp::from_second(1_787_054_400).expect("a moment");
    let requests: Vec<StoredRequest> = (0..REQUESTS).map(|n| request(&signer, n, now)).collect();
    let decide = |n: usize| {
        let request = &requests[n % REQUESTS];
        let kind = request.decide(HOST, BASE, now, OWNER, &public);
        assert!(black_box(kind).is_some(), "a good request is not believed");
    };

    let bare = RsaKeyPair::from_pkcs8(&key.to_pkcs8().expect("a key")).expect("a key");
    let spki: PublicKeyX509Der<'_> = bare.public_key().as_der().expect("a key");
    let parsed = ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, spki.as_ref()).expect("a key");
    let texts: Vec<Vec<u8>> = (0..REQUESTS).map(|n| vec![n as u8; 250]).collect();
    let signatures: Vec<Vec<u8>> = texts
        .iter()
        .map(|text| key.sign_sha256(text).expect("a signature"))
        .collect();
    let verify = |n: usize| {
        let n = n % REQUESTS;
        let verdict = parsed.verify_sig(black_box(&texts[n]), &signatures[n]);
        assert!(verdict.is_ok());
    };

    let (mut ours, mut raw) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        ours.push(rate(turn, decide));
        raw.push(rate(turn, verify));
    }
    let report = serde_json::json!({
        "decisions": median(&mut ours),
        "verifications": median(&mut raw),
        "decisions_raw": ours,
        "verifications_raw": raw,
    });
    println!("{report}");
}

/// A reply as a large server sends it.
fn request(signer: &Signer, n: usize, now: Timestamp) -> StoredRequest {
    let body = serde_json::json!({
        "@context": ["https://www.w3.org/ns/activitystreams", { "sensitive": "as:sensitive", "toot": "http://joinmastodon.org/ns#" }],
        "id": format!("https://remote.example/users/alice/statuses/{n}/activity"),
        "type": "Create",
        "actor": OWNER,
        "published": "2026-08-18T12:00:00Z",
        "to": ["https://www.w3.org/ns/activitystreams#Public"],
        "cc": ["https://remote.example/users/alice/followers", "https://live.example/federation/user/live"],
        "object": {
            "id": format!("https://remote.example/users/alice/statuses/{n}"),
            "type": "Note",
            "inReplyTo": "https://live.example/federation/9Qa4",
            "published": "2026-08-18T12:00:00Z",
            "attributedTo": OWNER,
            "to": ["https://www.w3.org/ns/activitystreams#Public"],
            "content": "<p><span class=\"h-card\"><a href=\"https://live.example\" class=\"u-url mention\">@<span>live</span></a></span> what a show, I will be back next week and bring somebody along</p>",
            "tag": [{ "type": "Mention", "href": "https://live.example/federation/user/live", "name": "@live@live.example" }],
        },
    });
    let body = body.to_string().into_bytes();
    let url = Url::parse(&format!("{BASE}{INBOX}")).expect("an address");
    let mut headers: HeaderMap = sign::cavage_post(signer, &url, &body, now).expect("a signature");
    for (name, value) in [
        ("host", HOST),
        (
            "user-agent",
            "Mastodon/4.5.0 (http.rb/5.3.1; +https://remote.example/)",
        ),
        ("accept-encoding", "gzip"),
        ("connection", "close"),
    ] {
        headers.insert(name, value.parse().expect("a header"));
    }
    StoredRequest::new(INBOX, &headers, &body).expect("few headers")
}

/// How often a second `work` is done.
fn rate(turn: Duration, work: impl Fn(usize)) -> f64 {
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < turn {
        for _ in 0..REQUESTS {
            work(count);
            count += 1;
        }
    }
    count as f64 / start.elapsed().as_secs_f64()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
