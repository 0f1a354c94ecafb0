use model::{Scope, TokenId, UserId};
use store::{Actor, AdminSession, NewUser, RenameResult, StoreError, Token, TokenKey, UserKind};

use crate::support::{Home, at, contains};

fn user(id: &str) -> NewUser {
    NewUser {
        id: UserId::parse(id).unwrap(),
        kind: UserKind::Standard,
        display_name: "first".into(),
        display_color: 3,
    }
}

fn session(hash: u8, expires: i64) -> AdminSession {
    AdminSession {
        token_hash: vec![hash; 32],
        created_at: at(0),
        expires_at: at(expires),
        address: "192.0.2.1".into(),
        user_agent: "test".into(),
    }
}

pub(crate) async fn the_first_password_is_set_once(home: Home) {
    let store = home.open().await;
    assert!(store.admin_password().await.unwrap().is_none());
    let (one, two) = tokio::join!(
        store.create_admin_password("one".into(), at(0)),
        store.create_admin_password("two".into(), at(0))
    );
    assert_eq!(
        u8::from(one.unwrap()) + u8::from(two.unwrap()),
        1,
        "exactly one wins"
    );
    assert_eq!(store.events_after(0).await.unwrap().len(), 1);
}

pub(crate) async fn a_new_password_ends_every_session(home: Home) {
    let store = home.open().await;
    store
        .create_admin_password("one".into(), at(0))
        .await
        .unwrap();
    store.add_session(session(1, 100), None).await.unwrap();
    assert!(store.has_session(&[1; 32], at(50)).await.unwrap());
    store
        .replace_admin_password("two".into(), at(60))
        .await
        .unwrap();
    assert!(!store.has_session(&[1; 32], at(61)).await.unwrap());
    assert_eq!(store.admin_password().await.unwrap().unwrap().hash, "two");
}

pub(crate) async fn a_new_password_takes_the_operators_place_in_the_chat_away(home: Home) {
    let store = home.open().await;
    let token = |name: &str, user: &str| Token {
        id: TokenId::parse(name).unwrap(),
        user_id: UserId::parse(user).unwrap(),
        prefix: "abc".into(),
        scopes: vec![],
        created_at: at(0),
        last_used_at: None,
    };
    let registered = store.register_user(
        user("ada"),
        "-x".into(),
        token("t-1", "ada"),
        b"ada".to_vec(),
    );
    registered.await.unwrap();
    let made = store.chat_as_operator(user("op"), token("t-2", "op"), b"op".to_vec());
    let operator = made.await.unwrap();
    assert!(store.user_by_token(b"op").await.unwrap().is_some());
    let tokens = store.operator_tokens().await.unwrap();
    assert_eq!(tokens, [TokenId::parse("t-2").unwrap()]);
    let changed = store.replace_admin_password("two".into(), at(1));
    assert_eq!(changed.await.unwrap(), tokens);
    assert!(store.operator_tokens().await.unwrap().is_empty());
    assert!(store.user_by_token(b"op").await.unwrap().is_none());
    assert!(store.user_by_token(b"ada").await.unwrap().is_some());
    let again = store.chat_as_operator(user("new"), token("t-3", "new"), b"op2".to_vec());
    assert_eq!(again.await.unwrap().id, operator.id);
}

pub(crate) async fn a_session_checked_against_a_replaced_password_is_not_opened(home: Home) {
    let store = home.open().await;
    store
        .create_admin_password("one".into(), at(0))
        .await
        .unwrap();
    assert!(
        store
            .add_session(session(1, 100), Some("one".into()))
            .await
            .unwrap()
    );
    store
        .replace_admin_password("two".into(), at(1))
        .await
        .unwrap();
    assert!(
        !store
            .add_session(session(2, 100), Some("one".into()))
            .await
            .unwrap()
    );
    assert!(!store.has_session(&[2; 32], at(2)).await.unwrap());
}

pub(crate) async fn a_session_ends_at_its_time(home: Home) {
    let store = home.open().await;
    store.add_session(session(1, 100), None).await.unwrap();
    store.add_session(session(2, 200), None).await.unwrap();
    assert!(store.has_session(&[1; 32], at(99)).await.unwrap());
    assert!(!store.has_session(&[1; 32], at(100)).await.unwrap());
    store.end_session(&[2; 32]).await.unwrap();
    assert!(!store.has_session(&[2; 32], at(99)).await.unwrap());
}

pub(crate) async fn a_user_keeps_former_names(home: Home) {
    let store = home.open().await;
    store.add_user(user("u1"), at(0)).await.unwrap();
    assert!(matches!(
        store.add_user(user("u1"), at(0)).await,
        Err(StoreError::Conflict)
    ));
    let id = UserId::parse("u1").unwrap();
    let renamed = store.take_name(&id, "second".into(), 1, at(9)).await;
    assert!(matches!(renamed.unwrap(), RenameResult::Done(_)));
    let operator = Actor::operator();
    let banned = store.ban_user(&id, vec![], operator.clone(), at(10)).await;
    assert!(banned.unwrap().is_some());
    let found = store.user(&id).await.unwrap().unwrap();
    assert_eq!(found.display_name, "second");
    assert_eq!(found.previous_names, ["first", "second"]);
    assert_eq!(
        (found.name_changed_at, found.disabled_at),
        (Some(at(9)), Some(at(10)))
    );
    assert_eq!(found.authenticated_at, None);
    store.unban_user(&id, operator, at(11)).await.unwrap();
    assert_eq!(store.user(&id).await.unwrap().unwrap().disabled_at, None);
    let nobody = UserId::parse("nobody").unwrap();
    let renamed = store.take_name(&nobody, "x".into(), 1, at(0)).await;
    assert_eq!(renamed.unwrap(), RenameResult::Refused);
    assert!(store.user(&nobody).await.unwrap().is_none());
}

pub(crate) async fn a_token_is_found_by_the_hash_of_its_secret(home: Home) {
    let store = home.open().await;
    store.add_user(user("u1"), at(0)).await.unwrap();
    let token = Token {
        id: TokenId::parse("t1").unwrap(),
        user_id: UserId::parse("u1").unwrap(),
        prefix: "abcd".into(),
        scopes: vec![Scope::Admin, Scope::SendMessages],
        created_at: at(1),
        last_used_at: None,
    };
    store.add_token(token.clone(), vec![7; 32]).await.unwrap();
    store.touch_token(&token.id, at(5)).await.unwrap();
    let found = store.token_by_hash(&[7; 32]).await.unwrap().unwrap();
    assert_eq!(
        found,
        Token {
            last_used_at: Some(at(5)),
            ..token.clone()
        }
    );
    assert!(store.token_by_hash(&[8; 32]).await.unwrap().is_none());
    assert!(contains(&home.dump(), "abcd"));
    let revoke = async |key: TokenKey| store.revoke_access_token(key, at(0)).await.unwrap();
    assert_eq!(revoke(TokenKey::Hash(vec![8; 32])).await, None);
    let revoked = revoke(TokenKey::Hash(vec![7; 32])).await;
    assert_eq!(revoked.as_ref(), Some(&token.id));
    assert_eq!(revoke(TokenKey::Id(token.id.clone())).await, None);
    assert!(store.token_by_hash(&[7; 32]).await.unwrap().is_none());
}
