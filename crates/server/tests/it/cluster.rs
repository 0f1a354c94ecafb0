//! Several servers on one PostgreSQL. NATS is away in these tests: everything here works without it.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;
use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use store::{LeaseName, PlaylistPosition};
use testkit::eventually;
use testkit::rtmp::RtmpClient;

use crate::http::{PASSWORD, get, post, set_up_server};
use crate::stream::{broadcast, state};

const NODES: &str = "/api/admin/nodes";
const NODE: &str = "x-rillcast-node";
/// Nobody listens there.
const NOWHERE: &str = "nats://127.0.0.1:9";

/// A PostgreSQL database for one test.
pub(crate) struct Database {
    server: String,
    pub(crate) name: String,
    key: Vec<u8>,
}

impl Database {
    /// `None` if no PostgreSQL is available, which CI does not accept.
    pub(crate) fn create() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let Ok(server) = std::env::var("TEST_POSTGRES_URL") else {
            assert!(
                std::env::var_os("CI").is_none(),
                "TEST_POSTGRES_URL is not set: run `make test`"
            );
            return None;
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cluster_{}_{number}", std::process::id());
        psql(&server, &format!("CREATE DATABASE {name}"));
        Some(Self {
            server,
            name,
            key: Vec::new(),
        })
    }

    /// One more machine, with the key of the first.
    async fn machine(&mut self, name: &str, roles: &str) -> TestServer {
        let options = Options {
            cluster: Some("test".into()),
            nats: Some(NOWHERE.into()),
            node_name: Some(name.into()),
            roles: Some(roles.into()),
            node_header: true,
            ..Options::default()
        };
        self.machine_with(options).await
    }

    /// The same with options of the test, which name the cluster.
    pub(crate) async fn machine_with(&mut self, options: Options) -> TestServer {
        let address = format!("/{}?", self.name);
        let options = Options {
            database_url: Some(self.server.replacen("/postgres?", &address, 1)),
            admin_password: Some(PASSWORD.into()),
            ..options
        };
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("data/secret.key");
        if !self.key.is_empty() {
            std::fs::create_dir(folder.path().join("data")).unwrap();
            std::fs::write(&key, &self.key).unwrap();
        }
        let server = TestServer::start_in(folder, options).await;
        self.key = std::fs::read(key).unwrap();
        server
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        psql(&self.server, &sql);
    }
}

fn psql(url: &str, sql: &str) {
    let done = Command::new("psql").args([url, "-qXc", sql]).status();
    assert!(done.unwrap().success());
}

