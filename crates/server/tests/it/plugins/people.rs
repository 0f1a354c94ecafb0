//! Users created by plugins.

use jiff::Timestamp;
use model::UserId;
use serde_json::json;
use server::testing::TestServer;
use store::plugins::{PluginIdentity, PluginProfile};
use store::{NewUser, UserKind};

use super::fake::server;
use super::running::options;
use super::{package, read, send, tell, upload};
use crate::http::{get, post, request};

async fn vouch(server: &TestServer, slug: &str, number: i64, at: Timestamp) {
    let new = NewUser {
        id: UserId::parse(format!("u{number}")).unwrap(),
        kind: UserKind::Standard,
        display_name: format!("viewer {number}"),
        display_color: 1,
    };
    let voucher = PluginIdentity {
        subject: number.to_string(),
        profile: PluginProfile::default(),
    };
    let store = server.store();
    let vouched = store.vouched_user(slug, voucher, new, "x1".into(), at);
    vouched.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_operator_sees_whom_a_plugin_made_and_who_of_them_moderates() {
    let server = server().await;
    assert_eq!(read(&server, "/bell/users").await.status, 404);
    upload(&server, "any.ocpkg", &package(&json!({}), "")).await;
    let nobody = json!({ "total": 0, "users": [] });
    assert_eq!(read(&server, "/bell/users").await.json(), nobody);
    for number in 0..202 {
        // Two seconds apart, to stay below the quotas.
        let at = Timestamp::from_second(1_000_000 + 2 * number).unwrap();
        vouch(&server, "bell", number, at).await;
    }
    vouch(&server, "other", 1000, Timestamp::UNIX_EPOCH).await;
    let wish = json!({ "userId": "u0", "isModerator": true });
    let made = post("/api/admin/chat/users/setmoderator", &wish).by_admin();
    assert_eq!(made.send(&server).await.status, 200);
    let listed = read(&server, "/bell/users").await.json();
    assert_eq!(listed["total"], 202);
    let users = listed["users"].as_array().unwrap();
    assert_eq!(users.len(), 200);
    let at = Timestamp::from_second(1_000_000 + 2 * 201).unwrap();
    let newest = json!({
        "id": "u201", "displayName": "viewer 201", "createdAt": at, "isModerator": false,
    });
    // However old the account is, a moderator cannot be hidden behind other users.
    assert_eq!(users[0]["id"], "u0");
    assert_eq!(users[0]["isModerator"], true);
    assert_eq!(users[1], newest);
    assert_eq!(users[199]["id"], "u3");
    let stranger = get("/api/admin/plugins/bell/users").send(&server).await;
    assert_eq!(stranger.status, 401);
}

#[tokio::test]
async fn the_sign_in_by_password_says_a_sentence_when_it_may_let_nobody_in() {
    let server = TestServer::start_with(options()).await;
    let config = json!({ "password": "sesame" });
    let saved = send(&server, "plugins/password-gate/config", &config).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    let enabled = tell(&server, "password-gate/enable").await;
    assert_eq!(enabled.status, 200, "{enabled:?}");
    let sign_in = || {
        request("POST", "/plugins/password-gate/")
            .header("content-type", "application/x-www-form-urlencoded")
            .bytes(b"password=sesame")
            .send(&server)
    };
    let answer = sign_in().await;
    assert_eq!(answer.status, 303, "{answer:?}");
    // An hour ahead, so that they count as created within the last minute however long this takes.
    let at = Timestamp::now() + jiff::SignedDuration::from_hours(1);
    for number in 0..60 {
        vouch(
            &server,
            "password-gate",
            number,
            at + jiff::SignedDuration::from_secs(2 * number),
        )
        .await;
    }
    let answer = sign_in().await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(
        answer.body.contains("Please try again in a minute"),
        "{answer:?}"
    );
}
