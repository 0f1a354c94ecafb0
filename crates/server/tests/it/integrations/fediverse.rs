//! Fediverse events as bots, webhooks and the chat receive them.

use model::Event;
use model::fediverse::{RemoteActor, RemotePost, Visibility};
use serde_json::json;
use server::testing::TestServer;

use super::bot::{Bot, admin};
use super::events::Listener;
use crate::chat::chatter::{Chatter, keys};
use crate::http::{get, server_with};

const POST: &str = "https://live.example/federation/9Qa4";

fn alice() -> RemoteActor {
    RemoteActor {
        iri: "https://remote.example/users/alice".into(),
        name: "Alice <b>*B*</b>".into(),
        handle: "@alice@remote.example".into(),
        url: Some("https://remote.example/@alice".into()),
        image: Some("https://remote.example/alice.png".into()),
    }
}

fn liked() -> Event {
    Event::FediverseLiked {
        actor: alice(),
        target: POST.into(),
        is_live_notification: true,
    }
}

fn followed(is_pending: bool) -> Event {
    Event::FediverseFollowed {
        actor: alice(),
        is_pending,
    }
}

fn post(visibility: Visibility) -> RemotePost {
    RemotePost {
        actor: alice(),
        content: "<p>psst</p>".into(),
        content_text: "psst".into(),
        url: "https://remote.example/@alice/1".into(),
        posted_at: None,
        in_reply_to: None,
        attachments: Vec::new(),
        language: None,
        visibility,
    }
}

async fn happens(server: &TestServer, events: impl IntoIterator<Item = Event>) {
    for event in events {
        server.note(event).await;
    }
}

#[tokio::test]
async fn what_was_written_to_the_operator_reaches_only_bots_that_may_do_everything() {
    let server = server_with(&[]).await;
    let mighty = Bot::mighty(&server).await;
    let modest = Bot::with(&server, &["CAN_SEND_MESSAGES"]).await;
    let (mut admin_ears, _) = Listener::open(&server, &mighty, "").await;
    let (mut modest_ears, _) = Listener::open(&server, &modest, "").await;
    let secret = Event::FediverseMentioned {
        post: post(Visibility::Direct),
    };
    let reply = Event::FediverseReplied {
        post: post(Visibility::Public),
    };
    let quote = Event::FediverseQuoted {
        actor: alice(),
        target: POST.into(),
        url: "https://a.example/quotes/1".into(),
    };
    let raw = Event::FediverseActivityReceived { json: "{}".into() };
    happens(&server, [raw, secret, reply, quote, liked()]).await;
    let mention = admin_ears.next().await.unwrap();
    assert_eq!(mention["type"], "FEDIVERSE_MENTION");
    assert_eq!(mention["eventData"]["contentText"], "psst");
    assert_eq!(mention["eventData"]["visibility"], "direct");
    assert_eq!(
        mention["eventData"]["actor"]["handle"],
        "@alice@remote.example"
    );
    assert_eq!(admin_ears.next().await.unwrap()["type"], "FEDIVERSE_REPLY");
    let quoted = admin_ears.next().await.unwrap();
    assert_eq!(quoted["type"], "FEDIVERSE_ENGAGEMENT_QUOTE");
    assert_eq!(quoted["eventData"]["target"], json!({ "url": POST }));
    // The like comes last, and is the first event that the other bot receives.
    for ears in [&mut admin_ears, &mut modest_ears] {
        let heard = ears.next().await.unwrap();
        assert_eq!(heard["type"], "FEDIVERSE_ENGAGEMENT_LIKE");
        assert_eq!(heard["eventData"]["target"]["url"], POST);
    }
}

#[tokio::test]
async fn a_bot_can_choose_kinds_from_the_fediverse_as_far_as_its_token_goes() {
    let server = server_with(&[]).await;
    let modest = Bot::with(&server, &["CAN_SEND_MESSAGES"]).await;
    let (mut ears, _) =
        Listener::open(&server, &modest, "&types=FEDIVERSE_ENGAGEMENT_REPOST").await;
    let shared = Event::FediverseReposted {
        actor: alice(),
        target: POST.into(),
        is_live_notification: false,
    };
    happens(&server, [liked(), followed(false), shared]).await;
    assert_eq!(
        ears.next().await.unwrap()["type"],
        "FEDIVERSE_ENGAGEMENT_REPOST"
    );
    let path = "/api/integrations/events?types=FEDIVERSE_REPLY";
    let refused = modest.sign(get(path)).send(&server).await;
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("HAS_ADMIN_ACCESS"), "{refused:?}");
}

#[tokio::test]
async fn a_follow_is_told_in_the_shape_webhooks_know() {
    let server = server_with(&[]).await;
    let bot = Bot::mighty(&server).await;
    let (mut ears, _) = Listener::open(&server, &bot, "").await;
    happens(&server, [followed(true)]).await;
    let heard = ears.next().await.unwrap();
    assert_eq!(heard["type"], "FEDIVERSE_ENGAGEMENT_FOLLOW");
    let data = &heard["eventData"];
    let known = ["id", "image", "name", "pending", "timestamp", "username"];
    assert_eq!(keys(data), known);
    assert_eq!(data["username"], "alice@remote.example");
    assert_eq!(data["image"], "https://remote.example/alice.png");
    assert_eq!(data["pending"], true);
}

#[tokio::test]
async fn the_chat_is_told_of_follows_likes_and_boosts_and_a_name_stays_a_name() {
    let server = server_with(&[]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    let secret = Event::FediverseReplied {
        post: post(Visibility::Public),
    };
    happens(&server, [followed(true), secret, followed(false), liked()]).await;
    let line = ada.hears("FEDIVERSE_ENGAGEMENT_FOLLOW").await;
    assert_eq!(
        line["body"],
        "<p>Alice &lt;b&gt;*B*&lt;/b&gt; followed this stream.</p>"
    );
    assert_eq!(line["title"], "alice@remote.example");
    assert_eq!(line["link"], "https://remote.example/users/alice");
    // Bots get her picture, the chat does not: her server would learn who is there.
    assert_eq!(line["image"], json!(null));
    // The next one is the like: neither the pending follow nor the reply becomes a line.
    let next = ada.hears_any().await;
    assert_eq!(next["type"], "FEDIVERSE_ENGAGEMENT_LIKE");
    assert!(next["body"].as_str().unwrap().contains("went live"));
    let off = json!({ "value": false });
    admin(&server, "config/federation/showengagement", &off).await;
    happens(&server, [liked()]).await;
    // Events from before this line would arrive before it.
    ada.say("still here").await;
    assert_eq!(ada.hears_any().await["type"], "CHAT");
}

#[tokio::test]
async fn a_crowd_from_the_fediverse_leaves_room_for_those_who_talk() {
    let server = server_with(&[]).await;
    let mut ada = Chatter::join(&server, "ada").await;
    happens(&server, (0..25).map(|_| liked())).await;
    for _ in 0..20 {
        let line = ada.hears_any().await;
        assert_eq!(line["type"], "FEDIVERSE_ENGAGEMENT_LIKE");
    }
    ada.say("still here").await;
    assert_eq!(ada.hears_any().await["type"], "CHAT");
}
