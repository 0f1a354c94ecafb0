//! What moderators and the operator can do, and that it takes effect.

use serde_json::{Value, json};
use server::testing::TestServer;

use super::chatter::{Chatter, Heard, keys, register};
use super::events::TALKATIVE;
use crate::http::{Answer, get, post, server_with};

pub(super) async fn admin(server: &TestServer, path: &str, body: Value) -> Answer {
    post(&format!("/api/admin/{path}"), &body)
        .by_admin()
        .send(server)
        .await
}

pub(super) async fn list(server: &TestServer, path: &str) -> Value {
    get(&format!("/api/admin/{path}"))
        .by_admin()
        .send(server)
        .await
        .json()
}

#[tokio::test]
async fn a_hidden_line_vanishes_for_everybody_and_is_kept_for_the_operator() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let line = ada.say_and_hear("oops").await;
    let body = json!({ "idArray": [line["id"], "unknown", "not an id!"], "visible": false });
    let answer = admin(&server, "chat/messagevisibility", body).await;
    assert_eq!(answer.json()["success"], true);
    let update = ada.hears("VISIBILITY-UPDATE").await;
    assert_eq!(keys(&update), ["id", "ids", "timestamp", "type", "visible"]);
    assert_eq!(
        (&update["ids"][0], &update["visible"]),
        (&line["id"], &json!(false))
    );
    let path = format!("/api/chat?accessToken={}", ada.person.token);
    assert_eq!(get(&path).send(&server).await.json(), json!([]));
    assert!(list(&server, "chat/messages").await[0]["hiddenAt"].is_string());
    let body = json!({ "idArray": [line["id"]], "visible": true });
    admin(&server, "chat/messagevisibility", body).await;
    ada.hears("VISIBILITY-UPDATE").await;
    assert_eq!(get(&path).send(&server).await.json()[0]["id"], line["id"]);
    for bad in [
        json!({}),
        json!({ "idArray": "x", "visible": true }),
        json!({ "idArray": [] }),
    ] {
        assert_eq!(
            admin(&server, "chat/messagevisibility", bad).await.status,
            400
        );
    }
}

#[tokio::test]
async fn a_ban_closes_every_connection_hides_every_line_and_holds() {
    let server = server_with(&[TALKATIVE]).await;
    let mut eve = Chatter::join(&server, "eve").await;
    let mut second = Chatter::connect(&server, eve.person.clone(), "").await;
    let mut bob = Chatter::join(&server, "bob").await;
    let line = eve.say_and_hear("spam").await;
    let body = json!({ "userId": eve.person.id, "enabled": false });
    assert_eq!(
        admin(&server, "chat/users/setenabled", body).await.status,
        200
    );
    let disabled = eve.hears("ERROR_USER_DISABLED").await;
    assert_eq!(keys(&disabled), ["id", "timestamp", "type", "user"]);
    assert_eq!(disabled["user"], Value::Null);
    assert_eq!(eve.end().await, Some(1008));
    assert_eq!(second.end().await, Some(1008));
    assert!(
        bob.hears("CHAT_ACTION").await["body"]
            .as_str()
            .unwrap()
            .contains("eve")
    );
    assert_eq!(
        bob.hears("VISIBILITY-UPDATE").await["ids"],
        json!([line["id"]])
    );
    let banned = list(&server, "chat/users/disabled").await;
    assert_eq!(banned[0]["id"], eve.person.id);
    assert!(list(&server, "chat/messages").await[0]["user"]["disabledAt"].is_string());
    let path = format!("/api/chat?accessToken={}", eve.person.token);
    assert_eq!(get(&path).send(&server).await.status, 401);
    let query = format!("?accessToken={}", eve.person.token);
    let mut again = Chatter::raw(
        super::chatter::socket(&server, &query).await,
        eve.person.clone(),
    );
    assert_eq!(
        again.next().await,
        Heard::Event(json!({ "type": "ERROR_USER_DISABLED" }))
    );
    assert_eq!(again.next().await, Heard::Closed(Some(1008)));
    let body = json!({ "userId": eve.person.id, "enabled": true });
    admin(&server, "chat/users/setenabled", body).await;
    assert_eq!(list(&server, "chat/users/disabled").await, json!([]));
    assert_eq!(
        get(&path).send(&server).await.json(),
        json!([]),
        "what was hidden stays hidden"
    );
    let mut eve = Chatter::connect(&server, eve.person, "").await;
    assert_eq!(eve.say_and_hear("sorry").await["type"], "CHAT");
}

