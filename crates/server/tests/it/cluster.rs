//! Several servers on one PostgreSQL. NATS is away in these tests: everything here works without it.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::eventually;

use crate::http::{PASSWORD, get, set_up_server};

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
        let ingests = told[0]["holds"] == json!(["ingest"]);
        let holds = told[1]["holds"].as_array()?;
        let works = holds.contains(&json!("webhooks")) && !holds.contains(&json!("ingest"));
        (ingests && works).then_some(())
    })
    .await;
    for path in ["/api/status", "/hls/stream.m3u8", "/no/such/page"] {
        let answer = get(path).send(&left).await;
        assert_eq!(answer.header(NODE), "left", "{path}");
    }
    right.stop().await;
    assert_eq!(names(&nodes(&left).await), ["left"], "it stopped cleanly");
    left.stop().await;
}
