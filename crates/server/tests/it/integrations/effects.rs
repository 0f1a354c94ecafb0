//! The effects of the endpoints, as people in the chat see them.

use serde_json::{Value, json};

use super::bot::{Bot, admin, admin_list};
use crate::chat::chatter::{Chatter, keys, register};
use crate::chat::events::TALKATIVE;
use crate::http::{get, server_with};

fn body(text: &str) -> Value {
    json!({ "body": text })
}

#[tokio::test]
async fn a_system_message_is_heard_by_everybody_under_the_servers_name() {
    let server = server_with(&["name=My server"]).await;
    let bot = Bot::mighty(&server).await;
    let mut ada = Chatter::join(&server, "ada").await;
    bot.post(&server, "chat/system", &body("restart at **noon**"))
        .await;
    let heard = ada.hears("SYSTEM").await;
    assert_eq!(keys(&heard), ["body", "id", "timestamp", "type", "user"]);
    assert_eq!(heard["body"], "<p>restart at <strong>noon</strong></p>");
    assert_eq!(heard["user"], json!({ "displayName": "My server" }));
}

#[tokio::test]
async fn system_and_action_html_passes_the_allow_list_unless_the_operator_opts_out() {
    let dangerous = body("<b>x</b><script>alert(1)</script><img src=x onerror=alert(1)>");
    let trusting = server_with(&["chat_trusted_html=true"]).await;
    let bot = Bot::mighty(&trusting).await;
    let mut eve = Chatter::join(&trusting, "eve").await;
    bot.post(&trusting, "chat/system", &dangerous).await;
    let heard = eve.hears("SYSTEM").await["body"].to_string();
    assert!(heard.contains("<script>alert(1)</script>"), "{heard}");
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let mut ada = Chatter::join(&server, "ada").await;
    for (path, kind) in [("chat/system", "SYSTEM"), ("chat/action", "CHAT_ACTION")] {
        assert_eq!(bot.post(&server, path, &dangerous).await.status, 200);
        let heard = ada.hears(kind).await["body"].to_string();
        assert!(
            !heard.contains("script") && !heard.contains("onerror"),
            "{heard}"
        );
    }
}

#[tokio::test]
async fn a_standard_message_is_sent_as_the_tokens_own_user_and_is_in_the_history() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let answer = bot
        .post(&server, "chat/send", &body("**42** <script>x</script>"))
        .await;
    assert_eq!(answer.json(), json!({ "success": true, "message": "sent" }));
    let heard = ada.hears("CHAT").await;
    assert_eq!(heard["body"], "<p><strong>42</strong> </p>");
    let user = &heard["user"];
    assert_eq!(
        (&user["displayName"], &user["isBot"]),
        (&json!("Poll bot"), &json!(true))
    );
    assert_eq!(user["previousNames"], json!(["Poll bot"]));
    assert_eq!(user["authenticated"], false);
    let history = bot.get(&server, "chat").await.json();
    assert_eq!(history[0]["id"], heard["id"]);
    assert_eq!(history[0]["user"]["isBot"], true);
    assert!(history[0]["user"].get("scopes").is_none());
}

#[tokio::test]
async fn a_message_of_which_nothing_is_left_is_invalid() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    for text in ["", "   ", "<script>x</script>", "\u{200b}"] {
        let answer = bot.post(&server, "chat/send", &body(text)).await;
        assert_eq!(answer.status, 400, "{text:?}");
        let expected =
            json!({ "success": false, "message": "invalid message", "error": "invalid message" });
        assert_eq!(answer.json(), expected, "{text:?}");
    }
    let long = body(&"x".repeat(20_000));
    assert_eq!(bot.post(&server, "chat/send", &long).await.status, 400);
}

#[tokio::test]
async fn a_chat_action_is_heard_as_one() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let mut ada = Chatter::join(&server, "ada").await;
    bot.post(&server, "chat/action", &body("**ada** rolled a 6"))
        .await;
    let heard = ada.hears("CHAT_ACTION").await;
    assert_eq!(keys(&heard), ["body", "id", "timestamp", "type"]);
    assert_eq!(heard["body"], "<p><strong>ada</strong> rolled a 6</p>");
}

