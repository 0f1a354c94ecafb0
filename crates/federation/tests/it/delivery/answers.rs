//! An inbox's answers, and what follows from them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use model::Clock;
use model::settings::table::federation::{BLOCKED_DOMAINS, ENABLED};
use serde_json::json;
use store::federation::{DeliveryState, FollowerFilter, HostState};
use testkit::eventually;

use crate::house::{House, Server, activity, until_received};
use crate::peer::{Peers, Reply, reply};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// An inbox whose answer can be changed.
fn answering(
    status: &Arc<AtomicU16>,
) -> impl Fn(&crate::peer::Request) -> Reply + Send + Sync + use<> {
    let status = Arc::clone(status);
    move |_| reply(status.load(Ordering::SeqCst), "", "")
}

fn status(code: u16) -> Arc<AtomicU16> {
    Arc::new(AtomicU16::new(code))
}

async fn follower_count(server: &Server) -> i64 {
    let tables = server.store.federation();
    let page = tables.followers_page(FollowerFilter::Accepted, 0, 10);
    page.await.unwrap().1
}

// Case 55 of docs/federation-cases.md.
#[tokio::test]
async fn a_hundred_followers_behind_one_shared_inbox_get_one_request() {
    let peers = Peers::new()
        .serve("one.example", |_| reply(202, "", ""))
        .serve("two.example", |_| reply(202, "", ""))
        .serve("three.example", |_| reply(202, "", ""));
    let house = House::new();
    let mut server = house.open(&peers).await;
    for number in 0..100 {
        let name = format!("f{number}");
        server.follower("one.example", &name, Some("/inbox")).await;
    }
    server.start();
    server.say("first").await;
    let all = server.until(DeliveryState::Delivered, 1).await;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].inbox, "https://one.example/inbox");

    server.follower("two.example", "a", Some("/inbox")).await;
    server.follower("two.example", "b", Some("/inbox")).await;
    server.follower("three.example", "c", None).await;
    server.say("second").await;
    server.until(DeliveryState::Delivered, 4).await;
    let second: Vec<String> = peers.requests()[1..]
        .iter()
        .map(|(host, request)| format!("{} {host}{}", request.method(), request.target()))
        .collect();
    assert_eq!(second.len(), 3, "{second:?}");
    for expected in [
        "POST one.example/inbox",
        "POST two.example/inbox",
        "POST three.example/users/c/inbox",
    ] {
        assert!(second.iter().any(|one| one == expected), "{second:?}");
    }
    server.close().await;
}

// Case 56 of docs/federation-cases.md: 500 is on the schedule, 429 says when.
#[tokio::test]
async fn what_may_get_better_is_sent_again_not_before_its_time() {
    let (broken, busy) = (status(500), status(429));
    let asked = Arc::clone(&busy);
    let peers = Peers::new()
        .serve("broken.example", answering(&broken))
        .serve("busy.example", move |_| {
            reply(asked.load(Ordering::SeqCst), "retry-after: 120\r\n", "")
        });
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("broken.example", "a", None).await;
    server.follower("busy.example", "b", None).await;
    server.start();
    server.say("hello").await;
    let tried = server.until_tried(1).await;
    let pause = |host: &str| {
        let one = tried.iter().find(|one| one.host == host).unwrap();
        assert_eq!(one.state, DeliveryState::Pending);
        one.next_at.duration_since(server.clock.now()).as_secs()
    };
    assert!((24..=36).contains(&pause("broken.example")));
    assert!((120..=132).contains(&pause("busy.example")));

    broken.store(202, Ordering::SeqCst);
    busy.store(202, Ordering::SeqCst);
    server.clock.advance(Duration::from_secs(40));
    server.until(DeliveryState::Delivered, 1).await;
    assert_eq!(peers.requests().len(), 3, "the busy one was left alone");
    server.clock.advance(Duration::from_secs(100));
    server.until(DeliveryState::Delivered, 2).await;
    assert_eq!(peers.requests().len(), 4);
    server.close().await;
}

// Case 56 of docs/federation-cases.md: 404 and 501 are final.
#[tokio::test]
async fn what_will_not_get_better_is_given_up_and_nobody_is_removed() {
    let peers = Peers::new()
        .serve("missing.example", |_| reply(404, "", ""))
        .serve("unable.example", |_| reply(501, "", ""))
        .serve("moved.example", |_| {
            reply(301, "location: https://elsewhere.example/\r\n", "")
        });
    let house = House::new();
    let mut server = house.open(&peers).await;
    for host in ["missing.example", "unable.example", "moved.example"] {
        server.follower(host, "a", None).await;
    }
    server.start();
    server.say("hello").await;
    let all = server.until_tried(1).await;
    for one in all {
        let expected = match one.host.as_str() {
            // Somebody will fix it.
            "moved.example" => DeliveryState::Pending,
            _ => DeliveryState::Failed,
        };
        assert_eq!(one.state, expected, "{one:?}");
        assert!(one.error.is_some(), "{one:?}");
    }
    assert_eq!(peers.requests().len(), 3, "no redirect is followed");
    assert_eq!(follower_count(&server).await, 3);
    server.close().await;
}