pub(crate) async fn nodes(server: &TestServer) -> Vec<Value> {
    let answer = get(NODES).by_admin().send(server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json().as_array().unwrap().clone()
}

fn names(nodes: &[Value]) -> Vec<&str> {
    nodes
        .iter()
        .map(|node| node["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_server_that_is_alone_has_no_machines_and_says_nothing_of_itself() {
    let server = set_up_server().await;
    assert!(nodes(&server).await.is_empty());
    assert_eq!(get(NODES).send(&server).await.status, 401);
    let status = get("/api/status").send(&server).await;
    assert_eq!(status.header(NODE), "");
    let page = get("/admin/").by_admin().send(&server).await;
    assert!(!page.body.contains("\"cluster\""));
    assert!(server.store().nodes().await.unwrap().is_empty());
    assert!(server.store().leases().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn machines_know_of_each_other_and_do_only_what_they_are_there_for() {
    let Some(mut database) = Database::create() else {
        return;
    };
    let left = database.machine("left", "ingest,web").await;
    let right = database.machine("right", "worker").await;
    let told = nodes(&left).await;
    assert_eq!(names(&told), ["left", "right"]);
    assert_eq!(told[0]["roles"], json!(["ingest", "web"]));
    assert_eq!(told[1]["version"], env!("CARGO_PKG_VERSION"));
    for field in ["id", "since", "lastSeen"] {
        assert!(told[0][field].is_string(), "{told:?}");
    }
    assert_eq!(told[0]["viewers"], 0);
    assert_eq!(told[0]["chatClients"], 0);
    eventually("each does its work", async || {
        let told = nodes(&right).await;
        let rests = told[0]["holds"] == json!([]);
        let holds = told[1]["holds"].as_array()?;
        (rests && holds.contains(&json!("webhooks"))).then_some(())
    })
    .await;
    assert!(left.takes_in() && !right.takes_in());
    let client = broadcast(&left).await;
    eventually("the one with the broadcaster has the stream", async || {
        let told = nodes(&right).await;
        (told[0]["holds"] == json!(["ingest"])).then_some(())
    })
    .await;
    drop(client);
    for path in ["/api/status", "/hls/stream.m3u8", "/no/such/page"] {
        let answer = get(path).send(&left).await;
        assert_eq!(answer.header(NODE), "left", "{path}");
    }
    right.stop().await;
    assert_eq!(names(&nodes(&left).await), ["left"], "it stopped cleanly");
    left.stop().await;
}

/// Ids of broadcasts that have not ended.
async fn unfinished(server: &TestServer) -> Vec<String> {
    let streams = server.store().unfinished_streams().await.unwrap();
    streams.into_iter().map(|stream| stream.id).collect()
}

/// The history is written beside the stream.
async fn begun(server: &TestServer) -> String {
    eventually("the broadcast is in the history", async || {
        unfinished(server).await.pop()
    })
    .await
}

/// A broadcast that goes on is live before anything of it is listed.
async fn playlist(server: &TestServer) -> String {
    eventually("a playlist", async || {
        let answer = get("/hls/0/video.m3u8").send(server).await;
        (answer.status == 200).then_some(answer.body)
    })
    .await
}

fn value(playlist: &str, tag: &str) -> u64 {
    let mut lines = playlist.lines();
    let found = lines.find_map(|line| line.strip_prefix(tag));
    found.unwrap().parse().unwrap()
}

async fn events(server: &TestServer, kind: &str) -> usize {
    let events = server.events().await;
    events.iter().filter(|event| event.kind() == kind).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_broadcaster_is_refused_by_every_machine() {
    let Some(mut database) = Database::create() else {
        return;
    };
    let left = database.machine("left", "ingest,web").await;
    let right = database.machine("right", "ingest,web").await;
    let mut first = broadcast(&left).await;
    let key = right.stream_key();
    let refused = RtmpClient::publish(right.rtmp_address(), "live", &key).await;
    let (_, status) = refused.unwrap();
    assert_eq!(status.code, "NetStream.Publish.BadName", "{status:?}");
    let reason = "already broadcasting";
    assert!(status.description.contains(reason), "{status:?}");
    state(&left, "live").await;
    first.unpublish().await.unwrap();
    state(&left, "offline").await;
    let mut next = broadcast(&right).await;
    next.unpublish().await.unwrap();
    state(&right, "offline").await;
    eventually("both are in the history", async || {
        (events(&left, "StreamStopped").await == 2).then_some(())
    })
    .await;
    assert_eq!(events(&left, "StreamStarted").await, 2);
    right.stop().await;
    left.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broadcast_goes_on_at_another_machine_when_its_own_one_stops() {
    let Some(mut database) = Database::create() else {
        return;
    };
    let left = database.machine("left", "ingest,web").await;
    let right = database.machine("right", "ingest,web").await;
    let client = broadcast(&left).await;
    let id = begun(&left).await;
    let before = playlist(&left).await;
    left.stop().await;
    drop(client);
    let mut client = broadcast(&right).await;
    assert_eq!(unfinished(&right).await, [id]);
    let after = playlist(&right).await;
    assert_eq!(
        after.matches("#EXT-X-DISCONTINUITY\n").count(),
        1,
        "{after}"
    );
    for tag in ["#EXT-X-MEDIA-SEQUENCE:", "#EXT-X-DISCONTINUITY-SEQUENCE:"] {
        let (before, after) = (value(&before, tag), value(&after, tag));
        assert!(after >= before, "{tag} {before} {after}");
    }
    client.unpublish().await.unwrap();
    state(&right, "offline").await;
    eventually("it has ended once", async || {
        (events(&right, "StreamStopped").await == 1).then_some(())
    })
    .await;
    assert_eq!(events(&right, "StreamStarted").await, 1);
    right.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broadcaster_that_comes_back_to_another_machine_goes_on_with_the_broadcast() {
    let Some(mut database) = Database::create() else {
        return;
    };
    let left = database.machine("left", "ingest,web").await;
    let right = database.machine("right", "ingest,web").await;
    drop(broadcast(&left).await);
    let id = begun(&left).await;
    state(&left, "waiting").await;
    let _client = broadcast(&right).await;
    assert_eq!(unfinished(&right).await, [id]);
    // Without NATS the first one does not learn more, and does not call it over.
    state(&left, "waiting").await;
    assert_eq!(events(&left, "StreamStopped").await, 0);
    right.stop().await;
    left.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broadcast_of_a_machine_that_died_goes_on_with_its_id_and_its_numbers() {
    let Some(mut database) = Database::create() else {
        return;
    };
    let server = database.machine("right", "ingest,web").await;
    let (store, now) = (server.store(), Timestamp::now());
    let taken = store.take_lease(LeaseName::Ingest, None, "dead".into());
    assert_eq!(taken.await.unwrap(), Some(1));
    let begun = store.begin_stream("left-behind".into(), now, "Water".into());
    begun.await.unwrap();
    let position = PlaylistPosition {
        stream_id: "left-behind".into(),
        msn: 1_900_000_000,
        parts: 2,
        discontinuities: 6,
        end_us: 60_000_000,
        end_date: now,
        latency_level: 2,
    };
    store.note_playlist_position(position).await.unwrap();
    let _client = broadcast(&server).await;
    assert_eq!(unfinished(&server).await, ["left-behind"]);
    let list = playlist(&server).await;
    assert!(
        value(&list, "#EXT-X-MEDIA-SEQUENCE:") > 1_900_000_000,
        "{list}"
    );
    assert_eq!(value(&list, "#EXT-X-DISCONTINUITY-SEQUENCE:"), 6, "{list}");
    assert_eq!(list.matches("#EXT-X-DISCONTINUITY\n").count(), 1, "{list}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broadcast_that_nobody_comes_back_to_is_ended_by_another_machine() {
    let Some(mut database) = Database::create() else {
        return;
    };
    let left = database.machine("left", "ingest,web").await;
    let grace = post(
        "/api/admin/config/video/graceseconds",
        &json!({ "value": 0 }),
    );
    assert_eq!(grace.by_admin().send(&left).await.status, 200);
    let right = database.machine("right", "ingest,web").await;
    let client = broadcast(&left).await;
    begun(&left).await;
    left.stop().await;
    drop(client);
    eventually("it is over", async || {
        (events(&right, "StreamStopped").await == 1).then_some(())
    })
    .await;
    assert!(unfinished(&right).await.is_empty());
    right.stop().await;
}
