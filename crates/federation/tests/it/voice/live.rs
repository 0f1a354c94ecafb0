//! Followers are told that the stream is live: once, and not too soon.

use std::time::Duration;

use model::settings::table::federation::{LIVE_COOLDOWN_MINUTES, LIVE_DELAY_SECONDS, LIVE_MESSAGE};
use serde_json::{Value, json};
use store::federation::DeliveryState;
use testkit::eventually;

use crate::house::{ACTOR, House, Server, activity, until_received};
use crate::peer::{Peers, reply};

const PUBLIC: &str = "https://www.w3.org/ns/activitystreams#Public";
/// The default delay plus a second.
const DELAY: Duration = Duration::from_secs(16);

fn friendly() -> Peers {
    Peers::new().serve("peer.example", |_| reply(202, "", ""))
}

/// The types of all received activities, in order.
fn received(peers: &Peers) -> Vec<String> {
    let requests = peers.requests();
    let types = requests
        .iter()
        .map(|(_, request)| activity(request)["type"].clone());
    types.map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// A small but complete PNG.
fn png() -> Vec<u8> {
    let chunk = |name: &[u8; 4], data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], name, data, b"crc!"].concat()
    };
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", b"size"),
        chunk(b"tEXt", b"taken at home"),
        chunk(b"IEND", b""),
    ]
    .concat()
}

/// Publishes a post and waits until it has arrived: everything published before has arrived too.
async fn until_quiet(server: &Server, peers: &Peers) -> Vec<String> {
    let mark = server.say("a mark").await;
    eventually("the mark has arrived", async || {
        let requests = peers.requests();
        let is_mark = |request| activity(request)["object"]["id"] == mark.as_str();
        requests
            .iter()
            .any(|(_, request)| is_mark(request))
            .then_some(())
    })
    .await;
    let mut types = received(peers);
    types.pop();
    types
}

#[tokio::test]
async fn followers_get_a_post_after_the_delay_with_a_picture_that_stays() {
    let peers = friendly();
    let house = House::new();
    *house.preview.0.lock().unwrap() = Some(png());
    let mut server = house.open(&peers).await;
    server.set(&LIVE_MESSAGE, json!("We are <live> now")).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.go_live("s1").await;
    assert!(until_quiet(&server, &peers).await.is_empty());
    server.clock.advance(DELAY);
    let requests = until_received(&peers, 2).await;
    let create = activity(&requests[1].1);
    let note = &create["object"];
    assert_eq!(
        (&create["type"], &create["actor"]),
        (&json!("Create"), &json!(ACTOR))
    );
    assert_eq!(
        (&create["to"], &note["to"]),
        (&json!([PUBLIC]), &json!([PUBLIC]))
    );
    assert_eq!(create["cc"], json!([format!("{ACTOR}/followers")]));
    let content = note["content"].as_str().unwrap();
    assert!(content.contains("We are"), "{content}");
    assert!(!content.contains("<live>"), "{content}");
    assert!(content.contains("https://live.example"), "{content}");

    let picture = note["attachment"][0]["url"].as_str().unwrap();
    let name = picture
        .strip_prefix("https://live.example/federation/media/")
        .unwrap();
    assert!(name.ends_with(".png"), "{name}");
    let tables = server.store.federation();
    let kept = tables.media(name).await.unwrap().unwrap();
    assert_eq!(kept.content_type, "image/png");
    let has_text = kept.bytes.windows(4).any(|part| part == b"home");
    assert!(!has_text, "what is no picture is not kept");

    for id in [&create["id"], &note["id"]] {
        let stored = tables.object(id.as_str().unwrap()).await.unwrap().unwrap();
        assert!(stored.is_live_notification && stored.is_public);
    }
    server.close().await;
}

