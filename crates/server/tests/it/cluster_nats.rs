//! Several servers on one PostgreSQL, with a real NATS between them.

use std::time::Duration;

use bus::{Bus, BusOptions, Subject, Subscription};
use jiff::Timestamp;
use model::{Event, Secret};
use server::cli::Options;
use server::testing::TestServer;
use store::federation::NewInboxEntry;
use testkit::eventually;

use crate::chat::chatter::Chatter;
use crate::chat::events::TALKATIVE;
use crate::cluster::{Database, nodes};
use crate::http::get;
use crate::stream::broadcast;

/// Waiting for longer means that nothing will come.
const PATIENCE: Duration = Duration::from_secs(20);

/// A cluster of one test, with a database and subjects of its own.
struct Cluster {
    database: Database,
    nats: String,
}

impl Cluster {
    /// `None` without PostgreSQL or NATS, which CI does not accept.
    fn create() -> Option<Self> {
        let Ok(nats) = std::env::var("RILLCAST_TEST_NATS") else {
            assert!(
                std::env::var_os("CI").is_none(),
                "RILLCAST_TEST_NATS is not set: run `make test`"
            );
            return None;
        };
        let database = Database::create()?;
        Some(Self { database, nats })
    }

    fn name(&self) -> String {
        self.database.name.replace('_', "-")
    }

    async fn machine(&mut self, name: &str, roles: &str) -> TestServer {
        let options = Options {
            cluster: Some(self.name()),
            nats: Some(self.nats.clone()),
            node_name: Some(name.into()),
            roles: Some(roles.into()),
            set: vec![TALKATIVE.into()],
            ..Options::default()
        };
        self.database.machine_with(options).await
    }

    /// Somebody who only listens.
    async fn bus(&self) -> Bus {
        let options = BusOptions {
            cluster: self.name(),
            servers: Secret::new(self.nats.as_str()),
            credentials: None,
            name: "test".into(),
            is_patient: false,
        };
        Bus::connect(options).await.unwrap()
    }
}

/// What a bus hears next.
async fn next(subscription: &mut Subscription) -> Vec<u8> {
    let next = tokio::time::timeout(PATIENCE, subscription.next()).await;
    next.expect("a message")
        .expect("a connection")
        .body
        .to_vec()
}

/// Waits until these machines are heard, so that they have a connection.
async fn hear_all(bus: &Bus, names: &[&str]) {
    let mut beats = bus.subscribe(Subject::Beat).await.unwrap();
    let mut missing: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    while !missing.is_empty() {
        let beat = next(&mut beats).await;
        let beat = String::from_utf8_lossy(&beat).into_owned();
        missing.retain(|name| !beat.contains(name.as_str()));
    }
}

