//! Followers are told about the profile, not about every keystroke in it.

use std::time::Duration;

use model::Clock;
use model::settings::table::{NAME, SUMMARY, TAGS};
use serde_json::json;
use store::federation::DeliveryState;
use store::{LOGO, StoredFile};

use crate::house::{ACTOR, House, activity, until_received};
use crate::peer::{Peers, reply};

fn peers() -> Peers {
    Peers::new().serve("peer.example", |_| reply(202, "", ""))
}

// Case 58 of docs/federation-cases.md.
#[tokio::test]
async fn three_changes_within_a_minute_become_one_update_with_the_last_of_them() {
    let (house, peers) = (House::new(), peers());
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.until_listening().await;
    server.say("hello").await;
    server.until(DeliveryState::Delivered, 1).await;
    for (seconds, name) in [(0, "One"), (20, "Two"), (20, "Three")] {
        server.clock.advance(Duration::from_secs(seconds));
        server.set(&NAME, json!(name)).await;
    }
    server.set(&SUMMARY, json!("About it")).await;
    assert_eq!(peers.requests().len(), 1);
    server.clock.advance(Duration::from_secs(25));
    let update = activity(&until_received(&peers, 2).await[1].1);
    assert_eq!(
        (&update["type"], &update["actor"]),
        (&json!("Update"), &json!(ACTOR))
    );
    assert_eq!(update["object"]["name"], "Three");
    assert_eq!(update["object"]["summary"], "<p>About it</p>");
    server.until(DeliveryState::Delivered, 2).await;

    server.clock.advance(Duration::from_secs(300));
    server.set(&TAGS, json!(["music"])).await;
    server.clock.advance(Duration::from_secs(61));
    let update = activity(&until_received(&peers, 3).await[2].1);
    assert_eq!(update["object"]["tag"][0]["name"], "#music");
    server.until(DeliveryState::Delivered, 3).await;

    let icon = update["object"]["icon"]["url"].clone();
    let logo = StoredFile {
        content_type: "image/png".into(),
        bytes: b"pixels".to_vec(),
    };
    let now = server.clock.now();
    server.store.put_file(LOGO, logo, now).await.unwrap();
    server.clock.advance(Duration::from_secs(61));
    let update = activity(&until_received(&peers, 4).await[3].1);
    assert_ne!(update["object"]["icon"]["url"], icon);
    server.close().await;
}

// Case 57 of docs/federation-cases.md, for what is not yet in the queue.
#[tokio::test]
async fn a_change_is_told_of_once_wherever_the_process_is_killed() {
    let (house, peers) = (House::new(), peers());
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.until_listening().await;
    server.say("hello").await;
    server.until(DeliveryState::Delivered, 1).await;
    server.set(&NAME, json!("Another")).await;
    server.kill().await;

    house.clock.advance(Duration::from_secs(61));
    let server = house.start(&peers).await;
    let update = activity(&until_received(&peers, 2).await[1].1);
    assert_eq!(update["object"]["name"], "Another");
    server.until(DeliveryState::Delivered, 2).await;
    server.kill().await;

    let server = house.start(&peers).await;
    server.say("and nothing else").await;
    let received = until_received(&peers, 3).await;
    assert_eq!(activity(&received[2].1)["type"], "Create");
    server.close().await;
}

#[tokio::test]
async fn an_update_in_private_mode_is_for_followers_only() {
    let (house, peers) = (House::new(), peers());
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.until_listening().await;
    server.say("hello").await;
    server.until(DeliveryState::Delivered, 1).await;
    server.be_private().await;
    server.clock.advance(Duration::from_secs(61));
    let update = activity(&until_received(&peers, 2).await[1].1);
    assert_eq!(update["type"], "Update");
    assert_eq!(update["to"], json!([format!("{ACTOR}/followers")]));
    assert_eq!(update["object"]["manuallyApprovesFollowers"], true);
    server.close().await;
}
