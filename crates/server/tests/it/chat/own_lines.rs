//! Deleting a message of one's own, over HTTP.

use serde_json::{Value, json};
use server::testing::TestServer;

use super::chatter::{Chatter, keys};
use super::events::TALKATIVE;
use crate::http::{Answer, get, post, server_with};

async fn delete(server: &TestServer, token: &str, body: Value) -> Answer {
    let path = format!("/api/chat/messages/delete?accessToken={token}");
    post(&path, &body).send(server).await
}

#[tokio::test]
async fn a_deleted_line_vanishes_for_everybody_and_is_marked_for_the_operator_alone() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let mut bob = Chatter::join(&server, "bob").await;
    let line = ada.say_and_hear("oops").await;
    let id = json!({ "id": line["id"] });
    let foreign = delete(&server, &bob.person.token, id.clone()).await;
    assert_eq!(foreign.status, 400, "{}", foreign.body);
    assert_eq!(delete(&server, "nobody", id.clone()).await.status, 401);
    let answer = delete(&server, &ada.person.token, id.clone()).await;
    assert_eq!(answer.json()["success"], true);
    let update = bob.hears("VISIBILITY-UPDATE").await;
    assert_eq!(update["deletedByAuthor"], true);
    assert_eq!(
        keys(&update),
        [
            "deletedByAuthor",
            "id",
            "ids",
            "timestamp",
            "type",
            "visible"
        ]
    );
    assert_eq!(
        (&update["ids"], &update["visible"]),
        (&json!([line["id"]]), &json!(false))
    );
    let history = format!("/api/chat?accessToken={}", bob.person.token);
    assert_eq!(get(&history).send(&server).await.json(), json!([]));
    let listed = get("/api/admin/chat/messages").by_admin();
    let listed = listed.send(&server).await.json();
    assert!(listed[0]["deletedAt"].is_string(), "{listed}");
    assert_eq!(listed[0]["hiddenAt"], listed[0]["deletedAt"]);
    // It cannot be brought back.
    let body = json!({ "idArray": [line["id"]], "visible": true });
    let shown = post("/api/admin/chat/messagevisibility", &body).by_admin();
    assert_eq!(shown.send(&server).await.status, 400);
    assert_eq!(get(&history).send(&server).await.json(), json!([]));
    for bad in [json!({}), json!({ "id": "not an id!" }), id] {
        let answer = delete(&server, &ada.person.token, bad).await;
        assert_eq!(answer.status, 400, "{}", answer.body);
    }
}

#[tokio::test]
async fn the_configuration_says_how_long_one_can_delete_and_the_server_how_often() {
    let server = server_with(&[TALKATIVE]).await;
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config["chatOwnDeletionSeconds"], 300);
    let ada = Chatter::join(&server, "ada").await;
    let mut statuses = Vec::new();
    let mut code = json!(null);
    for _ in 0..21 {
        let answer = delete(&server, &ada.person.token, json!({ "id": "unknown" })).await;
        statuses.push(answer.status);
        code = answer.json()["code"].clone();
    }
    assert!(statuses[..20].iter().all(|status| *status == 400));
    assert_eq!((statuses[20], code), (429, json!("deleting-hasty")));
}
