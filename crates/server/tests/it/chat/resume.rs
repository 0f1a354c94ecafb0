//! A client that was disconnected receives what it missed.

use serde_json::json;

use super::chatter::Chatter;
use super::events::TALKATIVE;
use crate::http::{get, post, server_with};
use server::testing::TestServer;

#[tokio::test]
async fn who_names_the_last_event_gets_exactly_what_came_after_it() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let mut bob = Chatter::join(&server, "bob").await;
    ada.say("one").await;
    let last = bob.hears("CHAT").await["id"].as_str().unwrap().to_owned();
    let person = bob.leave().await;
    ada.hears("CHAT").await;
    let mut missed = Vec::new();
    for text in ["two", "three", "four"] {
        missed.push(ada.say_and_hear(text).await);
    }
    let hidden = json!({ "idArray": [missed[1]["id"]], "visible": false });
    post("/api/admin/chat/messagevisibility", &hidden)
        .by_admin()
        .send(&server)
        .await;
    ada.hears("VISIBILITY-UPDATE").await;
    let mut bob = Chatter::connect(&server, person, &format!("&lastId={last}")).await;
    assert_eq!(bob.hears("CHAT").await, missed[0]);
    assert_eq!(
        bob.hears("CHAT").await,
        missed[2],
        "what was hidden meanwhile is not shown"
    );
    assert_eq!(
        bob.hears("VISIBILITY-UPDATE").await["ids"],
        json!([missed[1]["id"]])
    );
    ada.say("five").await;
    assert_eq!(bob.line().await, "<p>five</p>");
}

#[tokio::test]
async fn who_names_nothing_gets_no_history_on_the_socket() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say_and_hear("one").await;
    let mut bob = Chatter::join(&server, "bob").await;
    ada.say("two").await;
    assert_eq!(bob.line().await, "<p>two</p>");
}

#[tokio::test]
async fn an_event_that_is_forgotten_is_answered_with_the_newest_lines() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    for number in 0..60 {
        // Even users without a rate limit are stopped when they post like a machine.
        if number % 15 == 0 {
            ada = Chatter::join(&server, "ada").await;
        }
        ada.say_and_hear(&format!("line {number}")).await;
    }
    let person = ada.leave().await;
    let mut ada = Chatter::connect(&server, person, "&lastId=longforgotten").await;
    assert_eq!(ada.line().await, "<p>line 10</p>");
    for _ in 0..49 {
        ada.line().await;
    }
}

#[tokio::test]
async fn what_was_said_survives_a_restart_and_can_be_resumed_from() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let one = ada.say_and_hear("one").await;
    let two = ada.say_and_hear("two").await;
    let person = ada.person.clone();
    let folder = server.stop().await;
    assert_eq!(ada.end().await, Some(1001));
    let server = TestServer::start_in(folder, server::cli::Options::default()).await;
    let path = format!("/api/chat?accessToken={}", person.token);
    let history = get(&path).send(&server).await.json();
    assert_eq!(history.as_array().unwrap().len(), 2);
    let more = format!("&lastId={}", one["id"].as_str().unwrap());
    let mut ada = Chatter::connect(&server, person, &more).await;
    assert_eq!(ada.hears("CHAT").await["id"], two["id"]);
}