#[tokio::test]
async fn a_timeout_silences_and_can_be_lifted() {
    let server = server_with(&[TALKATIVE]).await;
    let mut eve = Chatter::join(&server, "eve").await;
    let id = eve.person.id.clone();
    admin(
        &server,
        "chat/users/timeout",
        json!({ "userId": id, "seconds": 600 }),
    )
    .await;
    let is_wait = |seconds: &Value| (590..=600).contains(&seconds.as_u64().unwrap());
    let told = eve.hears("CONNECTED_USER_INFO").await;
    assert!(is_wait(&told["mutedForSeconds"]), "{told}");
    eve.say("hello?").await;
    let refused = eve.hears("CHAT_ACTION").await;
    assert_eq!(refused["notice"], "muted");
    assert!(is_wait(&refused["retryAfterSeconds"]), "{refused}");
    let query = format!("?accessToken={}", eve.person.token);
    let socket = super::chatter::socket(&server, &query).await;
    let mut again = Chatter::raw(socket, eve.person.clone());
    let told = again.hears("CONNECTED_USER_INFO").await;
    assert!(is_wait(&told["mutedForSeconds"]), "after a reload: {told}");
    admin(
        &server,
        "chat/users/timeout",
        json!({ "userId": id, "seconds": 0 }),
    )
    .await;
    let told = eve.hears("CONNECTED_USER_INFO").await;
    assert!(told.get("mutedForSeconds").is_none(), "lifted: {told}");
    assert_eq!(eve.say_and_hear("back").await["type"], "CHAT");
    for bad in [
        json!({ "userId": id }),
        json!({ "userId": id, "seconds": 99_999_999 }),
        json!({ "seconds": 1 }),
    ] {
        assert_eq!(admin(&server, "chat/users/timeout", bad).await.status, 400);
    }
}

#[tokio::test]
async fn moderators_moderate_with_their_chat_token_and_nobody_else_does() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let mut eve = Chatter::join(&server, "eve").await;
    let line = eve.say_and_hear("spam").await;
    let hide = |token: String| {
        let body = json!({ "idArray": [line["id"]], "visible": false });
        post(
            &format!("/api/chat/messagevisibility?accessToken={token}"),
            &body,
        )
    };
    let refused = hide(ada.person.token.clone()).send(&server).await;
    assert_eq!(
        (refused.status, refused.body.as_str()),
        (401, "unauthorized")
    );
    let body = json!({ "userId": ada.person.id, "isModerator": true });
    assert_eq!(
        admin(&server, "chat/users/setmoderator", body).await.status,
        200
    );
    let info = ada.hears("CONNECTED_USER_INFO").await;
    assert_eq!(info["user"]["scopes"], json!(["MODERATOR"]));
    assert_eq!(
        list(&server, "chat/users/moderators").await[0]["id"],
        ada.person.id
    );
    assert_eq!(
        hide(ada.person.token.clone()).send(&server).await.status,
        200
    );
    assert_eq!(eve.hears("VISIBILITY-UPDATE").await["visible"], false);
    let token = &ada.person.token;
    let path = format!(
        "/api/moderation/chat/user/{}?accessToken={token}",
        eve.person.id
    );
    let details = get(&path).send(&server).await.json();
    assert_eq!(keys(&details), ["connectedClients", "messages", "user"]);
    assert_eq!(details["messages"][0]["body"], "<p>spam</p>");
    assert_eq!(details["connectedClients"].as_array().unwrap().len(), 1);
    let path = format!("/api/moderation/chat/user/nobody?accessToken={token}");
    assert_eq!(get(&path).send(&server).await.status, 404);
    let body = json!({ "userId": eve.person.id, "enabled": false });
    let ban = post(
        &format!("/api/chat/users/setenabled?accessToken={token}"),
        &body,
    );
    assert_eq!(ban.send(&server).await.status, 200);
    assert_eq!(eve.end().await, Some(1008));
    let log = list(&server, "chat/log").await;
    assert_eq!(
        (&log[0]["action"], &log[0]["actorName"]),
        (&json!("ban"), &json!("ada"))
    );
    assert_eq!(log[0]["targetName"], "eve");
}

