//! Rules that apply to some people and not to others.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;

use super::chatter::{Chatter, register, socket_with};
use super::events::TALKATIVE;
use crate::http::{PASSWORD, get, post, server_with};

async fn admin(server: &TestServer, path: &str, body: Value) -> u16 {
    let request = post(&format!("/api/admin/{path}"), &body).by_admin();
    request.send(server).await.status
}

/// A server behind a proxy on this machine that reports client addresses.
async fn proxied_server() -> TestServer {
    let options = Options {
        admin_password: Some(PASSWORD.into()),
        trusted_proxies: Some("127.0.0.1".into()),
        ..Options::default()
    };
    TestServer::start_with(options).await
}

async fn from(server: &TestServer, name: &str, address: &str) -> Chatter {
    let person = register(server, name).await;
    let query = format!("?accessToken={}", person.token);
    let socket = socket_with(server, &query, &[("x-forwarded-for", address)]).await;
    let mut chatter = Chatter::raw(socket, person);
    chatter.hears("CONNECTED_USER_INFO").await;
    chatter
}

#[tokio::test]
async fn a_socket_is_opened_whatever_page_asks_for_it() {
    let server = server_with(&[]).await;
    let person = register(&server, "ada").await;
    let query = format!("?accessToken={}", person.token);
    let origin = [("origin", "https://somewhere.example")];
    let mut chatter = Chatter::raw(socket_with(&server, &query, &origin).await, person);
    chatter.hears("CONNECTED_USER_INFO").await;
}

#[tokio::test]
async fn a_ban_keeps_the_addresses_out_that_somebody_came_from() {
    let server = proxied_server().await;
    let mut eve = from(&server, "eve", "203.0.113.7").await;
    let body = json!({ "userId": eve.person.id, "enabled": false });
    assert_eq!(admin(&server, "chat/users/setenabled", body).await, 200);
    assert_eq!(eve.end().await, Some(1008));
    let bans = get("/api/admin/chat/users/ipbans")
        .by_admin()
        .send(&server)
        .await
        .json();
    assert_eq!(bans[0]["ipAddress"], "203.0.113.7");
    assert_eq!(bans[0]["notes"], "Banning of eve");
    let other = register(&server, "other eve").await;
    let path = format!("/api/chat?accessToken={}", other.token);
    let there = get(&path).header("x-forwarded-for", "203.0.113.7");
    assert_eq!(there.send(&server).await.status, 401);
    assert_eq!(get(&path).send(&server).await.status, 200);
}

#[tokio::test]
async fn an_address_that_is_banned_loses_its_connections() {
    let server = proxied_server().await;
    let mut eve = from(&server, "eve", "203.0.113.7").await;
    let mut ada = from(&server, "ada", "203.0.113.8").await;
    let body = json!({ "value": "203.0.113.7" });
    assert_eq!(admin(&server, "chat/users/ipbans/create", body).await, 200);
    assert_eq!(eve.end().await, Some(1008));
    assert_eq!(ada.say_and_hear("still here").await["type"], "CHAT");
}

#[tokio::test]
async fn an_address_has_its_share_of_sockets() {
    let server = proxied_server().await;
    let mut chatters = Vec::new();
    for number in 0..20 {
        chatters.push(from(&server, &format!("guest {number}"), "203.0.113.7").await);
    }
    let person = register(&server, "one more").await;
    let answer = get(&format!("/ws?accessToken={}", person.token))
        .header("x-forwarded-for", "203.0.113.7")
        .header("upgrade", "websocket")
        .header("connection", "upgrade")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .send(&server)
        .await;
    let text = (answer.status, answer.body.as_str());
    assert_eq!(text, (200, "ERROR_MAX_CONNECTIONS_EXCEEDED"));
}

