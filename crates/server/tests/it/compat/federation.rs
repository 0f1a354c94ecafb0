//! The federation endpoints while federation is off.

use serde_json::json;

use crate::chat::chatter::register;
use crate::http::{get, post, request, set_up_server};

#[tokio::test]
async fn every_federation_address_answers_405_while_it_is_switched_off() {
    let server = set_up_server().await;
    for path in [
        "/.well-known/webfinger?resource=acct:live@x.tld",
        "/.well-known/host-meta",
        "/.well-known/nodeinfo",
        "/.well-known/x-nodeinfo2",
        "/nodeinfo/2.0",
        "/api/v1/instance",
        "/federation/user/",
        "/federation/user/live",
        "/federation/",
    ] {
        let answer = get(path).send(&server).await;
        assert_eq!((answer.status, answer.body.as_str()), (405, ""), "{path}");
    }
    let inbox = request("POST", "/federation/user/live/inbox").raw_body("{}");
    assert_eq!(inbox.send(&server).await.status, 405);
}

#[tokio::test]
async fn nobody_follows_and_the_query_is_checked_all_the_same() {
    let server = set_up_server().await;
    let nobody = json!({ "total": 0, "results": [] });
    for path in ["/api/followers", "/api/followers?offset=0&limit=10"] {
        assert_eq!(get(path).send(&server).await.json(), nobody);
    }
    for bad in ["offset=x", "limit=-1", "limit=ten"] {
        let answer = get(&format!("/api/followers?{bad}")).send(&server).await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (400, &json!(false)),
            "{bad}"
        );
    }
    assert_eq!(
        get("/api/admin/followers")
            .by_admin()
            .send(&server)
            .await
            .json(),
        nobody
    );
    for list in ["pending", "blocked"] {
        let answer = get(&format!("/api/admin/followers/{list}")).by_admin();
        assert_eq!(answer.send(&server).await.json(), json!([]));
    }
    let servers = get("/api/federation/servers").send(&server).await.json();
    assert_eq!(servers, json!({ "servers": [] }));
}

#[tokio::test]
async fn what_needs_federation_or_notifications_is_refused_with_a_reason() {
    let server = set_up_server().await;
    let follow = post("/api/remotefollow", &json!({ "account": "a@b.example" }));
    let follow = follow.send(&server).await;
    assert_eq!(
        (follow.status, &follow.json()["message"]),
        (400, &json!("federation is switched off"))
    );
    let body = json!({ "channel": "BROWSER_PUSH_NOTIFICATION", "destination": "{}" });
    let stranger = post("/api/notifications/register", &body)
        .send(&server)
        .await;
    assert_eq!(stranger.status, 401);
    let person = register(&server, "ada").await;
    let path = format!("/api/notifications/register?accessToken={}", person.token);
    let known = post(&path, &body).send(&server).await;
    assert_eq!(
        (known.status, &known.json()["success"]),
        (400, &json!(false))
    );
}
