//! Events for bots: the event socket and its HTTP equivalent.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use server::testing::TestServer;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::bot::{ALL_SCOPES, Bot, admin};
use crate::chat::chatter::{Chatter, keys};
use crate::chat::events::TALKATIVE;
use crate::http::{get, server_with};

/// Long enough for a busy machine; waiting ends as soon as there is something to hear.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Listener(WebSocketStream<TcpStream>);

impl Listener {
    /// Opens the socket as a browser does, which cannot set headers.
    pub(super) async fn open(server: &TestServer, bot: &Bot, more: &str) -> (Self, Value) {
        let stream = TcpStream::connect(server.address()).await.unwrap();
        let query = format!("accessToken={}{more}", bot.secret);
        let url = format!("ws://{}/api/integrations/events?{query}", server.address());
        let mut listener = Self(client_async(url, stream).await.unwrap().0);
        let ready = listener.next().await.unwrap();
        assert_eq!(ready["type"], "READY");
        (listener, ready["eventData"].clone())
    }

    /// The next event, or the close code.
    pub(super) async fn next(&mut self) -> Result<Value, Option<u16>> {
        let next = async {
            loop {
                match self.0.next().await {
                    Some(Ok(Message::Text(text))) => {
                        return Ok(serde_json::from_str(&text).unwrap());
                    }
                    Some(Ok(Message::Close(frame))) => {
                        return Err(frame.map(|frame| frame.code.into()));
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return Err(None),
                }
            }
        };
        tokio::time::timeout(PATIENCE, next)
            .await
            .expect("something to hear")
    }

    /// The next event of a kind; others are skipped.
    async fn hears(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await.unwrap();
            if event["type"] == kind {
                return event;
            }
        }
    }
}

#[tokio::test]
async fn a_bot_hears_chat_users_and_stream_as_typed_events_in_order() {
    let server = server_with(&[TALKATIVE, "server_url=https://live.example"]).await;
    let bot = Bot::mighty(&server).await;
    let (mut ears, ready) = Listener::open(&server, &bot, "").await;
    assert_eq!(ready["complete"], true);
    let mut ada = Chatter::join(&server, "ada").await;
    let line = ada.say_and_hear("hi **all**").await;
    let heard = ears.hears("CHAT").await;
    assert_eq!(keys(&heard), ["eventData", "eventId", "type"]);
    let data = &heard["eventData"];
    let known = [
        "body",
        "clientId",
        "id",
        "rawBody",
        "serverURL",
        "status",
        "timestamp",
        "user",
        "visible",
    ];
    assert_eq!(keys(data), known);
    assert_eq!(
        (&data["id"], &data["rawBody"]),
        (&line["id"], &json!("hi **all**"))
    );
    assert_eq!(data["body"], line["body"]);
    assert_eq!(data["serverURL"], "https://live.example");
    ada.send(&json!({ "type": "NAME_CHANGE", "newName": "ada the second" }))
        .await;
    let renamed = ears.hears("NAME_CHANGE").await;
    assert_eq!(renamed["eventData"]["newName"], "ada the second");
    assert_eq!(
        renamed["eventData"]["user"]["displayName"],
        "ada the second"
    );
    assert_eq!(
        renamed["eventData"]["user"]["previousNames"],
        json!(["ada"]),
        "the last of them is the name before"
    );
    bot.post(&server, "streamtitle", &json!({ "value": "Tea" }))
        .await;
    let title = ears.hears("STREAM_TITLE_UPDATED").await;
    assert_eq!(title["eventData"]["streamTitle"], "Tea");
    let hide = json!({ "idArray": [line["id"]], "visible": false });
    bot.post(&server, "chat/messagevisibility", &hide).await;
    let hidden = ears.hears("VISIBILITY-UPDATE").await;
    assert_eq!(hidden["eventData"]["ids"], json!([line["id"]]));
    assert_eq!(hidden["eventData"]["MessageIDs"], json!([line["id"]]));
    assert_eq!(hidden["eventData"]["Visible"], false);
    let number = |event: &Value| event["eventId"].as_str().unwrap().parse::<i64>().unwrap();
    assert!(number(&heard) < number(&renamed) && number(&renamed) < number(&title));
    assert!(number(&title) < number(&hidden));
}

