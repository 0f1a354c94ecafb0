//! The life cycle of an access token.

use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::eventually;

use super::bot::{ALL_SCOPES, Bot, admin, admin_list, make};
use crate::chat::chatter::{Chatter, Person, keys, register};
use crate::http::{PASSWORD, get, server_with};

#[tokio::test]
async fn an_operator_makes_a_token_and_sees_its_secret_exactly_once() {
    let server = server_with(&[]).await;
    let made = make(&server, "Poll bot", &ALL_SCOPES).await;
    assert_eq!(made.status, 200);
    let made = made.json();
    let secret = made["accessToken"].as_str().unwrap();
    assert_eq!((secret.len(), secret.ends_with('=')), (44, true));
    assert_eq!(made["scopes"], json!(ALL_SCOPES));
    assert_eq!(made["displayName"], "Poll bot");
    assert!(made["createdAt"].is_string() && made["id"].is_string());
    let listed = admin_list(&server, "accesstokens").await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert!(!listed.to_string().contains(secret));
    let shown = listed[0]["accessToken"].as_str().unwrap();
    assert!(secret.starts_with(shown.trim_end_matches('…')) && shown.ends_with('…'));
    let known = [
        "accessToken",
        "createdAt",
        "displayColor",
        "displayName",
        "id",
        "isBot",
        "scopes",
    ];
    assert_eq!(keys(&listed[0]), known);
}

#[tokio::test]
async fn a_token_needs_a_name_and_known_scopes() {
    let server = server_with(&[]).await;
    for (name, scopes, word) in [
        ("bot", vec![], "scope"),
        ("bot", vec!["CAN_FLY"], "CAN_FLY"),
        ("", vec!["HAS_ADMIN_ACCESS"], "name"),
        (" <b></b> ", vec!["HAS_ADMIN_ACCESS"], "name"),
    ] {
        let answer = make(&server, name, &scopes).await;
        assert_eq!(answer.status, 400, "{name} {scopes:?}");
        let message = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(message.contains(word), "{message}");
    }
    for body in [
        json!({}),
        json!({ "name": "x" }),
        json!({ "name": "x", "scopes": "HAS_ADMIN_ACCESS" }),
    ] {
        assert_eq!(
            admin(&server, "accesstokens/create", &body).await.status,
            400
        );
    }
    assert_eq!(admin_list(&server, "accesstokens").await, json!([]));
}

#[tokio::test]
async fn a_token_is_deleted_by_its_id_or_by_the_secret_itself() {
    let server = server_with(&[]).await;
    let (one, two) = (Bot::mighty(&server).await, Bot::mighty(&server).await);
    let by_secret = admin(
        &server,
        "accesstokens/delete",
        &json!({ "token": one.secret }),
    )
    .await;
    assert_eq!(
        by_secret.json(),
        json!({ "success": true, "message": "deleted token" })
    );
    assert_eq!(one.get(&server, "status").await.status, 401);
    assert_eq!(two.get(&server, "status").await.status, 200);
    assert_eq!(two.revoke(&server).await.status, 200);
    assert_eq!(admin_list(&server, "accesstokens").await, json!([]));
    let ada = register(&server, "ada").await;
    for body in [
        json!({}),
        json!({ "token": "" }),
        json!({ "id": two.id }),
        json!({ "token": ada.token }),
    ] {
        assert_eq!(
            admin(&server, "accesstokens/delete", &body).await.status,
            400,
            "{body}"
        );
    }
    let path = format!("/api/chat?accessToken={}", ada.token);
    assert_eq!(
        get(&path).send(&server).await.status,
        200,
        "people's tokens are theirs"
    );
}

#[tokio::test]
async fn the_last_use_of_a_token_is_shown() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    assert!(
        admin_list(&server, "accesstokens").await[0]
            .get("lastUsedAt")
            .is_none()
    );
    bot.get(&server, "status").await;
    eventually("the use is noted", async || {
        let listed = admin_list(&server, "accesstokens").await;
        listed[0]["lastUsedAt"].is_string().then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_a_revoked_bot_wrote_stays_and_its_name_is_free_again() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    bot.post(&server, "chat/send", &json!({ "body": "remember me" }))
        .await;
    assert_ne!(register(&server, "Poll bot").await.name, "Poll bot");
    bot.revoke(&server).await;
    assert_eq!(register(&server, "Poll bot").await.name, "Poll bot");
    let other = Bot::mighty(&server).await;
    assert_eq!(
        other.get(&server, "chat").await.json()[0]["body"],
        "<p>remember me</p>"
    );
}

#[tokio::test]
async fn a_token_works_as_a_chat_identity_that_listens_and_its_revocation_closes_the_socket() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let identity = Person {
        id: bot.id.clone(),
        token: bot.secret.clone(),
        name: "Poll bot".into(),
    };
    let mut ears = Chatter::connect(&server, identity, "").await;
    bot.post(&server, "chat/send", &json!({ "body": "to myself" }))
        .await;
    assert_eq!(ears.line().await, "<p>to myself</p>");
    let history = get(&format!("/api/chat?accessToken={}", bot.secret))
        .send(&server)
        .await;
    assert_eq!(history.json()[0]["body"], "<p>to myself</p>");
    bot.revoke(&server).await;
    assert_eq!(ears.end().await, Some(1008));
}

#[tokio::test]
async fn tokens_survive_a_restart_and_no_usable_secret_is_in_the_data_folder() {
    let options = || Options {
        admin_password: Some(PASSWORD.into()),
        ..Options::default()
    };
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let folder = server.stop().await;
    for entry in std::fs::read_dir(folder.path().join("data")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        let has_secret = bytes
            .windows(bot.secret.len())
            .any(|part| part == bot.secret.as_bytes());
        assert!(!has_secret, "{}", path.display());
    }
    let server = TestServer::start_in(folder, options()).await;
    assert_eq!(bot.get(&server, "status").await.status, 200);
}

#[tokio::test]
async fn only_the_operator_handles_tokens() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    for (method, path, body) in [
        ("GET", "accesstokens", Value::Null),
        (
            "POST",
            "accesstokens/create",
            json!({ "name": "x", "scopes": ALL_SCOPES }),
        ),
        ("POST", "accesstokens/delete", json!({ "id": bot.id })),
    ] {
        let request = crate::http::request(method, &format!("/api/admin/{path}"));
        let answer = bot
            .sign(request.raw_body(&body.to_string()))
            .send(&server)
            .await;
        assert_eq!(answer.status, 401, "{path}");
    }
}
