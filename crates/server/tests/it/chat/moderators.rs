//! What moderators see and say in the page, and how somebody becomes one by an invitation.

use access::sha256;
use model::UserId;
use serde_json::{Value, json};
use server::testing::TestServer;

use super::chatter::{Chatter, Heard, Person, register, socket};
use super::events::TALKATIVE;
use super::moderation::{admin, list};
use crate::http::{Answer, get, post, server_with};

async fn make_moderator(server: &TestServer, person: &Person) {
    let body = json!({ "userId": person.id, "isModerator": true });
    let answer = admin(server, "chat/users/setmoderator", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn with_token(path: &str, person: &Person) -> String {
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}accessToken={}", person.token)
}

async fn read(server: &TestServer, path: &str, person: &Person) -> Value {
    let answer = get(&with_token(path, person)).send(server).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

async fn act(server: &TestServer, path: &str, person: &Person, body: Value) -> Answer {
    post(&with_token(path, person), &body).send(server).await
}

/// As if they had proven to own a page.
async fn sign_in(server: &TestServer, person: &Person) {
    let user = UserId::parse(person.id.clone()).unwrap();
    let subject = format!("https://{}.example/", person.name);
    let hash = sha256(&person.token).to_vec();
    let now = jiff::Timestamp::now();
    let store = server.store();
    let attached = store.attach_identity("IndieAuth", subject, &user, hash, now);
    assert!(attached.await.unwrap().is_some());
}

#[tokio::test]
async fn hidden_lines_are_listed_for_moderators_and_missing_for_everybody_else() {
    let server = server_with(&[TALKATIVE]).await;
    let ada = register(&server, "ada").await;
    make_moderator(&server, &ada).await;
    let mut eve = Chatter::join(&server, "eve").await;
    eve.say_and_hear("nice").await;
    let line = eve.say_and_hear("rude").await;
    assert_eq!(read(&server, "/api/chat/hidden", &ada).await, json!([]));
    let body = json!({ "idArray": [line["id"]], "visible": false });
    act(&server, "/api/chat/messagevisibility", &ada, body).await;
    eve.hears("VISIBILITY-UPDATE").await;
    let hidden = read(&server, "/api/chat/hidden", &ada).await;
    assert_eq!(hidden.as_array().unwrap().len(), 1);
    assert_eq!(hidden[0]["id"], line["id"]);
    assert!(hidden[0]["hiddenAt"].is_string());
    for person in [&ada, &eve.person] {
        let history = read(&server, "/api/chat", person).await;
        let bodies: Vec<_> = history.as_array().unwrap().iter().collect();
        assert_eq!(bodies.len(), 1, "the history is the same for all");
        assert_eq!(bodies[0]["body"], "<p>nice</p>");
    }
    for path in [
        "/api/chat/hidden",
        "/api/chat/users/sanctioned",
        "/api/chat/log",
    ] {
        let answer = get(&with_token(path, &eve.person)).send(&server).await;
        assert_eq!(answer.status, 401, "{path}");
    }
}

#[tokio::test]
async fn whoever_is_timed_out_is_told_for_how_long_and_why() {
    let server = server_with(&[TALKATIVE]).await;
    let ada = register(&server, "ada").await;
    make_moderator(&server, &ada).await;
    let mut eve = Chatter::join(&server, "eve").await;
    let path = "/api/chat/users/timeout";
    let id = eve.person.id.clone();
    let body = json!({ "userId": id, "seconds": 300, "reason": " <b>caps\nlock</b> " });
    assert_eq!(act(&server, path, &ada, body).await.status, 200);
    let told = eve.hears("CHAT_ACTION").await;
    assert_eq!(told["notice"], "muted");
    let text = told["body"].as_str().unwrap();
    assert!(text.contains("for 5 minutes"), "{text}");
    assert!(text.contains("&lt;b&gt;caps lock&lt;/b&gt;"), "{text}");
    eve.say("hello?").await;
    let told = eve.hears("CHAT_ACTION").await;
    assert!(told["body"].as_str().unwrap().contains("caps lock"));
    let listed = read(&server, "/api/chat/users/sanctioned", &ada).await;
    assert_eq!(listed["total"], 1);
    assert_eq!(listed["results"][0]["mutedReason"], "<b>caps lock</b>");
    let log = read(&server, "/api/chat/log?limit=1", &ada).await;
    assert_eq!(log[0]["action"], "timeout");
    assert_eq!(log[0]["reason"], "<b>caps lock</b>");
    let body = json!({ "userId": id, "seconds": 0 });
    assert_eq!(act(&server, path, &ada, body).await.status, 200);
    let listed = read(&server, "/api/chat/users/sanctioned", &ada).await;
    assert_eq!(listed, json!({ "total": 0, "results": [] }));
}

#[tokio::test]
async fn whoever_is_banned_is_told_why_at_once_and_when_they_come_back() {
    let server = server_with(&[TALKATIVE]).await;
    let ada = register(&server, "ada").await;
    make_moderator(&server, &ada).await;
    let mut eve = Chatter::join(&server, "eve").await;
    let path = "/api/chat/users/setenabled";
    let body = json!({ "userId": eve.person.id, "enabled": false, "reason": "spam" });
    assert_eq!(act(&server, path, &ada, body).await.status, 200);
    assert_eq!(eve.hears("ERROR_USER_DISABLED").await["reason"], "spam");
    let query = format!("?accessToken={}", eve.person.token);
    let mut again = Chatter::raw(socket(&server, &query).await, eve.person.clone());
    let farewell = json!({ "type": "ERROR_USER_DISABLED", "reason": "spam" });
    assert_eq!(again.next().await, Heard::Event(farewell));
    let details = format!("/api/moderation/chat/user/{}", eve.person.id);
    let details = read(&server, &details, &ada).await;
    assert_eq!(details["user"]["disabledReason"], "spam");
    let body = json!({ "userId": eve.person.id, "enabled": true });
    assert_eq!(act(&server, path, &ada, body).await.status, 200);
    Chatter::connect(&server, eve.person, "").await;
}

#[tokio::test]
async fn a_moderator_puts_the_brakes_on_and_takes_them_off() {
    let server = server_with(&[TALKATIVE]).await;
    let ada = register(&server, "ada").await;
    make_moderator(&server, &ada).await;
    let mut eve = Chatter::join(&server, "eve").await;
    let path = "/api/chat/restrictions";
    let before = json!({
        "paused": false, "slowModeSeconds": 0, "signedInOnly": false, "returningOnly": false,
        "establishedOnly": false, "holdCopiedMessages": true,
    });
    assert_eq!(read(&server, path, &ada).await, before);
    let change = json!({ "paused": true, "slowModeSeconds": 30 });
    assert_eq!(act(&server, path, &ada, change).await.status, 200);
    assert_eq!(eve.hears("CHAT_ACTION").await["code"], "chat-paused");
    assert_eq!(eve.hears("CHAT_ACTION").await["code"], "slow-mode-begins");
    let config = get("/api/config").send(&server).await.json();
    assert_eq!(config["chatPaused"], true);
    eve.say("hello?").await;
    let told = eve.hears("CHAT_ACTION").await;
    assert_eq!(
        (&told["notice"], &told["code"]),
        (&json!("refused"), &json!("chat-paused"))
    );
    let log = read(&server, "/api/chat/log?limit=2", &ada).await;
    assert_eq!(log[1]["action"], "restrict");
    assert_eq!(log[1]["detail"], "chat_paused=true");
    assert_eq!(log[1]["actorName"], "ada");
    let change = json!({ "paused": false });
    assert_eq!(act(&server, path, &ada, change).await.status, 200);
    assert_eq!(eve.hears("CHAT_ACTION").await["code"], "chat-pause-ends");
    let too_slow = json!({ "paused": true, "slowModeSeconds": 3601 });
    assert_eq!(act(&server, path, &ada, too_slow).await.status, 400);
    let after = read(&server, path, &ada).await;
    assert_eq!(after["paused"], false, "all of a change or nothing");
    let answer = act(&server, path, &eve.person, json!({ "paused": true })).await;
    assert_eq!(answer.status, 401);
    let answer = get("/api/admin/chat/restrictions").by_admin();
    assert_eq!(answer.send(&server).await.json()["slowModeSeconds"], 30);
}

#[tokio::test]
async fn what_the_operator_restricts_no_moderator_lifts() {
    let server = server_with(&[TALKATIVE]).await;
    let ada = register(&server, "ada").await;
    make_moderator(&server, &ada).await;
    let path = "/api/chat/restrictions";
    let body = json!({ "value": true });
    let answer = post("/api/admin/config/chat/requireauthentication", &body).by_admin();
    assert_eq!(answer.send(&server).await.status, 200);
    let change = json!({ "paused": true, "signedInOnly": false });
    let answer = act(&server, path, &ada, change).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(answer.json()["code"], "restriction-of-operator");
    let now = read(&server, path, &ada).await;
    assert_eq!(
        (&now["paused"], &now["signedInOnly"]),
        (&json!(false), &json!(true))
    );
    for paused in [true, false] {
        let answer = act(&server, path, &ada, json!({ "paused": paused })).await;
        assert_eq!(answer.status, 200, "their own brakes");
    }
    let change = json!({ "signedInOnly": false });
    assert_eq!(
        admin(&server, "chat/restrictions", change).await.status,
        200
    );
    assert_eq!(read(&server, path, &ada).await["signedInOnly"], false);
}

#[tokio::test]
async fn a_ban_with_a_length_says_until_when() {
    let server = server_with(&[TALKATIVE]).await;
    let ada = register(&server, "ada").await;
    make_moderator(&server, &ada).await;
    let mut eve = Chatter::join(&server, "eve").await;
    let path = "/api/chat/users/setenabled";
    for wrong in [json!(0), json!(1.5), json!(31_622_401), json!(-5)] {
        let body = json!({ "userId": eve.person.id, "enabled": false, "duration": wrong });
        assert_eq!(act(&server, path, &ada, body).await.status, 400, "{wrong}");
    }
    let body = json!({ "userId": eve.person.id, "enabled": false, "duration": 600 });
    assert_eq!(act(&server, path, &ada, body).await.status, 200);
    let until = eve.hears("ERROR_USER_DISABLED").await["until"].clone();
    assert!(until.is_string());
    let listed = read(&server, "/api/chat/users/sanctioned", &ada).await;
    assert!(listed["results"][0]["disabledUntil"].is_string());
    let log = read(&server, "/api/chat/log?limit=1", &ada).await;
    assert_eq!(log[0]["detail"], until);
}

#[tokio::test]
async fn a_reason_has_two_hundred_characters_at_most() {
    let server = server_with(&[]).await;
    let eve = register(&server, "eve").await;
    let with =
        |length: usize| json!({ "userId": eve.id, "seconds": 60, "reason": "ä".repeat(length) });
    let answer = admin(&server, "chat/users/timeout", with(200)).await;
    assert_eq!(answer.status, 200);
    let answer = admin(&server, "chat/users/timeout", with(201)).await;
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("200"), "{}", answer.body);
    let ban = json!({ "userId": eve.id, "enabled": false, "reason": "x".repeat(201) });
    let answer = admin(&server, "chat/users/setenabled", ban).await;
    assert_eq!(answer.status, 400);
    assert_eq!(list(&server, "chat/users/disabled").await, json!([]));
}

#[tokio::test]
async fn the_log_of_moderators_is_read_in_parts_without_addresses() {
    let server = server_with(&[]).await;
    let (ada, eve) = (
        register(&server, "ada").await,
        register(&server, "eve").await,
    );
    make_moderator(&server, &ada).await;
    let body = json!({ "value": "192.0.2.7" });
    admin(&server, "chat/users/ipbans/create", body).await;
    for seconds in [60, 120, 0] {
        let body = json!({ "userId": eve.id, "seconds": seconds });
        admin(&server, "chat/users/timeout", body).await;
    }
    let newest = read(&server, "/api/chat/log?limit=2", &ada).await;
    let actions = |log: &Value| {
        let entries = log.as_array().unwrap().iter();
        let actions = entries.map(|entry| entry["action"].as_str().unwrap().to_owned());
        actions.collect::<Vec<_>>()
    };
    assert_eq!(actions(&newest), ["untimeout", "timeout"]);
    let path = format!("/api/chat/log?before={}", newest[1]["seq"]);
    let rest = read(&server, &path, &ada).await;
    assert_eq!(actions(&rest), ["timeout", "moderator"]);
    let bad = get(&with_token("/api/chat/log?before=x", &ada));
    assert_eq!(bad.send(&server).await.status, 400);
}

#[tokio::test]
async fn an_invitation_makes_a_moderator_once_of_somebody_who_has_signed_in() {
    let server = server_with(&[]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let bob = register(&server, "bob").await;
    let answer = admin(&server, "chat/invitations/create", json!({})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let made = answer.json();
    let open = list(&server, "chat/invitations").await;
    assert_eq!(open[0]["id"], made["id"]);
    assert!(open[0].get("token").is_none(), "it is shown once");
    let path = "/api/chat/invitations/accept";
    let body = json!({ "token": made["token"] });
    let answer = act(&server, path, &ada.person, body.clone()).await;
    assert_eq!(answer.status, 409, "not signed in");
    let guess = json!({ "token": "guess" });
    let unsigned = act(&server, path, &ada.person, guess.clone()).await;
    assert_eq!(
        (unsigned.status, &unsigned.body),
        (409, &answer.body),
        "nothing is said about the link"
    );
    sign_in(&server, &ada.person).await;
    sign_in(&server, &bob).await;
    let guessed = act(&server, path, &bob, guess).await;
    assert_eq!(guessed.status, 403);
    let answer = act(&server, path, &ada.person, body.clone()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let info = ada.hears("CONNECTED_USER_INFO").await;
    assert_eq!(info["user"]["scopes"], json!(["MODERATOR"]));
    let used = act(&server, path, &bob, body).await;
    assert_eq!((used.status, &used.body), (403, &guessed.body));
    assert_eq!(list(&server, "chat/invitations").await, json!([]));
    let log = list(&server, "chat/log").await;
    assert_eq!(log[0]["action"], "moderator");
    assert_eq!(log[0]["actorName"], "ada");
    assert_eq!(log[1]["action"], "invite");
}

#[tokio::test]
async fn an_invitation_that_was_taken_back_is_like_none() {
    let server = server_with(&[]).await;
    let ada = register(&server, "ada").await;
    sign_in(&server, &ada).await;
    let made = admin(&server, "chat/invitations/create", json!({}))
        .await
        .json();
    let body = json!({ "id": made["id"] });
    let revoked = admin(&server, "chat/invitations/revoke", body.clone()).await;
    assert_eq!(revoked.status, 200);
    let again = admin(&server, "chat/invitations/revoke", body).await;
    assert_eq!(again.status, 400);
    let body = json!({ "token": made["token"] });
    let answer = act(&server, "/api/chat/invitations/accept", &ada, body).await;
    assert_eq!(answer.status, 403);
    let log = list(&server, "chat/log").await;
    assert_eq!(log[0]["action"], "uninvite");
}

#[tokio::test]
async fn invitations_cannot_be_guessed_one_after_the_other() {
    let server = server_with(&[]).await;
    let ada = register(&server, "ada").await;
    sign_in(&server, &ada).await;
    let mut statuses = Vec::new();
    // A slow machine gets one or two back in the meantime.
    for number in 0..15 {
        let body = json!({ "token": format!("guess {number}") });
        let answer = act(&server, "/api/chat/invitations/accept", &ada, body).await;
        statuses.push(answer.status);
    }
    let (guesses, rest) = statuses.split_at(10);
    assert!(guesses.iter().all(|status| *status == 403), "{statuses:?}");
    assert!(rest.contains(&429), "{statuses:?}");
}