#[tokio::test]
async fn a_bot_that_says_its_last_event_id_gets_what_it_missed_and_nothing_twice() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let say = async |text: &str| {
        let answer = bot
            .post(&server, "chat/send", &json!({ "body": text }))
            .await;
        assert_eq!(answer.status, 200);
    };
    let (mut ears, _) = Listener::open(&server, &bot, "").await;
    say("one").await;
    let first = ears.hears("CHAT").await;
    drop(ears);
    say("two").await;
    say("three").await;
    let last = first["eventId"].as_str().unwrap();
    let (mut ears, ready) = Listener::open(&server, &bot, &format!("&lastEventId={last}")).await;
    assert_eq!(ready["complete"], true);
    say("four").await;
    for expected in ["two", "three", "four"] {
        assert_eq!(ears.hears("CHAT").await["eventData"]["rawBody"], expected);
    }
}

#[tokio::test]
async fn a_bot_whose_last_event_id_was_never_given_is_told_that_something_is_missing() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    for id in ["999999", "-5"] {
        let (_, ready) = Listener::open(&server, &bot, &format!("&lastEventId={id}")).await;
        assert_eq!(ready["complete"], false, "{id}");
    }
    let path = format!(
        "/api/integrations/events?accessToken={}&lastEventId=x",
        bot.secret
    );
    let answer = get(&path).send(&server).await;
    assert_eq!(
        (answer.status, &answer.json()["success"]),
        (400, &json!(false))
    );
}

#[tokio::test]
async fn only_a_bot_with_admin_access_may_go_back_further_than_five_minutes() {
    let server = server_with(&[]).await;
    let (mighty, plain) = (
        Bot::mighty(&server).await,
        Bot::with(&server, &["CAN_SEND_MESSAGES"]).await,
    );
    let (_, ready) = Listener::open(&server, &mighty, "").await;
    let before = format!("&lastEventId={}", ready["lastEventId"].as_str().unwrap());
    for (title, minutes) in [("long ago", 6), ("just now", 1)] {
        let title = title.into();
        let ago = Duration::from_secs(minutes * 60);
        let changed = model::Event::StreamTitleChanged { title };
        server.happened(changed, ago).await;
    }
    let (mut ears, ready) = Listener::open(&server, &mighty, &before).await;
    assert_eq!(ready["complete"], true);
    for title in ["long ago", "just now"] {
        let event = ears.hears("STREAM_TITLE_UPDATED").await;
        assert_eq!(event["eventData"]["streamTitle"], title);
    }
    let (mut ears, ready) = Listener::open(&server, &plain, &before).await;
    assert_eq!(ready["complete"], false);
    let event = ears.hears("STREAM_TITLE_UPDATED").await;
    assert_eq!(event["eventData"]["streamTitle"], "just now");
}

#[tokio::test]
async fn a_bot_may_choose_what_it_hears() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let (mut ears, _) = Listener::open(&server, &bot, "&types=STREAM_TITLE_UPDATED,CHAT").await;
    let (mut titles, _) = Listener::open(&server, &bot, "&types=STREAM_TITLE_UPDATED").await;
    bot.post(&server, "chat/send", &json!({ "body": "x" }))
        .await;
    bot.post(&server, "streamtitle", &json!({ "value": "Tea" }))
        .await;
    assert_eq!(ears.next().await.unwrap()["type"], "CHAT");
    assert_eq!(titles.next().await.unwrap()["type"], "STREAM_TITLE_UPDATED");
    let path = format!(
        "/api/integrations/events?accessToken={}&types=NONSENSE",
        bot.secret
    );
    let answer = get(&path).send(&server).await;
    assert_eq!(answer.status, 400);
    assert!(
        answer.json()["message"]
            .as_str()
            .unwrap()
            .contains("STREAM_STARTED")
    );
}

#[tokio::test]
async fn every_access_token_may_listen_and_nobody_else() {
    let server = server_with(&[]).await;
    for scope in ALL_SCOPES {
        let bot = Bot::with(&server, &[scope]).await;
        Listener::open(&server, &bot, "").await;
    }
    let person = crate::chat::chatter::register(&server, "ada").await;
    for token in ["", "garbage", &person.token] {
        let answer = get(&format!("/api/integrations/events?accessToken={token}"))
            .send(&server)
            .await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (401, "unauthorized"),
            "{token}"
        );
    }
}

