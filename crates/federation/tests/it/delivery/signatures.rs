//! Deliveries are signed when they are sent, and again in the other scheme if the first is not understood.

use std::time::Duration;

use federation::signature::{PublicKey, SignedRequest as Signed, http_date, verify};
use http::{HeaderMap, HeaderName, HeaderValue};
use model::Clock;
use model::settings::table::federation::{ENABLED, USERNAME};
use serde_json::json;
use store::federation::DeliveryState;
use testkit::eventually;

use crate::house::{ACTOR, House, Server, activity, header, until_received};
use crate::peer::{Peers, Reply, Request, reply};

fn is_rfc9421(request: &Request) -> bool {
    header(request, "signature-input").is_some()
}

/// Understands only the newer scheme.
fn modern(request: &Request) -> Reply {
    reply(if is_rfc9421(request) { 202 } else { 401 }, "", "")
}

/// Checks a request as its receiver would.
async fn assert_signed(server: &Server, host: &str, request: &Request, key_id: &str) {
    let mut headers = HeaderMap::new();
    for line in request.head.lines().skip(1) {
        if let Some((name, value)) = line.split_once(':') {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_str(value.trim()).unwrap());
        }
    }
    let base = format!("https://{host}");
    let signed = Signed {
        method: request.method(),
        target: request.target(),
        headers: &headers,
        host,
        base: &base,
    };
    let identity = server.account.identity().await.unwrap();
    let key = PublicKey::from_pem(identity.key.public_pem()).unwrap();
    let parsed = verify::parse(&signed).unwrap();
    assert_eq!(parsed.key_id().as_str(), key_id);
    let checked = parsed
        .check_without_key(server.clock.now(), request.body.as_bytes())
        .unwrap();
    assert!(checked.verify(&key).is_ok());
}

// Case 24 of docs/federation-cases.md.
#[tokio::test]
async fn a_delivery_that_waited_for_an_hour_is_signed_with_the_time_it_is_sent() {
    let peers = Peers::new().serve("peer.example", |_| reply(202, "", ""));
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.say("hello").await;
    server.set(&ENABLED, json!(false)).await;
    server.start();
    server.clock.advance(Duration::from_secs(3600));
    server.set(&ENABLED, json!(true)).await;
    let received = until_received(&peers, 1).await;
    let request = &received[0].1;
    assert_eq!(header(request, "date"), Some(http_date(server.clock.now())));
    let key_id = format!("{ACTOR}#main-key");
    assert_signed(&server, "peer.example", request, &key_id).await;
    let content_type = header(request, "content-type");
    assert_eq!(content_type.as_deref(), Some("application/activity+json"));
    server.close().await;
}

// Case 23 of docs/federation-cases.md: 401, then the other scheme, which is remembered.
#[tokio::test]
async fn a_host_that_wants_the_newer_scheme_gets_it_and_is_remembered() {
    let peers = Peers::new().serve("modern.example", modern);
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("modern.example", "a", None).await;
    server.start();
    server.say("first").await;
    server.until(DeliveryState::Delivered, 1).await;
    let requests = peers.requests();
    assert_eq!(requests.len(), 2);
    assert!(!is_rfc9421(&requests[0].1) && is_rfc9421(&requests[1].1));
    assert_eq!(requests[0].1.body, requests[1].1.body);
    let key_id = format!("{ACTOR}#main-key");
    for (host, request) in &requests {
        assert_signed(&server, host, request, &key_id).await;
    }
    eventually("the scheme is remembered", async || {
        let tables = server.store.federation();
        let host = tables.host("modern.example", server.clock.now()).await;
        host.unwrap()?.scheme
    })
    .await;

    server.say("second").await;
    server.until(DeliveryState::Delivered, 2).await;
    let requests = peers.requests();
    assert_eq!(requests.len(), 3);
    assert!(is_rfc9421(&requests[2].1));
    server.close().await;
}

// Case 23 of docs/federation-cases.md: both refused, once; 403 is no question of signatures.
#[tokio::test]
async fn a_host_that_takes_neither_scheme_is_asked_twice_once_and_one_that_blocks_us_never() {
    let peers = Peers::new()
        .serve("strict.example", |_| reply(400, "", ""))
        .serve("blocking.example", |_| reply(403, "", ""));
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("strict.example", "a", None).await;
    server.follower("blocking.example", "b", None).await;
    server.start();
    server.say("first").await;
    server.until(DeliveryState::Failed, 2).await;
    let asked = |host: &str| {
        let requests = peers.requests();
        requests.iter().filter(|(name, _)| name == host).count()
    };
    assert_eq!((asked("strict.example"), asked("blocking.example")), (2, 1));
    eventually("the usual scheme is remembered", async || {
        let tables = server.store.federation();
        let host = tables.host("strict.example", server.clock.now()).await;
        host.unwrap()?.scheme
    })
    .await;
    server.say("second").await;
    server.until(DeliveryState::Failed, 4).await;
    assert_eq!((asked("strict.example"), asked("blocking.example")), (3, 2));
    server.close().await;
}

// Case 19 of docs/federation-cases.md, the sending of it.
#[tokio::test]
async fn a_move_is_signed_by_the_name_that_is_left() {
    let peers = Peers::new().serve("peer.example", |_| reply(202, "", ""));
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.account.settle().await.unwrap();
    server.set(&USERNAME, json!("stage")).await;
    server.account.settle().await.unwrap();
    server.start();
    let received = until_received(&peers, 1).await;
    let request = &received[0].1;
    let moved = activity(request);
    assert_eq!(
        (&moved["type"], &moved["actor"]),
        (&json!("Move"), &json!(ACTOR))
    );
    assert_eq!(
        moved["target"],
        "https://live.example/federation/user/stage"
    );
    let key_id = format!("{ACTOR}#main-key");
    assert_signed(&server, "peer.example", request, &key_id).await;

    server.say("under the new name").await;
    let received = until_received(&peers, 2).await;
    let key_id = "https://live.example/federation/user/stage#main-key";
    assert_signed(&server, "peer.example", &received[1].1, key_id).await;
    server.close().await;
}