async fn lines(chatter: &mut Chatter, count: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for _ in 0..count {
        lines.push(chatter.line().await);
    }
    lines
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_of_two_machines_are_one_chat_in_one_order_and_none_comes_twice() {
    let Some(mut cluster) = Cluster::create() else {
        return;
    };
    let (left, right) = (
        cluster.machine("left", "ingest,web").await,
        cluster.machine("right", "web,worker").await,
    );
    let bus = cluster.bus().await;
    let mut told = bus.subscribe(Subject::Log).await.unwrap();
    hear_all(&bus, &["left", "right"]).await;
    let mut ada = Chatter::join(&left, "ada").await;
    let mut bo = Chatter::join(&right, "bo").await;
    for round in 0..10 {
        let (a, b) = (format!("a{round}"), format!("b{round}"));
        tokio::join!(ada.say(&a), bo.say(&b));
    }
    let (by_ada, by_bo) = (lines(&mut ada, 20).await, lines(&mut bo, 20).await);
    assert_eq!(by_ada, by_bo);
    let stored = left.store().recent_messages(100).await.unwrap();
    let stored: Vec<String> = stored.into_iter().map(|message| message.body).collect();
    assert_eq!(by_ada, stored);

    // The next line each of them hears is a new one.
    ada.say("over").await;
    assert_eq!(ada.line().await, "<p>over</p>");
    assert_eq!(bo.line().await, "<p>over</p>");

    // What is said there is sealed: it can be passed on, and neither read nor made up.
    let message = next(&mut told).await;
    let text = String::from_utf8_lossy(&message).into_owned();
    assert!(!text.contains("<p>") && !text.contains("prev"), "{text}");
    for _ in 0..2 {
        bus.publish(Subject::Log, &message).await.unwrap();
    }
    bus.publish(Subject::Log, b"made up").await.unwrap();
    bo.say("and out").await;
    assert_eq!(ada.line().await, "<p>and out</p>");
    assert_eq!(bo.line().await, "<p>and out</p>");
    left.stop().await;
    right.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_large_for_nats_is_read_in_the_database_once() {
    const EVENTS: usize = 600;
    let Some(mut cluster) = Cluster::create() else {
        return;
    };
    let (left, right) = (
        cluster.machine("left", "ingest,web").await,
        cluster.machine("right", "web,worker").await,
    );
    hear_all(&cluster.bus().await, &["left", "right"]).await;
    let mut log = right.store().follow_log().await.unwrap().unwrap();
    let padding = "x".repeat(1024);
    let mut events = Vec::new();
    for number in 0..EVENTS {
        let key = format!("{number} {padding}");
        events.push(Event::SettingChanged { key });
    }
    let sent = events.clone();
    let store = left.store();
    let work = store.write_with_events(Timestamp::UNIX_EPOCH, move |_| {
        Box::pin(async { Ok(((), sent)) })
    });
    work.await.unwrap();
    let mut heard = Vec::new();
    while heard.len() < EVENTS {
        let more = tokio::time::timeout(PATIENCE, log.next()).await;
        let more = more.expect("events").expect("an open store");
        let settings = more.into_iter().map(|logged| logged.event);
        heard.extend(settings.filter(|event| matches!(event, Event::SettingChanged { .. })));
    }
    assert_eq!(heard, events);
    left.stop().await;
    right.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn viewers_and_connections_to_the_chat_are_those_of_all_machines() {
    let Some(mut cluster) = Cluster::create() else {
        return;
    };
    let left = cluster.machine("left", "ingest,web").await;
    let _publisher = broadcast(&left).await;
    // What a machine with this number, 1,000 viewers and 50 connections says.
    let mut count = 77_i64.to_le_bytes().to_vec();
    count.extend(1000_u32.to_le_bytes());
    count.extend(50_u32.to_le_bytes());
    let count = left.store().seal_message("viewers", &count).unwrap();
    let bus = cluster.bus().await;
    eventually("its viewers count", async || {
        bus.publish(Subject::Viewers, b"made up").await.unwrap();
        bus.publish(Subject::Viewers, &count).await.unwrap();
        let status = get("/api/status").send(&left).await.json();
        (status["viewerCount"] == 1000).then_some(())
    })
    .await;
    eventually("its connections count", async || {
        bus.publish(Subject::Viewers, &count).await.unwrap();
        let gauges = get("/api/admin/prometheus").by_admin().send(&left).await;
        let name = "owncast_instance_active_chat_client_count{";
        let mut lines = gauges.body.lines();
        let line = lines.find(|line| line.starts_with(name))?;
        line.ends_with(" 50").then_some(())
    })
    .await;
    // A row tells of this machine's own, or they would be added over and over.
    let own = nodes(&left).await;
    assert_eq!(own[0]["viewers"], 0);
    left.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_server_sends_to_one_machine_wakes_the_one_that_handles_it() {
    let Some(mut cluster) = Cluster::create() else {
        return;
    };
    let (left, right) = (
        cluster.machine("left", "ingest,web").await,
        cluster.machine("right", "web,worker").await,
    );
    hear_all(&cluster.bus().await, &["left", "right"]).await;
    let (here, there) = (left.store().federation(), right.store().federation());
    let mut woken = there.inbox_wakeups();
    // The first may be said before the other machine listens.
    eventually("it is woken", async || {
        let entry = NewInboxEntry {
            key_id: "https://a.example/key".into(),
            key_host: "a.example".into(),
            verified_owner: None,
            target: "/federation/user/live/inbox".into(),
            headers: "{}".into(),
            body: b"{}".to_vec(),
        };
        here.enqueue_inbox(entry, Timestamp::UNIX_EPOCH)
            .await
            .unwrap();
        woken.has_changed().unwrap().then_some(())
    })
    .await;
    assert_eq!(*woken.borrow_and_update(), 0, "it did not arrive there");
    left.stop().await;
    right.stop().await;
}
