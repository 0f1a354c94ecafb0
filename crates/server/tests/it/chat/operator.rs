//! The operator as somebody in the chat.

use serde_json::json;
use server::testing::TestServer;

use super::chatter::{Chatter, Heard, Person, register, socket};
use super::events::TALKATIVE;
use super::moderation::admin;
use crate::http::{post, server_with, set_up_server};

async fn operator(server: &TestServer) -> Person {
    let answer = admin(server, "chat/operator", json!({})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    let text = |key: &str| answer[key].as_str().unwrap().to_owned();
    Person {
        id: text("id"),
        token: text("accessToken"),
        name: text("displayName"),
    }
}

#[tokio::test]
async fn the_operator_chats_under_the_name_of_the_server_and_moderates() {
    let server = server_with(&[TALKATIVE]).await;
    admin(&server, "config/name", json!({ "value": "Brook" })).await;
    let stranger = post("/api/admin/chat/operator", &json!({}));
    assert_eq!(stranger.send(&server).await.status, 401);
    let first = operator(&server).await;
    assert_eq!(first.name, "Brook");
    let mut here = Chatter::connect(&server, first.clone(), "").await;
    let line = here.say_and_hear("welcome").await;
    assert_eq!(line["user"]["displayName"], "Brook");
    assert_eq!(line["user"]["scopes"], json!(["MODERATOR"]));

    // Another browser is the same user, and follows a new name of the server.
    admin(&server, "config/name", json!({ "value": "Bank" })).await;
    let second = operator(&server).await;
    assert_eq!((second.id, second.name), (first.id, "Bank".to_owned()));
    assert_ne!(second.token, first.token);
    let info = here.hears("CONNECTED_USER_INFO").await;
    assert_eq!(info["user"]["displayName"], "Bank");
}

#[tokio::test]
async fn nobody_else_gets_the_name_of_the_server() {
    let server = server_with(&[TALKATIVE, "name=Brook"]).await;
    for name in ["Brook", "brook", "Br\u{43e}ok"] {
        assert_ne!(register(&server, name).await.name, name);
    }
    let mut eve = Chatter::join(&server, "eve").await;
    eve.send(&json!({ "type": "NAME_CHANGE", "newName": "BROOK" }))
        .await;
    let notice = eve.hears("CHAT_ACTION").await;
    assert_eq!(notice["code"], "name-of-server", "{notice}");
    // A moderator is not the operator.
    let body = json!({ "userId": eve.person.id, "isModerator": true });
    admin(&server, "chat/users/setmoderator", body).await;
    eve.send(&json!({ "type": "NAME_CHANGE", "newName": "Brook" }))
        .await;
    let notice = eve.hears("CHAT_ACTION").await;
    assert_eq!(notice["code"], "name-of-server", "{notice}");
}

/// The socket is closed, and whoever has that token alone has to register.
async fn is_out(server: &TestServer, mut chatter: Chatter) {
    assert_eq!(chatter.end().await, Some(1012));
    let query = format!("?accessToken={}", chatter.person.token);
    let mut again = Chatter::raw(socket(server, &query).await, chatter.person);
    let farewell = json!({ "type": "ERROR_NEEDS_REGISTRATION" });
    assert_eq!(again.next().await, Heard::Event(farewell));
}

#[tokio::test]
async fn a_new_password_closes_the_sockets_of_who_chats_as_the_operator() {
    let server = set_up_server().await;
    let here = Chatter::connect(&server, operator(&server).await, "").await;
    let there = Chatter::connect(&server, operator(&server).await, "").await;
    let mut eve = Chatter::join(&server, "eve").await;
    let body = json!({ "value": "another password" });
    assert_eq!(admin(&server, "config/adminpass", body).await.status, 200);
    is_out(&server, here).await;
    is_out(&server, there).await;
    eve.say_and_hear("others stay").await;
}

#[tokio::test]
async fn who_chats_as_the_operator_lifts_what_the_operator_restricted() {
    let server = server_with(&[TALKATIVE]).await;
    let body = json!({ "paused": true });
    assert_eq!(admin(&server, "chat/restrictions", body).await.status, 200);
    let person = operator(&server).await;
    let path = format!("/api/chat/restrictions?accessToken={}", person.token);
    let answer = post(&path, &json!({ "paused": false })).send(&server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}
