//! The operator's posts and their delivery, over the admin API.

use jiff::Timestamp;
use serde_json::{Value, json};
use server::testing::TestServer;
use store::federation::{Effects, FollowerProfile, FollowerState, NewFollower};
use testkit::eventually;

use super::network::Network;
use super::stage::ask as ask_as_peer;
use crate::http::{Answer, get, request, server_with};

/// `GIF89a` with one pixel.
const PICTURE: &str = "data:image/gif;base64,R0lGODlhAQABAAAAADs=";

async fn ask(server: &TestServer, method: &str, path: &str, body: &Value) -> Answer {
    let path = format!("/api/admin/federation{path}");
    let request = request(method, &path).raw_body(&body.to_string());
    request.by_admin().send(server).await
}

async fn list(server: &TestServer, path: &str) -> Value {
    let answer = ask(server, "GET", path, &json!({})).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

async fn follow(server: &TestServer, host: &str) {
    let iri = format!("https://{host}/users/alice");
    let new = NewFollower {
        profile: FollowerProfile {
            inbox: format!("{iri}/inbox"),
            shared_inbox: None,
            username: "alice".into(),
            handle: format!("@alice@{host}"),
            name: "Alice".into(),
            url: None,
            image: None,
        },
        follow_id: format!("{iri}#follow"),
        follow_json: "{}".into(),
        is_directory: false,
        iri,
    };
    let at = Timestamp::from_second(1_787_000_000).unwrap();
    let tables = server.store().federation();
    let added = tables.add_follower(new, FollowerState::Accepted, Effects::default(), at);
    added.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_posts_a_picture_sees_it_listed_and_takes_it_back() {
    let mut network = Network::of(&["page.example", "social.example"]);
    let server = network.server("page.example", &[]).await;
    let peer = network.peer("social.example");
    follow(&server, "social.example").await;
    let post = json!({ "value": "Look **here**", "image": PICTURE, "description": "a pixel" });
    let sent = ask(&server, "POST", "/send", &post).await;
    assert_eq!(sent.status, 200, "{sent:?}");

    let posts = list(&server, "/posts").await;
    assert_eq!(posts["total"], 1);
    let listed = &posts["results"][0];
    assert_eq!(listed["image"]["description"], "a pixel");
    for (name, value) in [
        ("isPublic", json!(true)),
        ("isLiveNotification", json!(false)),
        ("likes", json!(0)),
        ("reposts", json!(0)),
        ("replies", json!(0)),
        ("quotes", json!(0)),
    ] {
        assert_eq!(listed[name], value, "{name}");
    }
    let received = eventually("the post arrives", async || peer.received().pop()).await;
    assert_eq!(received["object"]["id"], listed["url"]);
    assert_eq!(received["object"]["content"], listed["content"]);

    let path = |url: &Value| {
        let url = url.as_str().unwrap();
        url.strip_prefix("https://page.example").unwrap().to_owned()
    };
    let picture = path(&listed["image"]["url"]);
    let shown = get(&picture).send(&server).await;
    assert_eq!(
        (shown.status, shown.header("content-type")),
        (200, "image/gif")
    );

    let one = format!("/posts/{}", listed["id"].as_str().unwrap());
    let deleted = ask(&server, "DELETE", &one, &json!({})).await;
    assert_eq!(deleted.status, 200, "{deleted:?}");
    let object = ask_as_peer(&path(&listed["url"])).send(&server).await;
    assert_eq!(object.status, 410);
    assert_eq!(get(&picture).send(&server).await.status, 404);
    assert_eq!(list(&server, "/posts").await["total"], 0);
    let again = ask(&server, "DELETE", &one, &json!({})).await;
    assert_eq!(again.status, 404);
    eventually("its deletion arrives", async || {
        let last = peer.received().pop()?;
        (last["type"] == "Delete").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_in_trouble_is_seen_with_its_server_sent_again_and_dropped() {
    let mut network = Network::of(&["page.example", "away.example"]);
    let server = network.server("page.example", &[]).await;
    follow(&server, "away.example").await;
    let sent = ask(&server, "POST", "/send", &json!({ "value": "hello" })).await;
    assert_eq!(sent.status, 200, "{sent:?}");
    let failed = eventually("the first attempt has failed", async || {
        let page = list(&server, "/deliveries?state=pending&host=away.example").await;
        let one = page["results"].get(0)?.clone();
        (one["attempts"] == 1).then_some(one)
    })
    .await;
    assert_eq!(failed["kind"], "post");
    assert_eq!(failed["inbox"], "https://away.example/users/alice/inbox");
    assert!(
        failed["error"].is_string() && failed["status"].is_null(),
        "{failed}"
    );
    let hosts = eventually("its server is known to fail", async || {
        let hosts = list(&server, "/hosts").await;
        (hosts[0]["failures"] == 1).then_some(hosts)
    })
    .await;
    assert_eq!(hosts[0]["host"], "away.example");
    assert_eq!(hosts[0]["state"], "held");
    assert!(hosts[0]["until"].is_string());
    let summary = list(&server, "/deliveries/summary").await;
    assert_eq!(
        (&summary["waiting"], &summary["retrying"]),
        (&json!(1), &json!(1))
    );
    assert!(summary["oldest"].is_string());
    for nothing in ["/deliveries?state=delivered", "/deliveries?host=b.example"] {
        assert_eq!(list(&server, nothing).await["total"], 0, "{nothing}");
    }

    // The host is reachable now.
    let peer = network.peer("away.example");
    let ids = json!({ "ids": [failed["id"]] });
    let again = ask(&server, "POST", "/deliveries/retry", &ids).await;
    assert_eq!(again.status, 200, "{again:?}");
    eventually("it arrives", async || peer.received().pop()).await;
    eventually("it is known to have arrived", async || {
        let page = list(&server, "/deliveries?state=delivered").await;
        (page["total"] == 1).then_some(())
    })
    .await;
    let again = ask(&server, "POST", "/deliveries/retry", &ids).await;
    assert_eq!(again.status, 400, "{again:?}");
    let dropped = ask(&server, "POST", "/deliveries/drop", &ids).await;
    assert_eq!(dropped.status, 200, "{dropped:?}");
    assert_eq!(list(&server, "/deliveries").await["total"], 0);
}

#[tokio::test]
async fn what_cannot_be_said_or_done_is_refused_with_words() {
    let silent = server_with(&[]).await;
    let refused = ask(&silent, "POST", "/send", &json!({ "value": "hello" })).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("federation is off"),
        "{}",
        refused.body
    );

    let server = super::stage::federated(&[]).await;
    for (path, body, words) in [
        ("/send", json!({}), "write something"),
        ("/send", json!({ "value": " " }), "write something"),
        ("/send", json!({ "value": "x".repeat(5_001) }), "5000"),
        (
            "/send",
            json!({ "value": "x", "image": "pixels" }),
            "data URI",
        ),
        (
            "/send",
            json!({ "value": "x", "image": "data:image/png;base64,PHN2Zy8+" }),
            "not a PNG",
        ),
        ("/deliveries/retry", json!({}), "ids"),
        ("/deliveries/retry", json!({ "ids": [] }), "at least one"),
        (
            "/deliveries/retry",
            json!({ "ids": [7] }),
            "deliveries-not-again",
        ),
        ("/deliveries/drop", json!({ "ids": vec![1; 1_001] }), "1000"),
    ] {
        let answer = ask(&server, "POST", path, &body).await;
        assert_eq!(answer.status, 400, "{path} {answer:?}");
        assert!(answer.body.contains(words), "{path}: {}", answer.body);
    }
    let state = ask(&server, "GET", "/deliveries?state=lost", &json!({})).await;
    assert_eq!(state.status, 400);
    assert!(state.body.contains("in_flight"), "{}", state.body);
    assert_eq!(
        list(&server, "/posts").await,
        json!({ "total": 0, "results": [] })
    );
    assert_eq!(list(&server, "/hosts").await, json!([]));
}
