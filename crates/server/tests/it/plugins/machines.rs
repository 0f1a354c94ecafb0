//! Plugins that run on another machine of a cluster, with a real PostgreSQL and a real NATS.

use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use server::cli::Options;
use server::testing::TestServer;
use testkit::eventually;

use super::fake::{Fake, server_in};
use super::serving::install;
use super::{entry, tell};
use crate::http::{get, request};

/// More than what fits into one message.
const LARGE: usize = 700 * 1024;

/// A database and a NATS for one test.
struct Cluster {
    postgres: String,
    nats: String,
    name: String,
    key: Vec<u8>,
}

impl Cluster {
    /// `None` without PostgreSQL or NATS, which CI does not accept.
    fn create() -> Option<Self> {
        let both = (
            std::env::var("TEST_POSTGRES_URL"),
            std::env::var("RILLCAST_TEST_NATS"),
        );
        let (Ok(postgres), Ok(nats)) = both else {
            assert!(
                std::env::var_os("CI").is_none(),
                "TEST_POSTGRES_URL or RILLCAST_TEST_NATS is not set: run `make test`"
            );
            return None;
        };
        let name = format!("plugins_{}", std::process::id());
        psql(&postgres, &format!("CREATE DATABASE {name}"));
        Some(Self {
            postgres,
            nats,
            name,
            key: Vec::new(),
        })
    }

    /// One more machine, with the key of the first.
    async fn machine(&mut self, name: &str, roles: &str, fake: &Arc<Fake>) -> TestServer {
        let address = format!("/{}?", self.name);
        let options = Options {
            database_url: Some(self.postgres.replacen("/postgres?", &address, 1)),
            cluster: Some(self.name.replace('_', "-")),
            nats: Some(self.nats.clone()),
            node_name: Some(name.into()),
            roles: Some(roles.into()),
            ..Options::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("data/secret.key");
        if !self.key.is_empty() {
            std::fs::create_dir(folder.path().join("data")).unwrap();
            std::fs::write(&key, &self.key).unwrap();
        }
        let server = server_in(folder, options, Arc::clone(fake)).await;
        self.key = std::fs::read(key).unwrap();
        server
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        psql(&self.postgres, &sql);
    }
}

fn psql(url: &str, sql: &str) {
    let done = Command::new("psql").args([url, "-qXc", sql]).status();
    assert!(done.unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plugins_of_one_machine_are_there_for_the_viewers_of_another() {
    let Some(mut cluster) = Cluster::create() else {
        return;
    };
    let (idle, fake) = (Arc::<Fake>::default(), Arc::<Fake>::default());
    let web = cluster.machine("web", "ingest,web", &idle).await;
    let worker = cluster.machine("worker", "worker", &fake).await;
    eventually("the machine that runs plugins is reached", async || {
        let answer = tell(&web, "nobody/reload").await;
        match answer.status {
            400 => Some(()),
            status => {
                assert_eq!(status, 503, "{answer:?}");
                assert!(answer.body.contains("plugins-elsewhere"), "{answer:?}");
                None
            }
        }
    })
    .await;
    let bell = json!({ "permissions": ["http.serve", "ui.modify", "chat.filter"] });
    let large = vec![b'x'; LARGE];
    let code = "http: echo\nstyles: body { color: red }";
    install(&web, &bell, code, &[("public/large.bin", &large)]).await;
    let seen = get("/plugins/bell/vote?for=tea").send(&web).await;
    assert_eq!(seen.status, 200, "{seen:?}");
    assert!(seen.body.contains("/vote"), "{seen:?}");
    assert!(fake.heard("http").await.contains("tea"));
    assert!(idle.told.lock().unwrap().is_empty());
    let file = get("/plugins/bell/large.bin").send(&web).await;
    assert_eq!((file.status, file.bytes), (200, large));
    let body = "b".repeat(LARGE);
    let posted = request("POST", "/plugins/bell/take")
        .header("content-type", "text/plain")
        .bytes(body.as_bytes())
        .send(&web)
        .await;
    assert_eq!(posted.status, 200);
    assert!(posted.body.contains(&body));
    eventually("the page has what the plugin adds", async || {
        let styles = get("/pluginstyles.css").send(&web).await.body;
        styles.contains("color: red").then_some(())
    })
    .await;
    eventually("the page says so", async || {
        let config = get("/api/config").send(&web).await.json();
        let styles = config["pluginStyles"].as_str()?.to_owned();
        styles.contains("color: red").then_some(())
    })
    .await;
    let gate =
        json!({ "slug": "gate", "name": "Gate", "permissions": ["auth.gate", "http.serve"] });
    install(&web, &gate, "http: {}", &[]).await;
    eventually("newcomers are led to the sign-in", async || {
        let page = get("/").send(&web).await;
        (page.status == 302).then_some(())
    })
    .await;
    worker.stop().await;
    let away = get("/plugins/gate/").send(&web).await;
    assert_eq!(away.status, 503);
    assert_eq!(away.body, "plugin unavailable\n");
    eventually("nobody new gets in", async || {
        let page = get("/").send(&web).await;
        assert!([302, 503].contains(&page.status), "{page:?}");
        (page.status == 503).then_some(())
    })
    .await;
    assert_eq!(entry(&web, "bell").await["slug"], "bell");
    let refused = tell(&web, "bell/disable").await;
    assert_eq!(refused.status, 503);
    assert!(refused.body.contains("plugins-elsewhere"), "{refused:?}");
    web.stop().await;
}