// Case 56 of docs/federation-cases.md: 410 removes those behind the inbox; a whole server is asked twice, a day apart.
#[tokio::test]
async fn an_inbox_that_is_gone_takes_its_followers_along() {
    let peers = Peers::new()
        .serve("person.example", |_| reply(410, "", ""))
        .serve("server.example", |_| reply(410, "", ""));
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("person.example", "a", None).await;
    server.follower("server.example", "b", Some("/inbox")).await;
    server.follower("server.example", "c", Some("/inbox")).await;
    server.start();
    server.say("first").await;
    server.until(DeliveryState::Failed, 2).await;
    eventually(
        "the person is removed, the server's people not",
        async || (follower_count(&server).await == 2).then_some(()),
    )
    .await;

    let tables = server.store.federation();
    eventually("the server counts as gone", async || {
        let host = tables.host("server.example", server.clock.now()).await;
        host.unwrap().filter(|host| host.state == HostState::Gone)
    })
    .await;
    server.say("a server that is gone hears nothing").await;
    assert_eq!(server.deliveries().await.len(), 2);

    server.clock.advance(DAY + Duration::from_secs(60));
    server.say("but it is asked once more").await;
    eventually("the server's people are removed", async || {
        (follower_count(&server).await == 0).then_some(())
    })
    .await;
    assert_eq!(peers.requests().len(), 3);
    server.close().await;
}

// Case 59 of docs/federation-cases.md.
#[tokio::test]
async fn a_host_that_fails_on_seven_days_is_unavailable_until_it_is_heard_from() {
    let answer = status(503);
    let peers = Peers::new().serve("weak.example", answering(&answer));
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("weak.example", "a", None).await;
    server.start();
    let tables = server.store.federation();
    for day in 1..=7 {
        server.say(&format!("day {day}")).await;
        eventually("today's failure is known", async || {
            let host = tables.host("weak.example", server.clock.now()).await;
            host.unwrap().filter(|host| host.failing_days >= day)
        })
        .await;
        // Nothing is due after the last failure: the host is held back.
        if day < 7 {
            server.clock.advance(DAY);
        }
    }
    let host = tables.host("weak.example", server.clock.now()).await;
    let host = host.unwrap().unwrap();
    assert!(
        matches!(host.state, HostState::Unavailable { .. }),
        "{host:?}"
    );
    let before = server.deliveries().await.len();
    server.say("nothing is queued for it").await;
    assert_eq!(server.deliveries().await.len(), before);

    // It sent us something verified.
    answer.store(202, Ordering::SeqCst);
    tables
        .note_success("weak.example", server.clock.now())
        .await
        .unwrap();
    server.say("good to see you").await;
    assert_eq!(server.deliveries().await.len(), before + 1);
    eventually("it arrives", async || {
        let last = server.deliveries().await.pop()?;
        (last.state == DeliveryState::Delivered).then_some(())
    })
    .await;
    server.close().await;
}

// Case 59 of docs/federation-cases.md: when nobody at all is reached, it is us.
#[tokio::test]
async fn twenty_failures_in_a_row_everywhere_mean_that_our_own_network_is_down() {
    // Nobody listens there.
    let mut peers = Peers::new();
    for number in 0..20 {
        peers = peers.serve_nobody(&format!("h{number}.example"));
    }
    let house = House::new();
    let mut server = house.open(&peers).await;
    for number in 0..20 {
        let host = format!("h{number}.example");
        server.follower(&host, "a", None).await;
    }
    server.start();
    let tables = server.store.federation();
    assert!(!tables.is_all_failing(20).await.unwrap());
    server.say("is anybody there?").await;
    server.until_tried(1).await;
    assert!(tables.is_all_failing(20).await.unwrap());
    assert_eq!(follower_count(&server).await, 20);
    server.close().await;
}

#[tokio::test]
async fn nothing_is_sent_while_federation_is_off_or_to_a_blocked_server() {
    let peers = Peers::new()
        .serve("good.example", |_| reply(202, "", ""))
        .serve("bad.example", |_| reply(202, "", ""));
    let house = House::new();
    let mut server = house.open(&peers).await;
    server.follower("good.example", "a", None).await;
    server.follower("bad.example", "b", None).await;
    server.say("written before").await;
    server.set(&ENABLED, json!(false)).await;
    server.set(&BLOCKED_DOMAINS, json!(["bad.example"])).await;
    server.start();
    let post = federation::publishing::NewPost {
        text: "written while it is off".into(),
        picture: None,
    };
    assert!(server.outbox.post(post).await.is_err());
    let waiting = server.deliveries().await;
    assert!(
        waiting
            .iter()
            .all(|one| one.state == DeliveryState::Pending)
    );

    server.set(&ENABLED, json!(true)).await;
    server.until(DeliveryState::Failed, 1).await;
    server.until(DeliveryState::Delivered, 1).await;
    let received = until_received(&peers, 1).await;
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].0, "good.example");
    assert_eq!(activity(&received[0].1)["type"], "Create");
    server.close().await;
}

#[tokio::test]
async fn the_operator_is_told_in_the_words_of_the_inbox_why_it_refuses() {
    let long = "x".repeat(900);
    let answers = [
        ("words.example", "no\tkey\n of <b>yours</b>".to_owned()),
        ("long.example", long),
        ("silent.example", String::new()),
        ("bytes.example", "\u{0}\u{1}\u{7f}".to_owned()),
    ];
    let mut peers = Peers::new();
    for (host, text) in answers {
        peers = peers.serve(host, move |_| reply(403, "", &text));
    }
    let house = House::new();
    let mut server = house.open(&peers).await;
    for host in [
        "words.example",
        "long.example",
        "silent.example",
        "bytes.example",
    ] {
        server.follower(host, "a", None).await;
    }
    server.start();
    server.say("hello").await;
    let all = server.until(DeliveryState::Failed, 4).await;
    let error = |host: &str| {
        let one = all.iter().find(|one| one.host == host).unwrap();
        one.error.clone().unwrap()
    };
    assert_eq!(
        error("words.example"),
        "the inbox answered 403: no key of <b>yours</b>"
    );
    assert_eq!(
        error("long.example"),
        format!("the inbox answered 403: {}", "x".repeat(200))
    );
    assert_eq!(error("silent.example"), "the inbox answered 403");
    assert_eq!(error("bytes.example"), "the inbox answered 403");
    server.close().await;
}
