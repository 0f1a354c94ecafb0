//! The operator's own user in the room.

use chat::{ClientMessage, ClientReceiver, ClientSender, CloseReason, JoinRequest};
use model::{Clock, TokenId, UserId};
use serde_json::json;
use store::{Actor, NewUser, Token, UserKind};

use crate::house::{House, heard, line};

/// Somebody who chats as the operator with a token of this name.
async fn operator(house: &House, token: &str) -> (ClientSender, ClientReceiver) {
    let new = NewUser {
        id: UserId::parse("op").unwrap(),
        kind: UserKind::Standard,
        display_name: "Brook".into(),
        display_color: 0,
    };
    let id = TokenId::parse(token).unwrap();
    let stored = Token {
        id: id.clone(),
        user_id: new.id.clone(),
        prefix: "abc".into(),
        scopes: vec![],
        created_at: house.clock.now(),
        last_used_at: None,
    };
    let hash = token.as_bytes().to_vec();
    let user = house.store.chat_as_operator(new, stored, hash).await;
    let request = JoinRequest {
        token_id: id,
        ..house.join_request(user.unwrap(), [127, 0, 0, 1])
    };
    house.room.enter(request).await.unwrap()
}

#[tokio::test]
async fn a_password_changed_by_another_program_closes_what_was_open_as_the_operator() {
    let house = House::open().await;
    house.room.close_what_the_operator_lost().await.unwrap();
    let (_, before) = operator(&house, "t-op").await;
    let (_, _others) = house.enter("ada").await;
    house.room.close_what_the_operator_lost().await.unwrap();
    assert_eq!(house.room.connections().await.len(), 2);
    let changed = house
        .store
        .replace_admin_password("x".into(), house.clock.now());
    assert_eq!(changed.await.unwrap(), [TokenId::parse("t-op").unwrap()]);
    let (_, _after) = operator(&house, "t-new").await;
    house.room.close_what_the_operator_lost().await.unwrap();
    assert_eq!(before.closed().await, CloseReason::Changed);
    assert_eq!(house.room.connections().await.len(), 2);
}

#[tokio::test]
async fn whoever_had_the_servers_name_before_cannot_write_under_it() {
    let house = House::open().await;
    house.set("chat_when_offline", json!("always")).await;
    house.set("chat_spam_protection", json!(false)).await;
    let (eve, mut receiver) = house.enter("brook").await;
    let id = eve.user().id.clone();
    let promoted = house.room.set_moderator(&id, true, Actor::operator());
    assert!(promoted.await.unwrap());
    eve.say(line("mine")).await;
    heard(&house, &mut receiver).await;
    house.set("name", json!("Br\u{43e}ok")).await;
    eve.say(line("I am the server")).await;
    let lost = "action <p>Your name belongs to this server now. Choose another name to write.</p>";
    assert_eq!(heard(&house, &mut receiver).await, [lost]);
    // Nor under another spelling of it; under any other name they can.
    eve.say(ClientMessage::Rename("BROOK".into())).await;
    let told = heard(&house, &mut receiver).await;
    assert_eq!(told[0], "action <p>That name belongs to this server.</p>");
    eve.say(ClientMessage::Rename("eve".into())).await;
    heard(&house, &mut receiver).await;
    eve.say(line("it is me")).await;
    let told = heard(&house, &mut receiver).await;
    assert_eq!(told.last().unwrap(), "line <p>it is me</p>");
}

#[tokio::test]
async fn the_operator_writes_under_the_servers_name_and_spells_it_at_will() {
    let house = House::open().await;
    house.set("chat_when_offline", json!("always")).await;
    house.set("name", json!("Brook")).await;
    let (op, mut receiver) = operator(&house, "t-op").await;
    op.say(line("welcome")).await;
    let told = heard(&house, &mut receiver).await;
    assert_eq!(told.last().unwrap(), "line <p>welcome</p>");
    op.say(ClientMessage::Rename("BROOK".into())).await;
    op.say(line("again")).await;
    let told = heard(&house, &mut receiver).await;
    assert_eq!(told.last().unwrap(), "line <p>again</p>");
    assert_eq!(op.user().display_name, "BROOK");
}
