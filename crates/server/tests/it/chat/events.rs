//! Every kind of event in both directions, with its exact keys.

use serde_json::{Value, json};
use testkit::eventually;

use super::chatter::{Chatter, Heard, keys, refusal, register, socket};
use crate::http::{get, post, server_with};

/// No limit on how fast one may talk: it is tested by itself.
pub(crate) const TALKATIVE: &str = "chat_spam_protection=false";

const USER_KEYS: [&str; 7] = [
    "authenticated",
    "createdAt",
    "displayColor",
    "displayName",
    "id",
    "isBot",
    "previousNames",
];

#[tokio::test]
async fn registration_gives_an_id_a_token_and_the_name_that_was_asked_for() {
    let server = server_with(&[]).await;
    let answer = post(
        "/api/chat/register",
        &json!({ "displayName": "TestUserChat" }),
    )
    .send(&server)
    .await;
    assert_eq!(keys(&answer.json()), ["accessToken", "displayName", "id"]);
    assert_eq!(answer.json()["displayName"], "TestUserChat");
    let token = answer.json()["accessToken"].as_str().unwrap().to_owned();
    assert!(token.len() == 44 && token.ends_with('='), "{token}");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert!(answer.header("cache-control").contains("no-store"));
    let header = post("/api/chat/register", &json!({ "displayName": "other" }))
        .header("x-forwarded-user", "test-user")
        .send(&server)
        .await;
    assert_eq!(header.json()["displayName"], "test-user");
}

#[tokio::test]
async fn registration_makes_a_name_up_where_none_is_fit() {
    let server = server_with(&[]).await;
    for body in [
        "",
        "nonsense",
        r#"{"displayName":"  "}"#,
        r#"{"displayName":"The ADMIN"}"#,
    ] {
        let answer = crate::http::request("POST", "/api/chat/register").raw_body(body);
        let name = answer.send(&server).await.json()["displayName"].to_string();
        assert!(name.contains('-'), "{body} became {name}");
        assert!(!name.to_lowercase().contains("admin"));
    }
    let long = register(&server, &"é".repeat(40)).await;
    assert_eq!(long.name.chars().count(), 30);
}

#[tokio::test]
async fn the_first_event_says_who_one_is() {
    let server = server_with(&[]).await;
    let person = register(&server, "ada").await;
    let query = format!("?accessToken={}", person.token);
    let mut chatter = Chatter::connect(&server, person.clone(), "").await;
    drop(query);
    chatter
        .send(&json!({ "type": "NAME_CHANGE", "newName": "ada" }))
        .await;
    let event = chatter.hears("CONNECTED_USER_INFO").await;
    assert_eq!(keys(&event), ["id", "timestamp", "type", "user"]);
    assert_eq!(keys(&event["user"]), USER_KEYS);
    assert_eq!(event["user"]["id"], person.id);
    assert_eq!(event["user"]["previousNames"], json!(["ada"]));
}

#[tokio::test]
async fn a_line_reaches_everybody_and_its_author() {
    let server = server_with(&[]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let mut bob = Chatter::join(&server, "bob").await;
    ada.say("hello **all**").await;
    let heard = ada.hears("CHAT").await;
    assert_eq!(heard, bob.hears("CHAT").await);
    assert_eq!(
        keys(&heard),
        ["body", "id", "timestamp", "type", "user", "visible"]
    );
    assert_eq!(heard["body"], "<p>hello <strong>all</strong></p>");
    assert_eq!(heard["visible"], true);
    assert_eq!(heard["user"]["displayName"], "ada");
    let history = get(&format!("/api/chat?accessToken={}", bob.person.token))
        .send(&server)
        .await;
    let history = history.json();
    assert_eq!(
        keys(&history[0]),
        ["body", "id", "timestamp", "type", "user"]
    );
    assert_eq!(history[0]["id"], heard["id"]);
    let listed = get("/api/admin/chat/messages")
        .by_admin()
        .send(&server)
        .await
        .json();
    assert_eq!(listed[0]["body"], heard["body"]);
    assert_eq!(listed[0]["type"], "CHAT");
}

#[tokio::test]
async fn a_reply_carries_what_it_answers() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let question = ada.say_and_hear("what **time** is it?").await;
    let id = question["id"].as_str().unwrap();
    ada.send(&json!({ "type": "CHAT", "body": "noon", "inReplyTo": id }))
        .await;
    let answer = ada.hears("CHAT").await;
    let reply = json!({ "id": id, "displayName": "ada", "excerpt": "what time is it?" });
    assert_eq!(answer["inReplyTo"], reply);
    ada.send(&json!({ "type": "CHAT", "body": "lost", "inReplyTo": "nowhere" }))
        .await;
    assert!(ada.hears("CHAT").await.get("inReplyTo").is_none());
}

#[tokio::test]
async fn a_name_change_is_told_to_everybody_and_remembered() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "brave-turing").await;
    let mut other = Chatter::connect(&server, ada.person.clone(), "").await;
    let mut bob = Chatter::join(&server, "bob").await;
    ada.say_and_hear("before").await;
    ada.send(&json!({ "type": "NAME_CHANGE", "newName": " ada\r " }))
        .await;
    let event = bob.hears("NAME_CHANGE").await;
    assert_eq!(keys(&event), ["id", "oldName", "timestamp", "type", "user"]);
    assert_eq!(event["oldName"], "brave-turing");
    assert_eq!(event["user"]["displayName"], "ada");
    assert_eq!(
        event["user"]["previousNames"],
        json!(["brave-turing", "ada"])
    );
    assert!(event["user"]["nameChangedAt"].is_string());
    for chatter in [&mut ada, &mut other] {
        let info = chatter.hears("CONNECTED_USER_INFO").await;
        assert_eq!(info["user"]["displayName"], "ada");
    }
    let history = get(&format!("/api/chat?accessToken={}", bob.person.token));
    let history = history.send(&server).await.json();
    assert_eq!(
        history[0]["user"]["displayName"], "ada",
        "as people are called now"
    );
}

