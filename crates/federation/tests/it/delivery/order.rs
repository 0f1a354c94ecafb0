//! Deliveries arrive in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use store::federation::DeliveryState;
use testkit::eventually;

use crate::house::{House, activity};
use crate::peer::{Peers, Request, reply};

fn text(request: &Request) -> String {
    let content = &activity(request)["object"]["content"];
    let content = content.as_str().unwrap();
    content
        .trim_start_matches("<p>")
        .trim_end_matches("</p>")
        .to_owned()
}

fn arrived(peers: &Peers) -> Vec<String> {
    let requests = peers.requests();
    requests.iter().map(|(_, request)| text(request)).collect()
}

#[tokio::test]
async fn an_inbox_gets_everything_in_its_order() {
    let peers = Peers::new().serve("peer.example", |_| reply(202, "", ""));
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    for text in ["one", "two", "three"] {
        server.say(text).await;
        server.clock.advance(Duration::from_secs(1));
    }
    server.start();
    server.until(DeliveryState::Delivered, 3).await;
    assert_eq!(arrived(&peers), ["one", "two", "three"]);
    server.close().await;
}

#[tokio::test]
async fn an_activity_that_a_server_answers_with_500_keeps_its_own_schedule_and_holds_up_nobody() {
    let peers = Peers::new().serve("peer.example", |request| {
        reply(if text(request) == "bad" { 500 } else { 202 }, "", "")
    });
    let house = House::new();
    let server = house.start(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.say("bad").await;
    server.until_tried(1).await;
    let good = ["one", "two", "three", "four"];
    for (number, text) in good.iter().enumerate() {
        server.say(text).await;
        server.until(DeliveryState::Delivered, number + 1).await;
    }
    assert_eq!(arrived(&peers), ["bad", "one", "two", "three", "four"]);
    // The first pause of the schedule is 30 seconds, at most a fifth longer.
    server.clock.advance(Duration::from_secs(36));
    let tries = || arrived(&peers).iter().filter(|text| *text == "bad").count();
    eventually("it is tried again", async || (tries() == 2).then_some(())).await;
    server.say("five").await;
    server.until(DeliveryState::Delivered, 5).await;
    assert_eq!(tries(), 2);
    server.close().await;
}

#[tokio::test]
async fn after_a_hold_the_newest_goes_first_and_the_rest_follows_in_order() {
    let is_away = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&is_away);
    let peers = Peers::new().serve("peer.example", move |_| {
        let status = if seen.load(Ordering::SeqCst) {
            503
        } else {
            202
        };
        reply(status, "", "")
    });
    let house = House::new();
    let server = house.start(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.say("tried").await;
    server.until_tried(1).await;
    for text in ["one", "two", "three"] {
        server.say(text).await;
        server.clock.advance(Duration::from_secs(1));
    }
    is_away.store(false, Ordering::SeqCst);
    // Longer than the pause after the attempt, so that everything is due.
    server.clock.advance(Duration::from_secs(36));
    server.until(DeliveryState::Delivered, 4).await;
    assert_eq!(arrived(&peers), ["tried", "three", "tried", "one", "two"]);
    server.close().await;
}