#[tokio::test]
async fn moderators_are_exempt_from_the_rules_for_everybody_else() {
    let settings = [
        "chat_slow_mode_seconds=60",
        "chat_established_only=true",
        "chat_require_authentication=true",
        "chat_known_people_only=true",
        "chat_hold_first_message=true",
        "chat_links=nobody",
        "chat_reject_duplicates=true",
    ];
    let server = server_with(&settings).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let body = json!({ "userId": ada.person.id, "isModerator": true });
    assert_eq!(admin(&server, "chat/users/setmoderator", body).await, 200);
    ada.hears("CONNECTED_USER_INFO").await;
    for _ in 0..3 {
        let heard = ada.say_and_hear("see https://example.org").await;
        assert!(heard["body"].as_str().unwrap().contains("<a "));
    }
}

#[tokio::test]
async fn a_moderator_who_is_banned_moderates_no_more_and_one_whose_address_is_does() {
    let server = server_with(&[]).await;
    let ada = register(&server, "ada").await;
    let body = json!({ "userId": ada.id, "isModerator": true });
    admin(&server, "chat/users/setmoderator", body).await;
    let path = format!("/api/chat/held?accessToken={}", ada.token);
    admin(
        &server,
        "chat/users/ipbans/create",
        json!({ "value": "127.0.0.1" }),
    )
    .await;
    assert_eq!(get(&path).send(&server).await.status, 200);
    admin(
        &server,
        "chat/users/setenabled",
        json!({ "userId": ada.id, "enabled": false }),
    )
    .await;
    assert_eq!(get(&path).send(&server).await.status, 401);
}

#[tokio::test]
async fn an_empty_list_of_forbidden_names_is_the_default_one() {
    let server = server_with(&[]).await;
    let set = async |names: Value| {
        let body = json!({ "value": names });
        assert_eq!(
            admin(&server, "config/chat/forbiddenusernames", body).await,
            200
        );
        let config = get("/api/admin/serverconfig")
            .by_admin()
            .send(&server)
            .await;
        config.json()["forbiddenUsernames"].clone()
    };
    assert_eq!(set(json!(["boss"])).await, json!(["boss"]));
    assert_eq!(
        set(json!([])).await,
        json!(["rillcast", "operator", "admin", "system"])
    );
}

#[tokio::test]
async fn requests_about_people_that_make_no_sense_are_400() {
    let server = server_with(&[]).await;
    for (path, body) in [
        ("chat/users/setenabled", json!({ "userId": "nobody" })),
        ("chat/users/setenabled", json!({ "enabled": true })),
        (
            "chat/users/setenabled",
            json!({ "userId": "nobody", "enabled": true }),
        ),
        (
            "chat/users/setmoderator",
            json!({ "userId": "nobody", "isModerator": true }),
        ),
        (
            "chat/users/setmoderator",
            json!({ "userId": "a b", "isModerator": true }),
        ),
        ("chat/held", json!({ "id": "nothing", "approve": true })),
        ("users/delete", json!({ "userId": 7 })),
    ] {
        assert_eq!(
            admin(&server, path, body.clone()).await,
            400,
            "{path} {body}"
        );
    }
}

#[tokio::test]
async fn the_page_is_told_what_the_chat_is_like() {
    let server = server_with(&["chat_slow_mode_seconds=9", "chat_when_offline=always"]).await;
    let config = get("/api/config").send(&server).await.json();
    for (key, value) in [
        ("chatDisabled", json!(false)),
        ("chatRequireAuthentication", json!(false)),
        // Inverted, as existing clients read it.
        ("chatSpamProtectionDisabled", json!(true)),
        ("chatSpamProtectionEnabled", json!(true)),
        ("chatSlowModeSeconds", json!(9)),
        ("chatMaxLineChars", json!(500)),
        ("chatOpenWhenOffline", json!("always")),
        ("maxSocketPayloadSize", json!(2048)),
    ] {
        assert_eq!(config[key], value, "{key}");
    }
}

/// The smallest picture there is.
const PIXEL: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";

