//! Webhooks over the admin API.

use serde_json::{Value, json};
use server::testing::TestServer;
use testkit::eventually;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::chat::chatter::Chatter;
use crate::http::{Answer, get, post, server_with};
use crate::integrations::bot::Bot;

async fn admin(server: &TestServer, path: &str, body: Value) -> Answer {
    let path = format!("/api/admin/webhooks/{path}");
    post(&path, &body).by_admin().send(server).await
}

async fn list(server: &TestServer, path: &str) -> Value {
    let answer = get(&format!("/api/admin/webhooks{path}")).by_admin();
    answer.send(server).await.json()
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap();
    object.keys().map(String::as_str).collect()
}

/// A receiver that hands out whole requests and answers each with 200.
async fn receiver() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, requests) = mpsc::channel(10);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = vec![0; 4096];
            let mut length = 0;
            // All our bodies end with these closing braces.
            while !bytes[..length].ends_with(b"}}") {
                length += stream.read(&mut bytes[length..]).await.unwrap();
            }
            let answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 6\r\n\r\nthanks";
            stream.write_all(answer.as_bytes()).await.unwrap();
            let text = String::from_utf8(bytes[..length].to_vec()).unwrap();
            sender.send(text).await.unwrap();
        }
    });
    (url, requests)
}

#[tokio::test]
async fn a_webhook_is_made_listed_changed_and_deleted() {
    let server = server_with(&[]).await;
    let url = "https://super.duper.cool.thing.biz/hook";
    let body = json!({ "url": url, "events": ["CHAT", "VISIBILITY-UPDATE"] });
    let answer = admin(&server, "create", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let made = answer.json();
    assert_eq!(
        keys(&made),
        [
            "allowInternal",
            "events",
            "id",
            "lastUsed",
            "secret",
            "state",
            "timestamp",
            "url",
            "waiting"
        ]
    );
    assert_eq!(made["url"], url);
    assert_eq!(made["events"], json!(["CHAT", "VISIBILITY-UPDATE"]));
    assert_eq!(
        (&made["lastUsed"], &made["state"]),
        (&Value::Null, &json!("active"))
    );
    assert!(made["id"].is_i64() && made["timestamp"].is_string());
    assert_eq!(made["secret"].as_str().unwrap().len(), 64);

    let mut shown = made.clone();
    shown.as_object_mut().unwrap().remove("secret");
    assert_eq!(
        list(&server, "").await,
        json!([shown]),
        "the secret is shown once"
    );

    let body = json!({ "id": made["id"], "events": ["STREAM_STARTED"], "enabled": false });
    let changed = admin(&server, "update", body).await.json();
    assert_eq!(
        (&changed["url"], &changed["state"]),
        (&json!(url), &json!("disabled"))
    );
    assert_eq!(changed["events"], json!(["STREAM_STARTED"]));
    assert_eq!(changed.get("secret"), None);
    assert_eq!(list(&server, "").await, json!([changed]));

    let gone = admin(&server, "delete", json!({ "id": made["id"] })).await;
    assert_eq!(
        (gone.status, gone.json()),
        (
            200,
            json!({ "success": true, "message": "deleted webhook" })
        )
    );
    assert_eq!(list(&server, "").await, json!([]));
}

#[tokio::test]
async fn a_webhook_that_makes_no_sense_is_a_400_envelope_that_says_why() {
    let server = server_with(&[]).await;
    let good = "https://hooks.example/";
    let rows = [
        ("create", json!({}), "url"),
        ("create", json!({ "url": good }), "events"),
        (
            "create",
            json!({ "url": good, "events": [] }),
            "at least one event",
        ),
        ("create", json!({ "url": good, "events": ["PING"] }), "PING"),
        ("create", json!({ "url": good, "events": "CHAT" }), "JSON"),
        (
            "create",
            json!({ "url": "nowhere", "events": ["CHAT"] }),
            "URL",
        ),
        (
            "create",
            json!({ "url": "file:///etc/passwd", "events": ["CHAT"] }),
            "URL",
        ),
        (
            "create",
            json!({ "url": "http://127.0.0.1:8080/", "events": ["CHAT"] }),
            "allow internal addresses",
        ),
        ("update", json!({ "id": 7 }), "no such webhook"),
        ("update", json!({}), "id"),
        ("delete", json!({ "id": 7 }), "no such webhook"),
        ("delete", json!({ "id": "x" }), "JSON"),
        ("delete", json!({}), "id"),
        ("test", json!({ "id": 7 }), "no such webhook"),
        ("deliveries/retry", json!({ "id": 7 }), "no such delivery"),
        ("deliveries/retry", json!({}), "id"),
    ];
    for (path, body, reason) in rows {
        let answer = admin(&server, path, body.clone()).await;
        assert_eq!(answer.status, 400, "{path} {body}: {answer:?}");
        let json = answer.json();
        assert_eq!(
            (&json["success"], &json["error"]),
            (&json!(false), &json["message"])
        );
        let message = json["message"].as_str().unwrap();
        assert!(message.contains(reason), "{path} {body}: {message}");
    }
    for query in ["?webhookId=x", "?limit=-1", "?limit=many"] {
        let path = format!("/api/admin/webhooks/deliveries{query}");
        let answer = get(&path).by_admin().send(&server).await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (400, &json!(false)),
            "{query}"
        );
    }
    assert_eq!(
        list(&server, "/deliveries?webhookId=&limit=").await,
        json!([])
    );
}

