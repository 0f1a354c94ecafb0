//! Directories are told that the stream is live, that it still is, and that it is over.

use std::time::Duration;

use model::settings::table::federation::{ENABLED, LIVE_MESSAGE};
use serde_json::json;
use store::federation::DeliveryState;
use testkit::eventually;

use crate::house::{ACTOR, House, Server, activity, until_received};
use crate::peer::{Peers, reply};

const COMMON: &str = "https://owncast.online/ns#";

async fn listed(house: &House, peers: &Peers) -> Server {
    let mut server = house.open(peers).await;
    server.set(&LIVE_MESSAGE, json!("")).await;
    server.directory("directory.example").await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server
}

fn peers() -> Peers {
    Peers::new()
        .serve("directory.example", |_| reply(202, "", ""))
        .serve("peer.example", |_| reply(202, "", ""))
}

fn types(peers: &Peers) -> Vec<(String, String)> {
    let requests = peers.requests();
    let requests = requests.iter();
    requests
        .map(|(host, request)| {
            let kind = activity(request)["type"].as_str().unwrap().to_owned();
            (host.clone(), kind)
        })
        .collect()
}

fn to_directory(kinds: &[&str]) -> Vec<(String, String)> {
    let host = || "directory.example".to_owned();
    kinds
        .iter()
        .map(|kind| (host(), (*kind).to_owned()))
        .collect()
}

#[tokio::test]
async fn directories_get_a_ping_at_once_and_every_five_minutes_and_a_good_bye() {
    let (house, peers) = (House::new(), peers());
    let server = listed(&house, &peers).await;
    server.go_live("s1").await;
    let offer = activity(&until_received(&peers, 1).await[0].1);
    assert_eq!(
        (&offer["type"], &offer["actor"]),
        (&json!("Offer"), &json!(ACTOR))
    );
    assert_eq!(offer["object"], "https://live.example");
    for namespace in [COMMON, "https://rillcast.example/ns#"] {
        assert_eq!(offer[format!("{namespace}streamStatus")], "live");
        assert!(offer[format!("{namespace}thumbnailUrl")].is_string());
    }
    server.until(DeliveryState::Delivered, 1).await;
    server.clock.advance(Duration::from_secs(321));
    until_received(&peers, 2).await;
    server.until(DeliveryState::Delivered, 2).await;
    server.clock.advance(Duration::from_secs(60));
    server.end("s1").await;
    let leave = activity(&until_received(&peers, 3).await[2].1);
    assert_eq!(leave[format!("{COMMON}streamStatus")], "offline");
    assert_eq!(leave[format!("{COMMON}thumbnailUrl")], json!(null));
    assert_eq!(types(&peers), to_directory(&["Offer", "Offer", "Leave"]));
    server.close().await;
    assert_eq!(peers.requests().len(), 3, "the good-bye was said already");
}

#[tokio::test]
async fn a_process_that_ends_says_good_bye_and_greets_again_after_its_start() {
    let (house, peers) = (House::new(), peers());
    let server = listed(&house, &peers).await;
    server.go_live("s1").await;
    server.until(DeliveryState::Delivered, 1).await;
    server.clock.advance(Duration::from_secs(10));
    server.close().await;
    assert_eq!(types(&peers), to_directory(&["Offer", "Leave"]));

    house.clock.advance(Duration::from_secs(10));
    let server = house.start(&peers).await;
    server.be_online(true);
    server.until(DeliveryState::Delivered, 3).await;
    assert_eq!(types(&peers), to_directory(&["Offer", "Leave", "Offer"]));

    // A killed process sends no Leave, and still owes it after its restart.
    server.kill().await;
    house.clock.advance(Duration::from_secs(10));
    let server = house.start(&peers).await;
    server.end("s1").await;
    until_received(&peers, 4).await;
    let expected = to_directory(&["Offer", "Leave", "Offer", "Leave"]);
    assert_eq!(types(&peers), expected);
    server.close().await;
}

// Case 58 of docs/federation-cases.md.
#[tokio::test]
async fn a_ping_that_waited_for_four_minutes_is_dropped() {
    let house = House::new();
    let peers = Peers::new()
        .serve("directory.example", |_| reply(503, "", ""))
        .serve("peer.example", |_| reply(202, "", ""));
    let server = listed(&house, &peers).await;
    server.go_live("s1").await;
    server.until_tried(1).await;
    server.clock.advance(Duration::from_secs(241));
    let all = server.until(DeliveryState::Failed, 1).await;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].attempts, 1);
    assert_eq!(peers.requests().len(), 1);
    server.kill().await;
}

#[tokio::test]
async fn nothing_is_said_while_federation_is_off() {
    let (house, peers) = (House::new(), peers());
    let server = listed(&house, &peers).await;
    server.set(&ENABLED, json!(false)).await;
    server.go_live("s1").await;
    server.clock.advance(Duration::from_secs(400));
    server.set(&ENABLED, json!(true)).await;
    eventually("it is said once federation is on", async || {
        (peers.requests().len() == 1).then_some(())
    })
    .await;
    server.set(&ENABLED, json!(false)).await;
    server.close().await;
    assert_eq!(types(&peers), to_directory(&["Offer"]));
}
