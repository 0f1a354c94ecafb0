//! The inbox over HTTP: the answers, and that signatures are checked against the request as it was sent.

use std::sync::OnceLock;

use federation::signature::{Signer, SigningKey, sign};
use jiff::Timestamp;
use model::Event;
use serde_json::json;
use server::testing::TestServer;
use store::federation::StoredKey;
use testkit::eventually;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

use super::stage::federated;
use crate::http::{Request, get, request};

const ALICE: &str = "https://remote.example/users/alice";

fn key() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::generate().unwrap())
}

/// A request signed by Alice.
fn signed(target: &str, body: &str) -> Request {
    let url = Url::parse(&format!("https://live.example{target}")).unwrap();
    let signer = Signer {
        key: key().clone(),
        key_id: format!("{ALICE}#main-key"),
    };
    let headers = sign::cavage_post(&signer, &url, body.as_bytes(), Timestamp::now()).unwrap();
    let mut sent = request("POST", target);
    for (name, value) in &headers {
        // The client sets its own `host`, as a proxy would.
        if name != "host" {
            sent = sent.header(name.as_str(), value.to_str().unwrap());
        }
    }
    sent.raw_body(body)
}

fn view(number: u32) -> String {
    json!({ "id": format!("{ALICE}#views/{number}"), "type": "View", "actor": ALICE }).to_string()
}

/// Stores Alice's key, so that no server has to be asked for it.
async fn knows_alice(server: &TestServer) {
    let known = StoredKey {
        key_id: format!("{ALICE}#main-key"),
        owner: ALICE.into(),
        pem: key().public_pem().into(),
        fetched_at: Timestamp::now(),
    };
    server.store().federation().put_key(known).await.unwrap();
}

#[tokio::test]
async fn an_activity_is_answered_at_once_with_nothing() {
    let server = federated(&[]).await;
    let answer = signed("/federation/user/live/inbox", &view(1))
        .send(&server)
        .await;
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
}

#[tokio::test]
async fn a_refusal_says_what_to_do_about_it() {
    let server = federated(&[]).await;
    let inbox = "/federation/user/live/inbox";
    let unsigned = request("POST", inbox)
        .header("content-type", "application/activity+json")
        .raw_body("{}")
        .send(&server)
        .await;
    assert_eq!(unsigned.status, 401);
    assert_eq!(unsigned.json()["error"], "the request is not signed");
    assert!(
        unsigned
            .header("accept-signature")
            .contains("content-digest")
    );
    let read = get(inbox).send(&server).await;
    assert_eq!(read.status, 405);
    assert!(read.header("allow").contains("POST"));
    let other = signed("/federation/user/other/inbox", &view(1))
        .send(&server)
        .await;
    assert_eq!(other.status, 404);
    let plain = request("POST", inbox)
        .header("content-type", "text/plain")
        .raw_body("{}");
    assert_eq!(plain.send(&server).await.status, 415);
}

// Case 38 of docs/federation-cases.md, with a sender that does not say how much is coming.
#[tokio::test]
async fn a_body_without_an_end_is_cut_off() {
    let server = federated(&[]).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = "POST /federation/user/live/inbox HTTP/1.1\r\nhost: live.example\r\n\
                content-type: application/activity+json\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..20 {
        // The server may already have answered and closed.
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 413");
}

// Case 30 of docs/federation-cases.md: neither the spelling of the path nor the name of a hop changes what was signed.
#[tokio::test]
async fn what_is_verified_is_the_target_as_it_was_sent() {
    let server = federated(&[]).await;
    knows_alice(&server).await;
    let targets = [
        "/federation/user/live/inbox",
        "/federation/user/l%69ve/inbox",
        "/federation/user/live/inbox?a=%7E&b=//c",
    ];
    for (number, target) in (1..).zip(targets) {
        let body = view(number);
        assert_eq!(
            signed(target, &body).send(&server).await.status,
            202,
            "{target}"
        );
        eventually("the activity is believed", || async {
            let events = server.events().await;
            let is_here = |event: &Event| {
                matches!(event, Event::FediverseActivityReceived { json } if *json == body)
            };
            events.iter().any(is_here).then_some(())
        })
        .await;
    }
}
