use plugins::host::{HostCalls, Occasion, SessionChange};
use serde_json::{Value, json};

use super::stage::{Stage, all};

#[tokio::test]
async fn users_are_listed_and_found() {
    let stage = Stage::new(
        all(),
        json!({"users": [{"id": "u1", "displayName": "mira", "scopes": ["MODERATOR"]}]}),
    );
    let mira = r#"{"id":"u1","displayName":"mira","displayColor":0,"scopes":["MODERATOR"]}"#;
    assert_eq!(
        stage.raw("users_list", json!({})).await.unwrap(),
        format!("[{mira}]")
    );
    assert_eq!(
        stage.raw("user_get", json!({"id": "u1"})).await.unwrap(),
        mira
    );
    assert_eq!(stage.ok("user_get", json!({"id": "u2"})).await, Value::Null);
}

#[tokio::test]
async fn people_and_addresses_are_kept_out() {
    let stage = Stage::trusted();
    stage
        .ok(
            "user_set_enabled",
            json!({"id": "u1", "enabled": 0, "reason": "spam"}),
        )
        .await;
    stage.ok("ban_ip", json!({"ip": " 198.51.100.7 "})).await;
    let why = stage.refused("ban_ip", json!({"ip": "somewhere"})).await;
    assert!(why.contains("somewhere"), "{why}");
    let recorded = stage.recorded();
    assert_eq!(
        recorded.user_moderations,
        [("u1".to_owned(), false, "spam".to_owned())]
    );
    assert_eq!(recorded.banned_ips, ["198.51.100.7"]);
}

#[tokio::test]
async fn somebody_from_elsewhere_becomes_a_user() {
    let stage = Stage::trusted();
    let answer = stage
        .ok(
            "users_register",
            json!({"authId": 77, "displayName": "Ana", "scopes": ["MODERATOR"], "profileUrl": "https://x.example/ana"}),
        )
        .await;
    let kept = json!({"userId": "u-77", "profileUrl": "https://x.example/ana"});
    assert_eq!(answer, kept);
    let again = json!({"authId": "77", "handle": "@ana", "public": true});
    let again = stage.ok("users_register", again).await;
    assert_eq!(again, kept, "what was said first counts");
    let who = &stage.recorded().user_registrations[0];
    assert_eq!(who.auth_id, "77");
    assert_eq!(who.scopes.as_deref(), Some(&["MODERATOR".to_owned()][..]));
}

#[tokio::test]
async fn a_registration_that_is_wrong_creates_nobody() {
    let stage = Stage::trusted();
    for (args, word) in [
        (json!({}), "authId"),
        (json!({"authId": " "}), "authId"),
        (
            json!({"authId": "a", "scopes": ["HAS_ADMIN_ACCESS"]}),
            "HAS_ADMIN_ACCESS",
        ),
        (
            json!({"authId": "a", "scopes": ["MODERATOR", "ROOT"]}),
            "ROOT",
        ),
        (
            json!({"authId": "a", "profileUrl": "javascript:alert(1)"}),
            "profileUrl",
        ),
        (json!({"authId": "a", "profileUrl": "/me"}), "profileUrl"),
        (json!({"authId": "a".repeat(600)}), "authId"),
    ] {
        let why = stage.refused("users_register", args).await;
        assert!(why.contains(word), "{why}");
    }
    assert!(stage.recorded().user_registrations.is_empty());
}

#[tokio::test]
async fn a_session_is_changed_only_while_a_page_is_answered() {
    let stage = Stage::trusted();
    for occasion in [Occasion::Other, Occasion::Event { depth: 0 }] {
        stage.host.enter(occasion);
        let why = stage
            .refused("auth_grant_session", json!({"userId": "u-1", "ttl": 60}))
            .await;
        assert!(why.contains("HTTP request"), "{why}");
        stage.refused("auth_end_session", json!({})).await;
        assert!(stage.host.leave().is_empty());
    }
    assert!(
        stage.recorded().session_tokens.is_empty(),
        "no token is made in vain"
    );

    stage.host.enter(Occasion::Http);
    let why = stage
        .refused("auth_grant_session", json!({"ttl": 60}))
        .await;
    assert!(why.contains("userId"), "{why}");
    stage
        .ok("auth_grant_session", json!({"userId": "u-1", "ttl": 60}))
        .await;
    stage.ok("auth_end_session", json!({})).await;
    let changes = stage.host.leave();
    assert!(matches!(
        &changes[..],
        [SessionChange::Grant { token, ttl }, SessionChange::End]
            if token.expose() == "u-1" && ttl.as_secs() == 60
    ));
    assert!(
        stage.host.leave().is_empty(),
        "one answer has them, not the next"
    );
}