#[tokio::test]
async fn a_message_to_one_client_is_heard_by_that_client_only_and_an_unknown_one_is_accepted() {
    let server = server_with(&[TALKATIVE]).await;
    let bot = Bot::mighty(&server).await;
    let (mut ada, mut bob) = (
        Chatter::join(&server, "ada").await,
        Chatter::join(&server, "bob").await,
    );
    let clients = bot.get(&server, "clients").await.json();
    let entry = clients
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["user"]["displayName"] == "ada");
    let id = entry.unwrap()["id"].as_u64().unwrap();
    let path = format!("chat/system/client/{id}");
    assert_eq!(bot.post(&server, &path, &body("psst")).await.status, 200);
    assert_eq!(ada.hears("SYSTEM").await["body"], "<p>psst</p>");
    ada.say("done").await;
    // Bob's next line is the one sent afterwards.
    assert_eq!(bob.line().await, "<p>done</p>");
    let unknown = bot
        .post(&server, "chat/system/client/999999", &body("psst"))
        .await;
    assert_eq!(
        unknown.json(),
        json!({ "success": true, "message": "sent" })
    );
    for bad in ["abc", "-1", "1.5", "99999999999999999999999"] {
        let answer = bot
            .post(&server, &format!("chat/system/client/{bad}"), &body("x"))
            .await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (400, &json!(false)),
            "{bad}"
        );
    }
}

#[tokio::test]
async fn removing_a_message_hides_it_for_everybody_and_is_in_the_log_under_the_bots_name() {
    let server = server_with(&[TALKATIVE]).await;
    let bot = Bot::mighty(&server).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let line = ada.say_and_hear("oops").await;
    let hide = json!({ "idArray": [line["id"], "unknown"], "visible": false });
    let answer = bot.post(&server, "chat/messagevisibility", &hide).await;
    assert_eq!(
        answer.json(),
        json!({ "success": true, "message": "changed" })
    );
    let update = ada.hears("VISIBILITY-UPDATE").await;
    assert_eq!(
        (&update["ids"][0], &update["visible"]),
        (&line["id"], &json!(false))
    );
    assert_eq!(bot.get(&server, "chat").await.json(), json!([]));
    assert_eq!(
        admin_list(&server, "chat/log").await[0]["actorName"],
        "Poll bot"
    );
    let show = json!({ "idArray": [line["id"]], "visible": true });
    bot.post(&server, "chat/messagevisibility", &show).await;
    assert_eq!(ada.hears("VISIBILITY-UPDATE").await["visible"], true);
    assert_eq!(bot.get(&server, "chat").await.json()[0]["id"], line["id"]);
}

#[tokio::test]
async fn the_history_is_oldest_first_at_most_fifty_and_holds_only_what_people_and_bots_said() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    bot.post(&server, "chat/system", &body("system")).await;
    bot.post(&server, "chat/action", &body("action")).await;
    // Several bots, because each has a rate limit.
    let mut sent = 0;
    for _ in 0..3 {
        let bot = Bot::mighty(&server).await;
        for _ in 0..20 {
            bot.post(&server, "chat/send", &body(&format!("line {sent}")))
                .await;
            sent += 1;
        }
    }
    let history = bot.get(&server, "chat").await.json();
    let entries = history.as_array().unwrap();
    assert_eq!(entries.len(), 50);
    for (entry, number) in entries.iter().zip(10..) {
        assert_eq!(keys(entry), ["body", "id", "timestamp", "type", "user"]);
        assert_eq!(
            (&entry["type"], &entry["body"]),
            (&json!("CHAT"), &json!(format!("<p>line {number}</p>")))
        );
    }
}

#[tokio::test]
async fn connected_clients_are_listed_oldest_first_without_their_addresses() {
    let server = server_with(&[TALKATIVE]).await;
    let bot = Bot::mighty(&server).await;
    assert_eq!(bot.get(&server, "clients").await.json(), json!([]));
    let mut ada = Chatter::join(&server, "ada").await;
    let _bob = Chatter::join(&server, "bob").await;
    ada.say_and_hear("hi").await;
    let clients = bot.get(&server, "clients").await;
    assert!(!clients.body.contains("127.0.0.1"));
    let clients = clients.json();
    let known = [
        "connectedAt",
        "geo",
        "id",
        "messageCount",
        "user",
        "userAgent",
    ];
    assert_eq!(keys(&clients[0]), known);
    let names: Vec<_> = clients
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["user"]["displayName"])
        .collect();
    assert_eq!(names, ["ada", "bob"]);
    assert_eq!(
        (&clients[0]["messageCount"], &clients[0]["geo"]),
        (&json!(1), &Value::Null)
    );
}

