//! Whether the server finds itself at its public address.

use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::https::{self, Peer};

use crate::http::{PASSWORD, post, server_with};

async fn check(server: &TestServer) -> Value {
    let asked = post("/api/admin/address/check", &json!({})).by_admin();
    let answer = asked.send(server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// A server whose public address leads to `place`.
async fn server_at(place: &str) -> TestServer {
    let options = Options {
        server_url: Some("http://own.example".into()),
        admin_password: Some(PASSWORD.into()),
        danger_resolve: vec![format!("own.example={place}")],
        ..Options::default()
    };
    TestServer::start_with(options).await
}

#[tokio::test]
async fn the_public_address_is_asked_for_over_the_network() {
    let large = " ".repeat(2 << 20);
    for (body, outcome) in [
        ("ok\n", "reached"),
        ("<h1>It works!</h1>", "another"),
        (large.as_str(), "another"),
    ] {
        let body = body.to_owned();
        let peer = Peer::plain(move |_| https::reply(200, "", &body));
        let server = server_at(&peer.address().to_string()).await;
        assert_eq!(check(&server).await["outcome"], outcome);
        let asked: Vec<_> = peer.requests();
        assert_eq!(asked[0].target(), "/healthz");
    }
    let server = server_at("127.0.0.1:1").await;
    let found = check(&server).await;
    assert_eq!(found["outcome"], "silent");
    assert!(!found["reason"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn without_an_address_nothing_is_asked_for_and_strangers_may_not_ask() {
    let server = server_with(&[]).await;
    assert_eq!(check(&server).await["outcome"], "unset");
    let stranger = post("/api/admin/address/check", &json!({}));
    assert_eq!(stranger.send(&server).await.status, 401);
}
