//! Pages that subscribe to a plugin's events.

use serde_json::json;
use server::testing::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::serving::with_plugin;
use crate::http::{get, request};

/// An open connection and what it has read so far.
struct Page {
    stream: TcpStream,
    read: String,
}

impl Page {
    async fn open(server: &TestServer, path: &str) -> Self {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let read = String::new();
        Self { stream, read }
    }

    /// Reads until `part` has arrived.
    async fn until(&mut self, part: &str) -> &str {
        let mut bytes = [0; 1024];
        while !self.read.contains(part) {
            let count = self.stream.read(&mut bytes).await.unwrap();
            assert!(count > 0, "ended: {}", self.read);
            self.read
                .push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        &self.read
    }
}

#[tokio::test]
async fn a_page_hears_its_channel_and_the_plugin_hears_of_the_page() {
    let (server, fake) = with_plugin(&json!({ "permissions": ["http.sse"] }), "", &[]).await;
    let mut page = Page::open(&server, "/plugins/bell/_sse/news").await;
    let head = page.until(": here\n\n").await;
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    assert!(head.contains("cache-control: no-cache"), "{head}");
    let told = fake.heard("sse.connect").await;
    assert!(
        told.starts_with(r#"sse.connect {"channel":"news","connectionId":"#),
        "{told}"
    );
    fake.hub().send("bell", "other", "x", "not for this page");
    fake.hub().send("bell", "news", "ring", "one\ntwo");
    let all = page.until("data: two\n\n").await;
    assert!(
        all.contains("event: ring\ndata: one\ndata: two\n\n"),
        "{all}"
    );
    assert!(!all.contains("not for this page"));
    drop(page);
    fake.hub().send("bell", "news", "ring", "to nobody");
    let gone = fake.heard("sse.disconnect").await;
    assert_eq!(
        gone.split_once(' ').unwrap().1,
        told.split_once(' ').unwrap().1
    );
}

#[tokio::test]
async fn there_is_nothing_to_hear_without_the_permission_and_no_room_for_a_crowd() {
    let (server, fake) = with_plugin(&json!({ "permissions": ["http.sse"] }), "", &[]).await;
    let posted = request("POST", "/plugins/bell/_sse").send(&server).await;
    assert_eq!(posted.status, 405);
    let connections: Vec<_> = (0..64)
        .map(|_| fake.hub().connect("bell", "").unwrap())
        .collect();
    assert_eq!(get("/plugins/bell/_sse").send(&server).await.status, 503);
    drop(connections);
    let (server, fake) =
        with_plugin(&json!({ "permissions": ["http.serve"] }), "http: echo", &[]).await;
    assert_eq!(get("/plugins/bell/_sse/x").send(&server).await.status, 404);
    assert!(
        fake.told.lock().unwrap().is_empty(),
        "the code does not see it either"
    );
}

#[tokio::test]
async fn a_channel_of_the_operator_is_for_the_operator() {
    let changes = json!({
        "permissions": ["http.sse"],
        "admin": { "pages": { "/admin": { "title": "Settings" } } },
    });
    let (server, _) = with_plugin(&changes, "", &[]).await;
    assert_eq!(
        get("/plugins/bell/_sse/admin").send(&server).await.status,
        401
    );
}