#[tokio::test]
async fn the_stream_title_is_set_announced_and_cleared_silently() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let mut ada = Chatter::join(&server, "ada").await;
    bot.post(
        &server,
        "streamtitle",
        &json!({ "value": "  Tea & <b>talk</b> " }),
    )
    .await;
    let heard = ada.hears("CHAT_ACTION").await["body"].to_string();
    assert!(
        heard.contains("Tea &amp; &lt;b&gt;talk&lt;/b&gt;"),
        "{heard}"
    );
    assert_eq!(
        get("/api/status").send(&server).await.json()["streamTitle"],
        "Tea & <b>talk</b>"
    );
    assert_eq!(
        bot.post(&server, "streamtitle", &json!({ "value": "" }))
            .await
            .status,
        200
    );
    bot.post(&server, "chat/system", &body("marker")).await;
    // No event came between the two.
    let next = ada.hears_any().await;
    assert_eq!(next["type"], "SYSTEM");
    assert_eq!(
        get("/api/config")
            .send(&server)
            .await
            .json()
            .get("streamTitle"),
        None
    );
}

#[tokio::test]
async fn the_status_for_bots_tells_the_viewer_count_also_when_it_is_hidden() {
    let server = server_with(&["hide_viewer_count=true"]).await;
    let bot = Bot::mighty(&server).await;
    let status = bot.get(&server, "status").await.json();
    let known = [
        "lastConnectTime",
        "lastDisconnectTime",
        "online",
        "overallMaxViewerCount",
        "serverTime",
        "sessionMaxViewerCount",
        "streamTitle",
        "versionNumber",
        "viewerCount",
    ];
    assert_eq!(keys(&status), known);
    assert_eq!(
        (&status["online"], &status["viewerCount"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(status["lastConnectTime"], Value::Null);
}

#[tokio::test]
async fn a_users_details_are_told_with_connections_and_hidden_lines_and_an_unknown_one_is_404() {
    let server = server_with(&[TALKATIVE]).await;
    let bot = Bot::mighty(&server).await;
    let fresh = register(&server, "fresh").await;
    let path = |id: &str| format!("moderation/chat/user/{id}");
    let details = bot.get(&server, &path(&fresh.id)).await.json();
    assert_eq!(keys(&details), ["connectedClients", "messages", "user"]);
    assert_eq!(
        (&details["connectedClients"], &details["messages"]),
        (&json!([]), &json!([]))
    );
    let mut ada = Chatter::join(&server, "ada").await;
    let line = ada.say_and_hear("hidden").await;
    let hide = json!({ "idArray": [line["id"]], "visible": false });
    bot.post(&server, "chat/messagevisibility", &hide).await;
    let details = bot.get(&server, &path(&ada.person.id)).await.json();
    assert_eq!(details["messages"][0]["id"], line["id"]);
    assert!(details["connectedClients"][0]["id"].as_u64().unwrap() >= 1);
    for id in ["nobody", "%20", "..."] {
        let answer = bot.get(&server, &path(id)).await;
        assert_eq!((answer.status, answer.body.as_str()), (404, ""), "{id}");
    }
}

#[tokio::test]
async fn a_bot_that_was_banned_by_a_moderator_can_do_nothing_more() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    bot.post(&server, "chat/send", &body("spam")).await;
    let history = bot.get(&server, "chat").await.json();
    let user = &history[0]["user"]["id"];
    admin(
        &server,
        "chat/users/setenabled",
        &json!({ "userId": user, "enabled": false }),
    )
    .await;
    assert_eq!(bot.get(&server, "status").await.status, 401);
    admin(
        &server,
        "chat/users/setenabled",
        &json!({ "userId": user, "enabled": true }),
    )
    .await;
    assert_eq!(bot.get(&server, "status").await.status, 200);
}