#[tokio::test]
async fn a_test_arrives_signed_and_is_in_the_log() {
    let server = server_with(&[]).await;
    let (url, mut requests) = receiver().await;
    let body = json!({
        "url": url, "events": ["STREAM_STARTED"], "secret": "mine", "allowInternal": true,
    });
    let made = admin(&server, "create", body).await.json();
    assert_eq!(made["secret"], "mine");
    let sent = admin(&server, "test", json!({ "id": made["id"] }))
        .await
        .json();
    assert_eq!(
        (&sent["success"], sent["message"].is_string()),
        (&json!(true), true)
    );
    let request = requests.recv().await.unwrap();
    let header = |name: &str| {
        let line = request.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {request}"))
            .to_owned()
    };
    assert!(request.starts_with("POST /hook HTTP/1.1\r\n"));
    assert_eq!(header("content-type: "), "application/json");
    assert_eq!(header("rillcast-event: "), "STREAM_STARTED");
    assert!(header("rillcast-signature: ").starts_with("t="));
    assert_eq!(
        header("rillcast-signature: "),
        header("owncast-signature: ")
    );
    assert!(header("user-agent: ").contains("rillcast"));
    let body: Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body["type"], "STREAM_STARTED");
    assert!(body["eventData"].is_object());

    let path = format!("/deliveries?webhookId={}&limit=5", made["id"]);
    let log = eventually("the test is over", async || {
        let log = list(&server, &path).await;
        (log[0]["state"] == "delivered").then_some(log)
    })
    .await;
    assert_eq!(log.as_array().unwrap().len(), 1);
    assert_eq!(
        keys(&log[0]),
        [
            "attempts",
            "createdAt",
            "deliveryKey",
            "durationMs",
            "id",
            "isTest",
            "lastAttemptAt",
            "response",
            "state",
            "status",
            "type",
            "webhookId"
        ]
    );
    assert_eq!(log[0]["deliveryKey"], header("rillcast-delivery: "));
    assert_eq!(
        (&log[0]["id"], &log[0]["isTest"]),
        (&sent["deliveryId"], &json!(true))
    );
    assert_eq!(
        (&log[0]["status"], &log[0]["response"]),
        (&json!(200), &json!("thanks"))
    );
    assert!(list(&server, "").await[0]["lastUsed"].is_string());
    let again = admin(&server, "deliveries/retry", json!({ "id": log[0]["id"] })).await;
    assert_eq!(again.status, 400, "it has arrived");
}

#[tokio::test]
async fn a_test_that_fails_says_so_and_can_be_sent_again() {
    let server = server_with(&[]).await;
    // Bound but not listening: nobody answers, and nobody else gets the port.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/", socket.local_addr().unwrap());
    let body = json!({ "url": url, "events": ["CHAT"], "allowInternal": true });
    let made = admin(&server, "create", body).await.json();
    admin(&server, "test", json!({ "id": made["id"] })).await;
    let attempts = async |count: i64| {
        eventually("the test has failed", async || {
            let log = list(&server, "/deliveries").await;
            (log[0]["state"] == "failed" && log[0]["attempts"] == count).then(|| log[0].clone())
        })
        .await
    };
    let failed = attempts(1).await;
    assert!(
        failed["error"]
            .as_str()
            .unwrap()
            .contains("could not connect")
    );
    assert_eq!(
        (failed.get("status"), failed.get("nextAttemptAt")),
        (None, None)
    );
    let again = admin(&server, "deliveries/retry", json!({ "id": failed["id"] })).await;
    assert_eq!(
        (again.status, &again.json()["success"]),
        (200, &json!(true))
    );
    attempts(2).await;
    assert_eq!(
        list(&server, "").await[0]["state"],
        "active",
        "a test says nothing about it"
    );
}

