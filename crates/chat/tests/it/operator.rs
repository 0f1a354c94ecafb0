//! The operator's own user in the room.

use chat::{ClientReceiver, CloseReason, JoinRequest};
use model::{Clock, TokenId, UserId};
use store::{NewUser, Token, UserKind};

use crate::house::House;

/// Somebody who chats as the operator with a token of this name.
async fn operator(house: &House, token: &str) -> ClientReceiver {
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
    house.room.enter(request).await.unwrap().1
}

#[tokio::test]
async fn a_password_changed_by_another_program_closes_what_was_open_as_the_operator() {
    let house = House::open().await;
    house.room.close_what_the_operator_lost().await.unwrap();
    let before = operator(&house, "t-op").await;
    let (_, _others) = house.enter("ada").await;
    house.room.close_what_the_operator_lost().await.unwrap();
    assert_eq!(house.room.connections().await.len(), 2);
    let changed = house
        .store
        .replace_admin_password("x".into(), house.clock.now());
    assert_eq!(changed.await.unwrap(), [TokenId::parse("t-op").unwrap()]);
    let _after = operator(&house, "t-new").await;
    house.room.close_what_the_operator_lost().await.unwrap();
    assert_eq!(before.closed().await, CloseReason::Removed);
    assert_eq!(house.room.connections().await.len(), 2);
}