#[tokio::test]
async fn emoji_are_uploaded_listed_used_cached_and_deleted() {
    let server = server_with(&[TALKATIVE]).await;
    let data = format!("data:image/gif;base64,{}", STANDARD.encode(PIXEL));
    let upload = json!({ "name": "Dot.gif", "data": data, "pack": "mine" });
    assert_eq!(admin(&server, "emoji/upload", upload.clone()).await, 200);
    assert_eq!(
        admin(&server, "emoji/upload", upload).await,
        400,
        "it is there already"
    );
    let list = get("/api/emoji").send(&server).await;
    assert!(list.header("content-type").starts_with("application/json"));
    let list = list.json();
    let dot = list
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "Dot")
        .unwrap();
    assert_eq!(dot["pack"], "mine");
    let url = dot["url"].as_str().unwrap().to_owned();
    let mut ada = Chatter::join(&server, "ada").await;
    let line = ada.say_and_hear("look :dOT:").await;
    let image = format!(r#"<img src="{url}" class="emoji" alt=":dOT:" title=":dOT:">"#);
    let body = line["body"].as_str().unwrap();
    assert!(
        body.to_lowercase().contains(&image.to_lowercase()),
        "{body}"
    );
    let picture = get(&url).send(&server).await;
    assert_eq!(picture.status, 200);
    assert!(picture.header("content-type").starts_with("image/"));
    assert!(picture.header("cache-control").contains("max-age=2592000"));
    assert!(
        picture
            .header("content-security-policy")
            .contains("sandbox")
    );
    assert_eq!(picture.header("x-content-type-options"), "nosniff");
    let again = get(&url).header("if-none-match", picture.header("etag"));
    assert_eq!(again.send(&server).await.status, 304);
    for path in [
        "/img/emoji/../secret.key",
        "/img/emoji/%2e%2e/secret.key",
        "/img/emoji/none.png",
    ] {
        assert_eq!(get(path).send(&server).await.status, 404, "{path}");
    }
    for bad in [
        json!({ "name": "x.svg", "data": format!("data:image/svg+xml;base64,{}", STANDARD.encode("<svg/>")) }),
        json!({ "name": "../x.gif", "data": data }),
        json!({ "name": "x.gif", "data": "data:image/gif;base64,!!" }),
        json!({ "name": "x.gif", "data": "hello" }),
        json!({ "name": "x.gif" }),
    ] {
        assert_eq!(
            admin(&server, "emoji/upload", bad.clone()).await,
            400,
            "{bad}"
        );
    }
    let name = url.strip_prefix("/img/emoji/").unwrap();
    for bad in ["../rillcast.db", "wave.svg", "nothing.png", ""] {
        assert_eq!(
            admin(&server, "emoji/delete", json!({ "name": bad })).await,
            400,
            "{bad}"
        );
    }
    assert_eq!(
        admin(&server, "emoji/delete", json!({ "name": name })).await,
        200
    );
    assert_eq!(get(&url).send(&server).await.status, 404);
}

#[tokio::test]
async fn a_newcomers_line_never_appears_in_established_user_mode_until_it_is_switched_off() {
    let server = server_with(&[super::events::TALKATIVE]).await;
    let set = async |on: bool| {
        let path = "config/chat/establishedusermode";
        assert_eq!(admin(&server, path, json!({ "value": on })).await, 200);
    };
    let messages = async || {
        let request = crate::http::get("/api/admin/chat/messages").by_admin();
        request.send(&server).await.json()
    };
    set(true).await;
    let mut ada = Chatter::join(&server, "ada").await;
    ada.say("too early").await;
    ada.hears("CHAT_ACTION").await;
    assert_eq!(messages().await, json!([]));
    set(false).await;
    ada.say_and_hear("now").await;
    let listed = messages().await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["body"], "<p>now</p>");
    assert_eq!(listed[0]["user"]["displayName"], "ada");
    assert_eq!(listed[0]["type"], "CHAT");
}