/// The body of a request.
fn body_of(request: &str) -> Value {
    serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

async fn webhook(server: &TestServer, url: &str, events: &[&str]) -> Value {
    let body = json!({ "url": url, "events": events, "allowInternal": true });
    let made = admin(server, "create", body).await;
    assert_eq!(made.status, 200, "{made:?}");
    made.json()["id"].clone()
}

#[tokio::test]
async fn every_event_has_the_fields_that_receivers_know() {
    let server = server_with(&["server_url=https://live.example"]).await;
    let common = ["id", "serverURL", "status", "timestamp"];
    let table: [(&str, &[&str]); 11] = [
        ("CHAT", &["body", "clientId", "rawBody", "user", "visible"]),
        ("NAME_CHANGE", &["clientId", "newName", "oldName", "user"]),
        ("USER_JOINED", &["clientId", "user"]),
        ("USER_PARTED", &["clientId", "user"]),
        (
            "VISIBILITY-UPDATE",
            &["MessageIDs", "Visible", "body", "ids", "user", "visible"],
        ),
        ("STREAM_STARTED", &["name", "streamTitle", "summary"]),
        ("STREAM_STOPPED", &["name", "streamTitle", "summary"]),
        ("STREAM_TITLE_UPDATED", &["name", "streamTitle", "summary"]),
        ("RECORDING_STARTED", &["recording"]),
        ("RECORDING_FINISHED", &["recording"]),
        ("RECORDING_PUBLISHED", &["recording"]),
    ];
    let (url, mut requests) = receiver().await;
    let id = webhook(&server, &url, &["CHAT"]).await;
    for (kind, own) in table {
        let sent = admin(&server, "test", json!({ "id": id, "event": kind })).await;
        assert_eq!(sent.status, 200, "{kind}: {sent:?}");
        let body = body_of(&requests.recv().await.unwrap());
        assert_eq!(keys(&body), ["eventData", "type"], "{kind}");
        assert_eq!(body["type"], kind);
        let mut expected: Vec<&str> = common.iter().chain(own).copied().collect();
        expected.sort_unstable();
        assert_eq!(keys(&body["eventData"]), expected, "{kind}");
        assert_eq!(body["eventData"]["serverURL"], "https://live.example");
    }
    admin(
        &server,
        "test",
        json!({ "id": id, "event": "FEDIVERSE_ENGAGEMENT_FOLLOW" }),
    )
    .await;
    let body = body_of(&requests.recv().await.unwrap());
    let follow = [
        "id",
        "image",
        "name",
        "pending",
        "serverURL",
        "timestamp",
        "username",
    ];
    assert_eq!(keys(&body["eventData"]), follow);
    assert_eq!(body["eventData"]["username"], "follower@social.example");
}

#[tokio::test]
async fn what_people_say_reaches_webhooks_and_what_bots_say_does_not() {
    let server = server_with(&[]).await;
    let (url, mut requests) = receiver().await;
    webhook(&server, &url, &["CHAT"]).await;
    let bot = Bot::mighty(&server).await;
    bot.post(&server, "chat/send", &json!({ "body": "beep" }))
        .await;
    let mut ada = Chatter::join(&server, "ada").await;
    let line = ada.say_and_hear("hi **all**").await;
    // Deliveries are in order: the bot's line would have come first.
    let data = body_of(&requests.recv().await.unwrap())["eventData"].clone();
    assert_eq!(
        (&data["id"], &data["rawBody"]),
        (&line["id"], &json!("hi **all**"))
    );
    assert_eq!(data["body"], "<p>hi <strong>all</strong></p>");
    assert_eq!(data["user"]["displayName"], "ada");
    assert_eq!(data["status"]["online"], false);
}
