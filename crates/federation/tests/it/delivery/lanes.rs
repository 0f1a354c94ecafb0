//! Dead hosts cost sockets, not time.

use std::time::Duration;

use federation::delivery::LaneLimits;
use store::federation::DeliveryState;
use testkit::eventually;

use crate::house::House;
use crate::peer::{Peers, Reply, reply};

/// Hosts of each kind; more dead ones than the fast lane has slots.
const HOSTS: usize = 6;

#[tokio::test]
async fn hosts_that_never_answer_do_not_hold_up_those_that_do() {
    let mut peers = Peers::new();
    for number in 0..HOSTS {
        peers = peers.serve(&format!("dead{number}.example"), |_| Reply::Silent);
        peers = peers.serve(&format!("live{number}.example"), |_| reply(202, "", ""));
    }
    let mut house = House::new();
    house.limits = LaneLimits {
        fast: 2,
        slow: 100,
        patience: Duration::from_millis(20),
        ..LaneLimits::default()
    };
    let mut server = house.open(&peers).await;
    // The dead ones come first in the queue.
    for kind in ["dead", "live"] {
        for number in 0..HOSTS {
            let host = format!("{kind}{number}.example");
            server.follower(&host, "a", None).await;
        }
        server.say(kind).await;
    }
    server.start();
    // Every live host has received all its posts before any dead one was given up.
    let all = eventually("all live hosts have had everything", async || {
        let all = server.deliveries().await;
        let live = all.iter().filter(|one| one.host.starts_with("live"));
        let is_done = live.clone().count() == HOSTS
            && live
                .clone()
                .all(|one| one.state == DeliveryState::Delivered);
        is_done.then_some(all)
    })
    .await;
    for one in all.iter().filter(|one| one.host.starts_with("dead")) {
        assert_eq!(one.attempts, 0, "{one:?}");
    }
    server.kill().await;
}

#[tokio::test]
async fn one_host_gets_two_requests_at_once_and_one_inbox_one() {
    let peers = Peers::new().serve("slow.example", |_| Reply::Silent);
    let house = House::new();
    let mut server = house.open(&peers).await;
    for name in ["a", "b", "c", "d"] {
        server.follower("slow.example", name, None).await;
    }
    server.say("first").await;
    server.say("second").await;
    server.start();
    let all = server.until(DeliveryState::InFlight, 2).await;
    crate::house::until_received(&peers, 2).await;
    let mut under_way: Vec<String> = peers
        .requests()
        .iter()
        .map(|(_, request)| request.target().to_owned())
        .collect();
    under_way.sort();
    assert_eq!(under_way, ["/users/a/inbox", "/users/b/inbox"]);
    let waiting = all
        .iter()
        .filter(|one| one.state == DeliveryState::Pending)
        .count();
    assert_eq!(waiting, 6);
    server.kill().await;
}