#[tokio::test]
async fn a_moderator_cannot_put_away_another() {
    let server = server_with(&[]).await;
    let (ada, bob) = (
        register(&server, "ada").await,
        register(&server, "bob").await,
    );
    for id in [&ada.id, &bob.id] {
        let body = json!({ "userId": id, "isModerator": true });
        admin(&server, "chat/users/setmoderator", body).await;
    }
    let act = |path: &str, body: Value| {
        post(
            &format!("/api/chat/users/{path}?accessToken={}", ada.token),
            &body,
        )
    };
    let ban = json!({ "userId": bob.id, "enabled": false });
    assert_eq!(
        act("setenabled", ban.clone()).send(&server).await.status,
        400
    );
    let mute = json!({ "userId": bob.id, "seconds": 60 });
    assert_eq!(act("timeout", mute).send(&server).await.status, 400);
    assert_eq!(
        admin(&server, "chat/users/setenabled", ban).await.status,
        200
    );
}

#[tokio::test]
async fn a_first_message_waits_for_a_moderator_and_the_next_does_not() {
    let server = server_with(&[TALKATIVE, "chat_hold_first_message=true"]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say("hello, I am new").await;
    assert_eq!(ada.hears("CHAT_ACTION").await["notice"], "held");
    let held = list(&server, "chat/held").await;
    assert_eq!(held[0]["body"], "<p>hello, I am new</p>");
    let body = json!({ "id": held[0]["id"], "approve": true });
    assert_eq!(admin(&server, "chat/held", body.clone()).await.status, 200);
    assert_eq!(ada.line().await, "<p>hello, I am new</p>");
    assert_eq!(
        admin(&server, "chat/held", body).await.status,
        400,
        "somebody was faster"
    );
    ada.hears("CONNECTED_USER_INFO").await;
    assert_eq!(ada.say_and_hear("again").await["body"], "<p>again</p>");
    assert_eq!(list(&server, "chat/held").await, json!([]));
}

#[tokio::test]
async fn an_address_that_is_kept_out_gets_neither_history_nor_socket() {
    let server = server_with(&[]).await;
    let ada = register(&server, "ada").await;
    let path = format!("/api/chat?accessToken={}", ada.token);
    for address in ["127.0.0.1", "::1"] {
        let body = json!({ "value": address });
        assert_eq!(
            admin(&server, "chat/users/ipbans/create", body.clone())
                .await
                .status,
            200
        );
        assert_eq!(
            admin(&server, "chat/users/ipbans/create", body)
                .await
                .status,
            400
        );
    }
    let bans = list(&server, "chat/users/ipbans").await;
    assert_eq!(bans.as_array().unwrap().len(), 2);
    assert_eq!(bans[0]["notes"], "manually added");
    assert_eq!(get(&path).send(&server).await.status, 401);
    let refused = super::chatter::refusal(&server, &format!("?accessToken={}", ada.token)).await;
    assert_eq!((refused.status, refused.body.as_str()), (403, ""));
    for address in ["127.0.0.1", "::1", "192.0.2.7"] {
        let body = json!({ "value": address });
        assert_eq!(
            admin(&server, "chat/users/ipbans/remove", body)
                .await
                .status,
            200
        );
    }
    assert_eq!(list(&server, "chat/users/ipbans").await, json!([]));
    assert_eq!(get(&path).send(&server).await.status, 200);
    let body = json!({ "value": "not-an-address" });
    assert_eq!(
        admin(&server, "chat/users/ipbans/create", body)
            .await
            .status,
        400
    );
}

#[tokio::test]
async fn users_are_listed_searched_and_deleted() {
    let server = server_with(&[TALKATIVE]).await;
    let mut ada = Chatter::join(&server, "Ada Lovelace").await;
    register(&server, "bob").await;
    ada.say_and_hear("hi").await;
    let page = list(&server, "users?limit=1&search=LOVE").await;
    assert_eq!(
        (
            page["total"].as_i64(),
            page["results"].as_array().unwrap().len()
        ),
        (Some(1), 1)
    );
    let users = list(&server, "users").await;
    assert_eq!(users["total"], 2);
    // Newest first; nobody has signed in anywhere.
    assert_eq!(users["results"][0]["displayName"], "bob");
    assert!(users["results"][0].get("authProviders").is_none());
    assert_eq!(list(&server, "users?status=bots").await["total"], 0);
    assert_eq!(
        get("/api/admin/users?limit=x")
            .by_admin()
            .send(&server)
            .await
            .status,
        400
    );
    let body = json!({ "userId": ada.person.id });
    let answer = admin(&server, "users/delete", body.clone()).await;
    assert_eq!(answer.json()["message"], "user deleted");
    assert_eq!(ada.end().await, Some(1008));
    for body in [body, json!({})] {
        let answer = admin(&server, "users/delete", body).await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (400, &json!(false))
        );
    }
    assert_eq!(list(&server, "users?search=LOVE").await["total"], 0);
    assert_eq!(list(&server, "chat/messages").await, json!([]));
}
