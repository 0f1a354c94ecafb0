//! Pinning a message, over HTTP and on the socket.

use serde_json::{Value, json};
use server::testing::TestServer;

use super::chatter::{Chatter, keys, register, socket};
use super::events::TALKATIVE;
use crate::http::{get, post, server_with};

async fn by_operator(server: &TestServer, path: &str, body: Value) -> u16 {
    let request = post(&format!("/api/admin/chat/{path}"), &body).by_admin();
    request.send(server).await.status
}

/// The greeting of somebody who comes in now.
async fn greeting(server: &TestServer) -> Value {
    let person = register(server, "newcomer").await;
    let query = format!("?accessToken={}", person.token);
    let mut newcomer = Chatter::raw(socket(server, &query).await, person);
    newcomer.hears("CONNECTED_USER_INFO").await
}

#[tokio::test]
async fn a_pinned_message_is_told_at_once_and_with_every_greeting_and_goes_with_its_author() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let mut bob = Chatter::join(&server, "bob").await;
    let line = ada.say_and_hear("the **rules**").await;
    let body = json!({ "id": line["id"], "pinned": true });
    let path = format!("/api/chat/pin?accessToken={}", bob.person.token);
    assert_eq!(post(&path, &body).send(&server).await.status, 401);
    let promotion = json!({ "userId": bob.person.id, "isModerator": true });
    by_operator(&server, "users/setmoderator", promotion).await;
    assert_eq!(post(&path, &body).send(&server).await.status, 200);
    let told = ada.hears("PINNED_MESSAGE").await;
    assert_eq!(keys(&told), ["id", "pinned", "timestamp", "type"]);
    let pinned = &told["pinned"];
    assert_eq!(keys(pinned), ["message", "pinnedAt", "pinnedBy"]);
    assert_eq!(pinned["pinnedBy"], "bob");
    assert_eq!(pinned["message"]["id"], line["id"]);
    assert_eq!(pinned["message"]["body"], line["body"]);
    assert_eq!(&greeting(&server).await["pinned"], pinned);
    let listed = get("/api/admin/chat/messages").by_admin();
    let listed = listed.send(&server).await.json();
    assert_eq!(listed[0]["pinnedAt"], pinned["pinnedAt"]);
    let ban = json!({ "userId": ada.person.id, "enabled": false });
    assert_eq!(by_operator(&server, "users/setenabled", ban).await, 200);
    assert_eq!(
        bob.hears("PINNED_MESSAGE").await["pinned"]["pinnedBy"],
        "bob"
    );
    assert_eq!(bob.hears("PINNED_MESSAGE").await["pinned"], Value::Null);
    assert!(greeting(&server).await.get("pinned").is_none());
}

#[tokio::test]
async fn the_operator_pins_and_unpins_what_can_be_read() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let line = ada.say_and_hear("rules").await;
    let pin = |pinned: bool| json!({ "id": line["id"], "pinned": pinned });
    assert_eq!(by_operator(&server, "pin", pin(true)).await, 200);
    assert_eq!(
        ada.hears("PINNED_MESSAGE").await["pinned"]["pinnedBy"],
        "operator"
    );
    for _ in 0..2 {
        assert_eq!(by_operator(&server, "pin", pin(false)).await, 200);
    }
    assert_eq!(ada.hears("PINNED_MESSAGE").await["pinned"], Value::Null);
    let hide = json!({ "idArray": [line["id"]], "visible": false });
    by_operator(&server, "messagevisibility", hide).await;
    for bad in [
        pin(true),
        json!({}),
        json!({ "id": line["id"] }),
        json!({ "id": "unknown", "pinned": true }),
        json!({ "id": "not an id!", "pinned": true }),
    ] {
        assert_eq!(by_operator(&server, "pin", bad).await, 400);
    }
}
