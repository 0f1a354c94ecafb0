//! What comes first arrives first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use store::federation::DeliveryState;

use crate::house::{House, activity};
use crate::peer::{Peers, reply};

#[tokio::test]
async fn an_inbox_gets_everything_in_its_order_also_after_a_failure() {
    let count = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&count);
    let peers = Peers::new().serve("peer.example", move |_| {
        let is_first = asked.fetch_add(1, Ordering::SeqCst) == 0;
        reply(if is_first { 500 } else { 202 }, "", "")
    });
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    let mut expected = Vec::new();
    for text in ["one", "two", "three"] {
        expected.push(server.say(text).await);
        server.clock.advance(Duration::from_secs(1));
    }
    server.start();
    let all = testkit::eventually("the first attempt has failed", async || {
        let all = server.deliveries().await;
        all.iter().any(|one| one.attempts == 1).then_some(all)
    })
    .await;
    assert!(all.iter().all(|one| one.state == DeliveryState::Pending));
    server.clock.advance(Duration::from_secs(60));
    server.until(DeliveryState::Delivered, 3).await;
    let arrived: Vec<String> = peers
        .requests()
        .iter()
        .skip(1)
        .map(|(_, request)| {
            activity(request)["object"]["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(arrived, expected);
    server.close().await;
}