#[tokio::test]
async fn revoking_a_token_or_banning_its_user_ends_what_it_listens_to() {
    let server = server_with(&[]).await;
    let (bot, other) = (Bot::mighty(&server).await, Bot::mighty(&server).await);
    let (mut ears, _) = Listener::open(&server, &bot, "").await;
    let (mut others, _) = Listener::open(&server, &other, "").await;
    bot.revoke(&server).await;
    assert_eq!(ears.next().await, Err(Some(1008)));
    other
        .post(&server, "chat/send", &json!({ "body": "still here" }))
        .await;
    let line = others.hears("CHAT").await;
    let user = &line["eventData"]["user"]["id"];
    let ban = json!({ "userId": user, "enabled": false });
    admin(&server, "chat/users/setenabled", &ban).await;
    let end = loop {
        if let Err(code) = others.next().await {
            break code;
        }
    };
    assert_eq!(end, Some(1008));
}

#[tokio::test]
async fn the_same_events_come_over_http_with_ids_a_browser_resumes_by() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let mut lines = event_stream(&server, &bot, "").await;
    let ready = next_event(&mut lines).await;
    assert_eq!(ready.1["type"], "READY");
    bot.post(&server, "chat/send", &json!({ "body": "one" }))
        .await;
    let (id, event) = next_event(&mut lines).await;
    assert_eq!(
        (&event["type"], event["eventId"].as_str()),
        (&json!("CHAT"), Some(id.as_str()))
    );
    drop(lines);
    bot.post(&server, "chat/send", &json!({ "body": "two" }))
        .await;
    let mut lines = event_stream(&server, &bot, &format!("Last-Event-ID: {id}\r\n")).await;
    assert_eq!(next_event(&mut lines).await.1["type"], "READY");
    assert_eq!(
        next_event(&mut lines).await.1["eventData"]["rawBody"],
        "two"
    );
    bot.revoke(&server).await;
    let rest = async { while lines.next_line().await.is_ok_and(|line| line.is_some()) {} };
    tokio::time::timeout(PATIENCE, rest)
        .await
        .expect("the stream ends");
}

type Lines = tokio::io::Lines<BufReader<TcpStream>>;

async fn event_stream(server: &TestServer, bot: &Bot, headers: &str) -> Lines {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request = format!(
        "GET /api/integrations/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n{headers}\r\n",
        bot.secret
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let status = lines.next_line().await.unwrap().unwrap();
    assert!(status.contains("200"), "{status}");
    lines
}

/// Skips headers and chunk sizes.
async fn next_event(lines: &mut Lines) -> (String, Value) {
    let next = async {
        let mut id = String::new();
        loop {
            let line = lines
                .next_line()
                .await
                .unwrap()
                .expect("a stream that goes on");
            if let Some(number) = line.strip_prefix("id: ") {
                id = number.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (id, serde_json::from_str(data).unwrap());
            }
        }
    };
    tokio::time::timeout(PATIENCE, next)
        .await
        .expect("an event")
}

#[tokio::test]
async fn the_farewell_of_a_listener_is_answered_with_the_same() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let (mut listener, _) = Listener::open(&server, &bot, "").await;
    let frame = CloseFrame {
        code: 1000.into(),
        reason: "".into(),
    };
    listener.0.close(Some(frame)).await.unwrap();
    assert_eq!(listener.next().await, Err(Some(1000)));
}

#[tokio::test]
async fn a_listener_is_told_when_the_server_stops() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let (mut ears, _) = Listener::open(&server, &bot, "").await;
    let (end, _folder) = tokio::join!(ears.next(), server.stop());
    assert_eq!(end, Err(Some(1001)));
}

#[tokio::test]
async fn one_token_takes_sixteen_places_and_leaves_the_others_to_others() {
    let server = server_with(&[]).await;
    let (greedy, other) = (Bot::mighty(&server).await, Bot::mighty(&server).await);
    let mut places = Vec::new();
    for _ in 0..16 {
        places.push(Listener::open(&server, &greedy, "").await);
    }
    let refused = greedy.get(&server, "events").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "30"));
    drop(Listener::open(&server, &other, "").await);
    // A listener that leaves frees its slot.
    places.pop();
    testkit::eventually("a place is free", || async {
        let stream = TcpStream::connect(server.address()).await.unwrap();
        let query = format!("accessToken={}", greedy.secret);
        let url = format!("ws://{}/api/integrations/events?{query}", server.address());
        client_async(url, stream).await.ok()
    })
    .await;
}
