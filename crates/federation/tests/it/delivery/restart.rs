//! A killed process loses nothing and repeats nothing that arrived.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use store::federation::DeliveryState;
use testkit::eventually;
use tokio::sync::oneshot;

use crate::house::{House, activity, until_received};
use crate::peer::{Peers, Reply, reply};

// Case 57 of docs/federation-cases.md.
#[tokio::test]
async fn what_was_pending_when_the_process_was_killed_is_delivered_once_after_the_start() {
    let is_back = Arc::new(AtomicBool::new(false));
    let (hangs, fails) = (Arc::clone(&is_back), Arc::clone(&is_back));
    let peers = Peers::new()
        .serve("quick.example", |_| reply(202, "", ""))
        .serve("hanging.example", move |_| {
            match hangs.load(Ordering::SeqCst) {
                true => reply(202, "", ""),
                false => Reply::Silent,
            }
        })
        .serve("failing.example", move |_| {
            match fails.load(Ordering::SeqCst) {
                true => reply(202, "", ""),
                false => reply(503, "", ""),
            }
        });
    let house = House::new();
    let mut server = house.open(&peers).await;
    for host in ["quick.example", "hanging.example", "failing.example"] {
        server.follower(host, "a", None).await;
    }
    server.start();
    let post = server.say("hello").await;
    until_received(&peers, 3).await;
    eventually("one arrived, one failed, one is under way", async || {
        let all = server.deliveries().await;
        let has = |state| all.iter().any(|one| one.state == state);
        let failed = all
            .iter()
            .any(|one| one.attempts == 1 && one.state == DeliveryState::Pending);
        (has(DeliveryState::Delivered) && has(DeliveryState::InFlight) && failed).then_some(())
    })
    .await;
    server.kill().await;

    is_back.store(true, Ordering::SeqCst);
    house.clock.advance(Duration::from_secs(60));
    let server = house.start(&peers).await;
    let all = server.until(DeliveryState::Delivered, 3).await;
    assert_eq!(all.len(), 3);
    let requests = peers.requests();
    for (host, times) in [
        ("quick.example", 1),
        ("hanging.example", 2),
        ("failing.example", 2),
    ] {
        let received: Vec<_> = requests.iter().filter(|(name, _)| name == host).collect();
        assert_eq!(received.len(), times, "{host}");
        for (_, request) in received {
            assert_eq!(activity(request)["object"]["id"], post.as_str());
        }
    }
    server.close().await;
}

#[tokio::test]
async fn what_is_not_answered_when_the_process_is_stopped_waits_as_if_it_had_not_been_tried() {
    let is_back = Arc::new(AtomicBool::new(false));
    let hangs = Arc::clone(&is_back);
    let peers = Peers::new().serve("hanging.example", move |_| {
        match hangs.load(Ordering::SeqCst) {
            true => reply(202, "", ""),
            false => Reply::Silent,
        }
    });
    let mut house = House::new();
    house.limits.grace = Duration::from_millis(20);
    let mut server = house.open(&peers).await;
    server.follower("hanging.example", "a", None).await;
    server.start();
    server.say("hello").await;
    until_received(&peers, 1).await;
    server.close().await;

    is_back.store(true, Ordering::SeqCst);
    let mut server = house.open(&peers).await;
    let all = server.deliveries().await;
    assert_eq!(all[0].state, DeliveryState::Pending);
    assert_eq!(all[0].attempts, 0);
    server.start();
    server.until(DeliveryState::Delivered, 1).await;
    assert_eq!(peers.requests().len(), 2);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_last_words_are_said_although_something_else_is_under_way_to_the_same_server() {
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let peers = Peers::new().serve("peer.example", move |_| {
        let patience = testkit::DEADLINE;
        gate.lock().unwrap().recv_timeout(patience).unwrap();
        reply(202, "", "")
    });
    let mut house = House::new();
    house.limits.grace = testkit::DEADLINE;
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.say("hello").await;
    server.until(DeliveryState::InFlight, 1).await;
    server.say("good-bye").await;
    let stop = server.stop.clone();
    let closing = tokio::spawn(server.close());
    stop.cancelled().await;
    open.send(()).unwrap();
    open.send(()).unwrap();
    closing.await.unwrap();
    assert_eq!(peers.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_arrives_while_the_process_stops_is_not_sent_again_however_slow_the_database_is() {
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let peers = Peers::new().serve("peer.example", move |_| {
        // One request too many must fail the test, not hang it.
        let patience = testkit::DEADLINE;
        gate.lock().unwrap().recv_timeout(patience).unwrap();
        reply(202, "", "")
    });
    let mut house = House::new();
    // Long enough for a busy machine to deliver the answer.
    house.limits.grace = Duration::from_secs(3);
    let mut server = house.open(&peers).await;
    server.follower("peer.example", "a", None).await;
    server.start();
    server.say("hello").await;
    server.until(DeliveryState::InFlight, 1).await;
    // From now on every writer waits, longer than the grace period of requests under way.
    let ((begun, has_begun), (end, is_over)) = (oneshot::channel(), oneshot::channel::<()>());
    let store = server.store.clone();
    let holding = tokio::spawn(async move {
        let held = store.write(move |_| {
            Box::pin(async move {
                begun.send(()).unwrap();
                drop(is_over.await);
                Ok(())
            })
        });
        held.await.unwrap();
    });
    has_begun.await.unwrap();
    let mut closing = tokio::spawn(server.close());
    open.send(()).unwrap();
    until_received(&peers, 1).await;
    let longer = house.limits.grace + Duration::from_secs(1);
    drop(tokio::time::timeout(longer, &mut closing).await);
    end.send(()).unwrap();
    holding.await.unwrap();
    closing.await.unwrap();

    let server = house.start(&peers).await;
    let all = server.until(DeliveryState::Delivered, 1).await;
    assert_eq!((all.len(), all[0].attempts), (1, 1));
    assert_eq!(peers.requests().len(), 1);
    server.close().await;
}