#[tokio::test]
async fn in_private_mode_the_post_is_for_followers_only_and_cannot_be_quoted() {
    let peers = friendly();
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.be_private().await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.go_live("s1").await;
    server.clock.advance(DELAY);
    let create = activity(&until_received(&peers, 1).await[0].1);
    let followers = json!([format!("{ACTOR}/followers")]);
    assert_eq!(
        (&create["to"], &create["object"]["to"]),
        (&followers, &followers)
    );
    assert_eq!(
        (&create["cc"], &create["object"]["cc"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(create["object"]["interactionPolicy"], Value::Null);
    assert_eq!(
        create["object"]["attachment"],
        json!([]),
        "there was no picture"
    );
    let id = create["object"]["id"].as_str().unwrap();
    let stored = server.store.federation().object(id).await.unwrap().unwrap();
    assert!(!stored.is_public);
    server.close().await;
}

// Case 58 of docs/federation-cases.md.
#[tokio::test]
async fn a_stream_that_ends_during_the_delay_is_not_told_of() {
    let peers = friendly();
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.go_live("s1").await;
    server.clock.advance(Duration::from_secs(10));
    server.end("s1").await;
    server.clock.advance(Duration::from_secs(60));
    assert!(until_quiet(&server, &peers).await.is_empty());
    server.close().await;
}

// Case 58 of docs/federation-cases.md.
#[tokio::test]
async fn a_stream_that_is_back_within_the_cooldown_is_told_of_once() {
    let peers = friendly();
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.go_live("s1").await;
    server.clock.advance(DELAY);
    until_received(&peers, 1).await;
    server.end("s1").await;
    server.clock.advance(Duration::from_secs(300));
    server.go_live("s2").await;
    server.clock.advance(Duration::from_secs(60));
    assert_eq!(until_quiet(&server, &peers).await, ["Create"]);
    server.end("s2").await;

    server.clock.advance(Duration::from_secs(600));
    server.go_live("s3").await;
    server.clock.advance(DELAY);
    until_received(&peers, 3).await;
    assert_eq!(received(&peers), ["Create", "Create", "Create"]);
    server.close().await;
}

#[tokio::test]
async fn delay_and_cooldown_are_the_operators_and_an_empty_message_means_silence() {
    let peers = friendly();
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.set(&LIVE_DELAY_SECONDS, json!(0)).await;
    server.set(&LIVE_COOLDOWN_MINUTES, json!(0)).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    for id in ["s1", "s2"] {
        server.clock.advance(Duration::from_secs(1));
        let before = peers.requests().len();
        server.go_live(id).await;
        until_received(&peers, before + 1).await;
        server.clock.advance(Duration::from_secs(1));
        server.end(id).await;
    }
    server.set(&LIVE_MESSAGE, json!("")).await;
    server.go_live("s3").await;
    assert_eq!(until_quiet(&server, &peers).await.len(), 2);
    server.close().await;
}

// Case 57 of docs/federation-cases.md, for what is not yet in the queue.
#[tokio::test]
async fn a_process_killed_during_the_delay_tells_followers_once_after_its_start() {
    let peers = friendly();
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.go_live("s1").await;
    assert!(until_quiet(&server, &peers).await.is_empty());
    server.until(DeliveryState::Delivered, 1).await;
    server.kill().await;

    house.clock.advance(DELAY);
    let server = house.start(&peers).await;
    // The publisher has not reconnected yet.
    assert_eq!(until_quiet(&server, &peers).await.len(), 1);
    server.be_online(true);
    server.until(DeliveryState::Delivered, 3).await;
    server.kill().await;

    let server = house.start(&peers).await;
    server.be_online(true);
    house.clock.advance(Duration::from_secs(60));
    until_quiet(&server, &peers).await;
    let requests = peers.requests();
    let live = requests.iter().filter(|(_, request)| {
        let content = activity(request)["object"]["content"].clone();
        !content.as_str().unwrap().contains("a mark")
    });
    assert_eq!(live.count(), 1);
    server.close().await;
}