#[tokio::test]
async fn a_name_that_is_not_allowed_is_refused_in_private() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    for name in ["", "   ", "sysTEM", "the operator"] {
        ada.send(&json!({ "type": "NAME_CHANGE", "newName": name }))
            .await;
        let notice = ada.hears("CHAT_ACTION").await;
        assert_eq!(notice["notice"], "name", "{name:?}: {notice}");
        let info = ada.hears("CONNECTED_USER_INFO").await;
        assert_eq!(info["user"]["displayName"], "ada");
    }
}

#[tokio::test]
async fn a_colour_change_is_told_to_its_author_alone() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let mut bob = Chatter::join(&server, "bob").await;
    for color in [8, -1, 99] {
        ada.send(&json!({ "type": "COLOR_CHANGE", "newColor": color }))
            .await;
    }
    ada.send(&json!({ "type": "COLOR_CHANGE", "newColor": 4 }))
        .await;
    let info = ada.hears("CONNECTED_USER_INFO").await;
    assert_eq!(info["user"]["displayColor"], 4);
    ada.say("red?").await;
    let first = bob.next().await;
    assert!(
        matches!(&first, Heard::Event(event) if event["type"] == "CHAT"),
        "{first:?}"
    );
}

#[tokio::test]
async fn what_is_no_event_is_ignored() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    for text in [
        "",
        "{",
        "null",
        "[]",
        "7",
        r#"{"type":"PONG"}"#,
        r#"{"type":"UNKNOWN"}"#,
        r#"{"body":"x"}"#,
        r#"{"type":"CHAT"}"#,
        r#"{"type":"CHAT","body":7}"#,
        r#"{"type":"CHAT","body":"   "}"#,
        r#"{"type":"NAME_CHANGE"}"#,
        r#"{"type":"COLOR_CHANGE","newColor":"red"}"#,
    ] {
        ada.send_text(text).await;
    }
    assert_eq!(
        ada.say_and_hear("still here").await["body"],
        "<p>still here</p>"
    );
}

#[tokio::test]
async fn a_socket_without_a_token_is_closed_without_a_word() {
    let server = server_with(&[]).await;
    let person = register(&server, "nobody").await;
    let mut chatter = Chatter::raw(socket(&server, "").await, person);
    assert_eq!(chatter.next().await, Heard::Closed(Some(1008)));
}

#[tokio::test]
async fn an_unknown_token_is_told_to_register() {
    let server = server_with(&[]).await;
    let person = register(&server, "nobody").await;
    let mut chatter = Chatter::raw(socket(&server, "?accessToken=wrong").await, person);
    let event = chatter.next().await;
    assert_eq!(
        event,
        Heard::Event(json!({ "type": "ERROR_NEEDS_REGISTRATION" }))
    );
    assert_eq!(chatter.next().await, Heard::Closed(Some(1008)));
    let history = get("/api/chat?accessToken=wrong").send(&server).await;
    assert_eq!(
        (history.status, history.body.as_str()),
        (401, "unauthorized")
    );
    assert_eq!(get("/api/chat").send(&server).await.status, 401);
}

#[tokio::test]
async fn a_chat_that_is_off_opens_no_socket() {
    let server = server_with(&["chat_disabled=true"]).await;
    let person = register(&server, "ada").await;
    let answer = refusal(&server, &format!("?accessToken={}", person.token)).await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, "CHAT_DISABLED")
    );
    assert_eq!(
        get("/api/config").send(&server).await.json()["chatDisabled"],
        true
    );
}

#[tokio::test]
async fn a_request_that_lost_its_upgrade_on_the_way_is_reported_to_the_operator() {
    let server = server_with(&[]).await;
    let answer = get("/ws?accessToken=x")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .send(&server)
        .await;
    assert_eq!(answer.status, 426);
    let report = async || {
        let report = get("/api/admin/chat/connection").by_admin();
        report.send(&server).await.json()
    };
    assert_eq!(report().await["missingHeader"], "Upgrade");
    let _ada = Chatter::join(&server, "ada").await;
    let mended = report().await;
    assert_eq!(mended["missingHeader"], Value::Null);
    assert_eq!(
        (
            mended["websockets"].as_u64(),
            mended["brokenUpgrades"].as_u64()
        ),
        (Some(1), Some(1))
    );
}

#[tokio::test]
async fn client_ids_start_at_one_and_are_listed_for_the_operator() {
    let server = server_with(&[]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say_and_hear("hi").await;
    let _bob = Chatter::join(&server, "bob").await;
    let clients = get("/api/admin/chat/clients")
        .by_admin()
        .send(&server)
        .await
        .json();
    let ids: Vec<u64> = clients
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, [1, 2]);
    assert_eq!(clients[0]["messageCount"], 1);
    assert_eq!(clients[0]["user"]["displayName"], "ada");
    ada.leave().await;
    eventually("ada has left", || async {
        let clients = get("/api/admin/chat/clients")
            .by_admin()
            .send(&server)
            .await
            .json();
        (clients.as_array().unwrap().len() == 1).then_some(())
    })
    .await;
}
